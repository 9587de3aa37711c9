/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kinds that both sides of the kernel border number: the BPF programs on one, plans, profiles and the host's answers on
 * the other. Enums only, without types or functions of either side, so every room may see them and none keeps a copy.
 */
#pragma once

/* ---- what a record says; saved profiles have these numbers, so new ones go to the end ---- */

/* How one of the two stacks was taken. Everything but OK and TRUNCATED leaves the part empty; the report prints the reason. */
enum stack_status {
	STACK_NOT_ASKED = 0,
	STACK_OK,
	STACK_NONE, /* no stack: a kernel thread has no user stack, user mode no kernel stack */
	STACK_UNREADABLE, /* the kernel's walk failed */
	STACK_TRUNCATED, /* ST_MAX_FRAMES reached: the root is missing */
};

/* Which kind of program took the stack: it decides whether frame 0 is an exact address or a return address. */
enum program_kind {
	PROGRAM_SAMPLE = 1, /* perf_event */
	PROGRAM_TRACEPOINT, /* classic tracepoint */
	PROGRAM_RAW_TRACEPOINT,
	PROGRAM_KPROBE,
	PROGRAM_UPROBE,
	PROGRAM_FENTRY,
	PROGRAM_TEST, /* bpf_prog_test_run of the record path */
};

/* Why an interval off the CPU has no waker, or WAKER_SEEN. */
enum waker_reason {
	WAKER_NOT_ASKED = 0,
	WAKER_SEEN,
	WAKER_PREEMPTED, /* nobody had to wake it: it was runnable all the time */
	WAKER_BEFORE_SLEEP, /* woken while it was on its way to sleep */
	WAKER_NOT_SEEN,
	WAKER_UNFINISHED, /* the interval had not ended when tracing ended; only user space sets it */
	WAKER_NR_REASONS,
};

/* ---- what a plan says ---- */

/* The parts of the identity of a record. Frames are always part of it. */
enum key_part {
	KEY_TGID = 1 << 0, /* process id, start time and exec id */
	KEY_TID = 1 << 1,
	KEY_COMM = 1 << 2,
	KEY_CGROUP = 1 << 3,
	KEY_PROBE = 1 << 4, /* attach cookie: which of several probes fired */
};

/* What becomes of an event of a probe. */
enum event_mode {
	EVENTS_BY_STACK = 0, /* counted by its record: by who and by stack */
	EVENTS_BY_PROBE, /* counted by probe alone, in st_tallies, without stacks: one row for each name */
	EVENTS_EACH, /* not counted: sent by itself, a record of its own, in the order of time */
};

/* What the scheduler programs measure. */
enum measure {
	MEASURE_OFF_CPU = 0, /* from leaving the CPU to coming back, by sleeper */
	MEASURE_OFF_WAKE, /* the same, by sleeper and waker */
	MEASURE_WAKE, /* from leaving the CPU to being woken, by sleeper and waker */
};

enum off_cpu_part {
	PART_ALL = 0,
	PART_BLOCKED, /* until it was woken */
	PART_RUNQUEUE, /* from then on */
};

enum thread_filter {
	THREADS_ALL = 0,
	THREADS_USER,
	THREADS_KERNEL,
};

enum state_filter {
	STATES_ALL = 0,
	STATES_MASK, /* state & states, or no state at all where `states` is 0 */
	STATES_LETTERS, /* 1 << (letter - 'A') for upper case, 1 << 31 for 't' is in `states` */
};

/* ---- what the host says ---- */

/* How a program may read the current task. */
enum task_access {
	TASK_ACCESS_NONE = 0, /* start time and exec id stay 0 (5.10 under lockdown=confidentiality) */
	TASK_ACCESS_PROBE_READ, /* bpf_probe_read_kernel of bpf_get_current_task() */
	TASK_ACCESS_BTF, /* plain dereference of bpf_get_current_task_btf(), where that is forbidden */
};

/* Where the tracepoint sched_switch has the state of the thread that leaves, in its arguments after `preempt`. */
enum switch_order {
	SWITCH_PREV_NEXT = 0, /* nowhere: read the thread's own field */
	SWITCH_STATE_PREV_NEXT, /* commit fa2c3254d7cf ("sched/tracing: Don't re-read p->state …"), v5.18 */
	/* Commit 9c2136be0878 ("sched/tracing: Append prev_state to tp args instead"), v5.18. */
	SWITCH_PREV_NEXT_STATE,
};
