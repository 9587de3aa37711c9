/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Enums that the BPF programs share with plans, profiles and the host's answers. This file has no structures or functions, so every room
 * may include it.
 */
#pragma once

/* ---- in records; saved profiles contain these numbers, so add new ones at the end ---- */

/* The state of the kernel or user stack of a record. It has frames only with OK and TRUNCATED. */
enum stack_status {
	STACK_NOT_ASKED = 0,
	STACK_OK,
	STACK_NONE, /* a kernel thread has no user stack, user mode has no kernel stack */
	STACK_UNREADABLE, /* the kernel's walk failed */
	STACK_TRUNCATED, /* it has ST_MAX_FRAMES frames: the root is missing */
};

/* The kind of program that took the stack: decides whether frame 0 is an exact address or a return address. */
enum program_kind {
	PROGRAM_SAMPLE = 1, /* perf_event */
	PROGRAM_TRACEPOINT, /* classic tracepoint */
	PROGRAM_RAW_TRACEPOINT,
	PROGRAM_KPROBE,
	PROGRAM_UPROBE,
	PROGRAM_FENTRY,
	PROGRAM_TEST, /* bpf_prog_test_run() of the record path */
	PROGRAM_LOOK, /* iterator of tasks */
	PROGRAM_CALL, /* none: calls of one class of lengths, beside the stacks of `slow` */
};

/* Whether an interval off the CPU has a waker, and if not, why. */
enum waker_reason {
	WAKER_NOT_ASKED = 0,
	WAKER_SEEN,
	WAKER_PREEMPTED, /* the thread was runnable all the time */
	WAKER_BEFORE_SLEEP, /* it was woken before it left the CPU */
	WAKER_NOT_SEEN,
	WAKER_UNFINISHED, /* the interval had not ended when tracing ended; set by user space only */
	WAKER_OWNER, /* of a lock: the owner is known, but no stack of it; set by user space only */
	WAKER_NR_REASONS,
};

/* What a thread does. `wall` puts each nanosecond of a thread into one of these. The reason of its pairs is then WALL_REASON(). */
enum thread_state {
	THREAD_ON_CPU = 0,
	THREAD_RUNNABLE, /* it waits for a CPU */
	THREAD_SLEEPS, /* S */
	THREAD_BLOCKED, /* D */
	THREAD_STOPPED, /* T, t, or frozen */
	THREAD_UNKNOWN, /* the kernel did not report a switch, or the state could not be read in time */
	THREAD_HELD, /* stopped by stacktool: not part of the run */
	THREAD_THROTTLED, /* it would run, but its cgroup has used up its quota */
	THREAD_NR_STATES,
};

/* `is_first`: the interval began before the thread's first switch, so no BPF program took its stack; user space may have. */
#define WALL_REASON(state, is_first) (0x40 | (is_first) << 4 | (state))

/* A sampled stack: `sum` is its share of the thread's waits in this state that were counted without a stack. */
#define WALL_SAMPLE(state) (0x60 | (state))
#define WALL_IS_SAMPLE(reason) ((reason) >> 5 & 1)

/* The parts of a record's id. Frames are always part of it. */
enum key_part {
	KEY_TGID = 1 << 0, /* process id, start time and exec id */
	KEY_TID = 1 << 1,
	KEY_COMM = 1 << 2,
	KEY_CGROUP = 1 << 3,
	KEY_PROBE = 1 << 4, /* the probe that was hit */
};

/* How events are collected. */
enum event_mode {
	EVENTS_BY_STACK = 0, /* counted by record */
	EVENTS_BY_PROBE, /* counted by probe, in st_tallies, without stacks */
	EVENTS_EACH, /* each is sent as a record with its time, not counted */
	EVENTS_BY_LENGTH, /* calls, counted by function and class of their length, without stacks: struct st_calls */
};

/* EVENTS_BY_LENGTH: what a place in a function does to a call. */
enum call_part {
	CALL_BEGINS = 0,
	CALL_ENDS,
	CALL_AT_ONCE, /* begins and ends: the function is a single return or jump */
	CALL_ENDS_ELSEWHERE, /* ends outside the bytes of the function, where other functions may end too */
	CALL_MAY_END, /* a jump that may lead to another function; what the thread does next decides */
};

/* What the scheduler's programs measure. */
enum measure {
	MEASURE_OFF_CPU = 0, /* from leaving the CPU to coming back, by sleeper */
	MEASURE_OFF_WAKE, /* the same, by sleeper and waker */
	MEASURE_WAKE, /* from leaving the CPU to being woken, by sleeper and waker */
};

enum off_cpu_part {
	PART_ALL = 0,
	PART_BLOCKED, /* up to the wakeup */
	PART_RUNQUEUE, /* from the wakeup until the thread runs */
};

enum thread_filter {
	THREADS_ALL = 0,
	THREADS_USER,
	THREADS_KERNEL,
};

enum state_filter {
	STATES_ALL = 0,
	STATES_MASK, /* `states` is a mask of the kernel's states; 0: only preempted threads */
	STATES_LETTERS, /* `states` has 1 << (letter - 'A') for upper case letters, and 1 << 31 for 't' */
};

/* How a program may read the current task. */
enum task_access {
	TASK_ACCESS_NONE = 0, /* not at all: start time and exec id stay 0 (5.10 under lockdown=confidentiality) */
	TASK_ACCESS_PROBE_READ, /* bpf_probe_read_kernel() of bpf_get_current_task() */
	TASK_ACCESS_BTF, /* bpf_get_current_task_btf(), dereferenced, where bpf_probe_read_kernel() is forbidden */
};

/* The order of the arguments of sched_switch after `preempt`, and where the state of the previous thread is. */
enum switch_order {
	SWITCH_PREV_NEXT = 0, /* no state: it is read from the thread */
	SWITCH_STATE_PREV_NEXT, /* commit fa2c3254d7cf ("sched/tracing: Don't re-read p->state …"), v5.18 */
	SWITCH_PREV_NEXT_STATE, /* commit 9c2136be0878 ("sched/tracing: Append prev_state to tp args instead"), v5.18 */
};
