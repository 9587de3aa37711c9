/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The structures and constants that the kernel side and the user side share.
 *
 * Only bpf/ and core/session/ see it (tests/lint/includes.sh); what other rooms need of it is in kinds.h and
 * losses.h. All sizes are asserted, padding is written out, and every name starts with st_ or ST_: a structure with
 * the name of a kernel type (bpf/kernel.h) would silently become a CO-RE relocation.
 */
#pragma once

#ifndef __VMLINUX_H__
#include <linux/types.h>
#endif

#include "bpf/kinds.h"
#include "bpf/losses.h"

#define ST_MAX_FRAMES 127    /* frames of one stack: sysctl kernel.perf_event_max_stack at its default */
#define ST_COMM_BYTES 16     /* TASK_COMM_LEN */
#ifndef ST_MAX_SLOTS         /* the tests build a variant with one */
#define ST_MAX_SLOTS 8       /* scratch slots per CPU; claimed in order, see bpf/scratch.bpf.h */
#endif
#define ST_LAST_SENDERS 4096   /* entries of the cache of the processes that sent a record last */

#define ST_SYSCALL_EXIT (1ULL << 32) /* in a key of st_syscalls, beside the number: the end of the call */

/* ---- identity ---- */

/* Seeded 128-bit hash over all key parts of a record. Zero is not a valid id. */
struct st_id {
	__u64 lo, hi;
};

/* The numbers of an id. */
struct st_count {
	__u64 events;
	__u64 sum; /* what the applet adds up (nanoseconds, bytes); 0 where it only counts */
};

/* ---- messages in the ring ---- */

enum st_message_kind {
	ST_MESSAGE_STACK = 1, /* struct st_stack: a record, once per id */
	ST_MESSAGE_DELTA = 2, /* struct st_delta: a count that found no room in the map */
	ST_MESSAGE_POKE = 3,  /* struct st_delta without a count: the live map is half full, swap it */
	ST_MESSAGE_PAIR = 4,  /* struct st_pair: a sleeper and perhaps its waker, once per id */
	ST_MESSAGE_EVENT = 5, /* struct st_stack: one event, whose id means nothing */
};

/*
 * How the walk of a user stack by unwind tables ended, or why frame pointers led instead: ST_END_NO_PROCESS,
 * ST_END_NOT_64BIT, ST_END_UNKNOWN for any other reason. From ST_END_ROOT on each is counted as the loss of the same
 * name.
 */
enum st_stack_end {
	ST_END_UNKNOWN = 0,
	ST_END_ROOT,
	/* nothing is known of the process yet; by tables alone it is ST_END_NO_TABLE */
	ST_END_NO_PROCESS,
	ST_END_NOT_64BIT, /* the process runs 32-bit code */
	ST_END_NO_MAPPING, /* the code is in no mapping that is known */
	ST_END_NO_ROW, /* no row and no frame pointer */
	ST_END_NO_TABLE, /* the same in a file whose table is still being made; by tables alone also in a process not known yet */
	ST_END_UNSUPPORTED, /* the same where the file has a row that rules cannot express */
	ST_END_CUT, /* the same in a process of so many mappings that not all are known (ST_SPACE_CUT) */
	ST_END_LOST, /* the row asks for a register that is not known there */
	ST_END_BAD_CFA, /* the row leads down the stack or nowhere */
	ST_END_UNREADABLE,
	ST_END_TRUNCATED,
	ST_NR_ENDS
};

enum st_stack_flag {
	ST_STACK_FOREIGN = 1 << 0, /* the process lives outside our pid namespace: ids are the kernel's own */
	ST_STACK_NO_START = 1 << 1, /* start time and exec id could not be read in this program on this kernel */
	/* The event came in interrupt context: the record does not name the task that was interrupted. */
	ST_STACK_IN_SOFTIRQ = 1 << 2,
	ST_STACK_IN_IRQ = 1 << 3,
	ST_STACK_IN_NMI = 1 << 4,
	ST_STACK_LEAF_BY_FRAME = 1 << 5, /* the walk by tables had no row for the leaf: a frame pointer led on */
	/* An interrupt or a fault ended user mode: the user leaf has not run yet. After a system call it is the next instruction. */
	ST_STACK_LEAF_EXACT = 1 << 6,
};

/*
 * A record: one per distinct id, sent when the id is first counted. The frames follow the head: nr_kernel frames leaf
 * first, then nr_user frames leaf first.
 *
 * The identity is the hash of all words from `kind` to the last frame; key parts that the plan does not ask for are
 * zero. What stands before `kind` describes the first event only.
 */
struct st_stack_head {
	struct st_id id;
	__u64 time_ns; /* CLOCK_MONOTONIC, of the first event */
	__u32 cpu; /* of the first event */
	__u32 lost; /* EVENTS_EACH: the low half of st_control.lost when the event came */
	__u8 kind; /* enum st_message_kind; every message has it at this offset */
	__u8 program; /* enum program_kind */
	__u8 flags; /* enum st_stack_flag */
	__u8 kernel_status; /* enum stack_status */
	__u8 user_status;
	__u8 user_end; /* enum st_stack_end */
	__u16 nr_kernel;
	__u16 nr_user;
	__u16 pad2;
	__u32 tgid; /* set also without KEY_TGID as long as there are user frames: they are raw addresses */
	__u32 tid;
	__u32 generation; /* EVENTS_EACH: whose statistics have the event; else 0 */
	__u64 start_time_ns; /* of the thread group leader (task->start_time, CLOCK_MONOTONIC); 0 unknown */
	__u64 exec_id; /* task->self_exec_id, changes at exec; 0 unknown */
	__u64 cgroup_id; /* cgroup v2 */
	__u64 probe; /* attach cookie */
	__u64 caller; /* user frame that belongs behind frame 0, where the walk left it out; 0: nothing left out */
	char comm[ST_COMM_BYTES];
};

#define ST_KEY_FIRST_WORD 4 /* of a struct st_stack, in words of 8 bytes: `kind` and what follows */
#define ST_HEAD_WORDS 14

struct st_stack {
	struct st_stack_head head;
	__u64 frames[2 * ST_MAX_FRAMES];
};

/* One event whose count could not be put into the map: the count itself, sent instead. */
struct st_delta {
	struct st_id id;
	struct st_count count;
	__u8 kind; /* ST_MESSAGE_DELTA, at the same offset as in a record */
	__u8 generation; /* the one the event belongs to */
	__u8 pad[6];
};

/*
 * A sleeper and its waker, by the ids of their records; counted under an id of its own. Intervals of different classes
 * of length (st_span_class()) have different ids, where that is asked for, and each interval where its time is.
 */
struct st_pair {
	struct st_id id;
	struct st_id sleeper;
	__u8 kind; /* ST_MESSAGE_PAIR, at the same offset as in a record */
	__u8 reason; /* enum waker_reason */
	__u8 pad[2];
	__u32 cpu; /* on which the interval ended; 0 where its time is not asked for */
	struct st_id waker; /* 0 without one */
	__u64 time_ns; /* when it ended, CLOCK_MONOTONIC; 0 where that is not asked for */
};

/* ---- threads off the CPU ---- */

/*
 * The class of a duration: its microseconds without all but the three highest bits. User space finds the class of a
 * count again by its mean (core/base/durations.h).
 */
static inline __attribute__((always_inline)) __u64 st_span_class(__u64 span_ns)
{
	__u64 us = span_ns / 1000;
	__u32 shift = 61 - __builtin_clzll(us | 7);

	return us >> shift << shift;
}

/*
 * What is known of a thread, by the address of its task_struct. An entry lives as long as the thread and is changed in
 * place; `start_time_ns` tells it from one that was left behind by another thread at the same address.
 */
struct st_task {
	__u64 start_time_ns;
	__u64 out_ns; /* when it left the CPU; 0 while it runs, or when this interval is not wanted */
	__u64 in_ns; /* when it last came onto a CPU */
	__u64 waking_ns; /* when it was last woken */
	__u64 waker_ns; /* when `waker` was written */
	struct st_id sleeper; /* its record at out_ns */
	struct st_id waker;
	__u32 state; /* at out_ns, 0 when it was preempted */
	__u32 running; /* the last switch that was seen brought it onto a CPU */
};

/* ---- scratch ---- */

/* The hash goes over a record in parts of whole turns of its lanes: it looks at some words behind it. */
#define ST_RECORD_WORDS (ST_HEAD_WORDS + 2 * ST_MAX_FRAMES)
#define ST_HASH_LANES 4
#define ST_PART_WORDS 40
#define ST_HASHED_WORDS (ST_KEY_FIRST_WORD + 7 * ST_PART_WORDS)

/* Of the stack, in one read of the walk by frame pointers. That by tables has ST_UNWIND_WINDOW_WORDS. */
#define ST_WINDOW_WORDS 64

/* What bpf/frames.bpf.c needs for a walk. */
struct st_frames {
	__u64 frame; /* the frame pointer of the next frame */
	__u64 window_at; /* user address of the window */
	__u64 room; /* a frame below window_at + room lies in the window */
	__u64 window[ST_WINDOW_WORDS + 1]; /* what was read last; one word more than is filled, for the verifier */
	__u64 pc, sp, code_segment; /* of the leaf */
	__u64 return_at; /* user address of the return address that was stored last */
	__u32 at, until; /* where the next frame goes, and where no more go */
	__u8 has_registers; /* those of the program's own context are here; otherwise the task's are read */
	__u8 in_uprobes; /* the task has met uprobes: struct st_uprobes is filled */
	__u8 only_uprobes; /* the walk is left to the kernel where it has not */
	__u8 pad[5];
};

/*
 * How much of the stack one read brings: a frame without frame pointer may be large. Clang's stacks take 0.36 reads a
 * frame with 512 bytes, and 0.22 with 2,048; a frame takes no longer with these.
 */
#define ST_UNWIND_WINDOW_WORDS 256
#define ST_UNWIND_WINDOW_BYTES (8 * ST_UNWIND_WINDOW_WORDS)

#define ST_NR_REGISTERS 21 /* longs of the kernel's struct pt_regs on x86_64 */

/* What bpf/unwind.bpf.c needs for a walk: the registers and what was read last. */
struct st_unwind {
	__u64 pc, sp, bp;
	__u64 low, high; /* the mapping that was found last, as in struct st_space_mapping */
	__u64 to_file;
	__u32 head, nr_pages, first_page, rules;
	__u64 space; /* of the process, as in struct st_unwind_process */
	__u64 rule; /* that st_unwind_find() has found */
	__u64 order; /* where `registers` has which, as ST_REGISTERS_PT */
	__u64 window_at; /* user address of the window */
	__u64 cfa; /* of the frame that is left */
	__u64 word; /* that st_unwind_word() has read */
	__u64 room; /* a word below window_at + room lies in the window; 0: nothing does */
	__u64 window[ST_UNWIND_WINDOW_WORDS];
	__u64 registers[ST_NR_REGISTERS]; /* all of them, where `is_known` */
	__u32 tgid;
	__u32 slot; /* of which this is the state */
	__u32 at; /* where the next frame goes, and the first place behind the last one */
	__u32 until;
	__u8 has_registers; /* the event has interrupted user mode: no system call, whatever the registers say */
	__u8 is_call; /* pc is a return address: its row is that of pc - 1 */
	__u8 is_known; /* no call lies between `registers` and this frame */
	__u8 is_bp_lost;
	__u8 by_frame; /* the end that a frame pointer led past: pc has to prove that it is code */
	__u8 leaf_by_frame; /* `by_frame` behind the leaf */
	__u8 in_uprobes; /* the task has met uprobes: struct st_uprobes is filled */
	__u8 is_place; /* pc is where the thread was, or a signal's frame says so; not a return address off the stack */
};

/* What bpf/uprobes.bpf.c knows of the task, during one walk, and what it is asked. */
struct st_uprobes {
	__u64 copy; /* where the thread executes the copy of an instruction */
	__u64 original; /* where the instruction stands */
	__u64 trampoline; /* where return probes lead returns to; 0: not asked yet */
	__u64 cursor; /* kernel address of the struct return_instance that is next in the walk */
	__u64 next; /* the same, of a search */
	__u64 pc, sp; /* where the thread is, or a return address and where it lies; afterwards the true ones */
	__u64 bp;
	__u64 caller; /* the return address that st_uprobes_prologue() has found at `sp` */
	__u64 code[3]; /* of the user, read last */
	__u32 left; /* so many parts of the list may still be looked at */
	__u16 copy_bytes; /* of the copy: all of it while the thread steps, 1 while it is about to, 0 when it has none */
	__u16 in_kernel; /* the thread is in the kernel, without having called it */
};

struct st_slot {
	__u32 claims; /* 1: owned; see bpf/scratch.bpf.h for the protocol */
	__u32 pad;
	struct st_stack stack;
	__u64 behind[ST_HASHED_WORDS - ST_RECORD_WORDS];
	union { /* a program walks in one way only */
		struct st_frames walk;
		struct st_unwind unwind;
	};
	struct st_uprobes uprobes;
};

/* ---- accounting ---- */

#define ST_LOSS_OF_END(end) (ST_LOSS_USER_ROOT + (end) - ST_END_ROOT)
_Static_assert(ST_END_NO_TABLE == ST_END_NO_ROW + 1, "bpf/unwind.bpf.c adds");
_Static_assert((int)ST_LOSS_USER_NO_PROCESS == (int)ST_LOSS_OF_END(ST_END_NO_PROCESS) &&
		       (int)ST_LOSS_USER_NOT_64BIT == (int)ST_LOSS_OF_END(ST_END_NOT_64BIT) &&
		       (int)ST_LOSS_USER_NO_MAPPING == (int)ST_LOSS_OF_END(ST_END_NO_MAPPING) &&
		       (int)ST_LOSS_USER_NO_ROW == (int)ST_LOSS_OF_END(ST_END_NO_ROW) &&
		       (int)ST_LOSS_USER_NO_TABLE == (int)ST_LOSS_OF_END(ST_END_NO_TABLE) &&
		       (int)ST_LOSS_USER_UNSUPPORTED == (int)ST_LOSS_OF_END(ST_END_UNSUPPORTED) &&
		       (int)ST_LOSS_USER_CUT == (int)ST_LOSS_OF_END(ST_END_CUT) &&
		       (int)ST_LOSS_USER_LOST == (int)ST_LOSS_OF_END(ST_END_LOST) &&
		       (int)ST_LOSS_USER_BAD_CFA == (int)ST_LOSS_OF_END(ST_END_BAD_CFA) &&
		       (int)ST_LOSS_USER_UNREADABLE == (int)ST_LOSS_OF_END(ST_END_UNREADABLE) &&
		       (int)ST_LOSS_USER_TRUNCATED == (int)ST_LOSS_OF_END(ST_END_TRUNCATED),
	       "each end of a walk is a loss");

/*
 * Per CPU and generation; all but lost_births only grow. Each event that a program sees is in one place:
 * seen = filtered + recorded + losses[SPILLED] + losses of class EVENT.
 */
struct st_stats {
	__u64 seen;
	__u64 filtered;
	__u64 recorded; /* events added to the live count map, or sent one by one */
	__u64 sent; /* records put into the ring */
	__u64 period_sum; /* perf_event: sum of the sample periods */
	__u64 idle; /* perf_event: samples of the idle task */
	__u64 late; /* perf_event with a constant period: periods that passed before a sample that came late */
	/* Births for which the first program had no room, less those that the second one dealt with in its place. */
	__u64 lost_births;
	__u64 losses[ST_NR_LOSSES];
};

/*
 * Shared by both sides while the programs run, through an mmap()ed array.
 *
 * `generation` is the one word that decides where an event goes: its lowest bit selects the count map and the
 * statistics together. User space changes it, waits until every program that may have read the old value has finished,
 * and then owns the old half; so the identities hold exactly for every interval.
 */
struct st_control {
	__u64 generation;
	__u64 inserted; /* ids that were new in a live map, over all CPUs; written by the programs */
	/* Wake the reader once when `inserted` reaches this. User space writes it at each swap; 0: the ring refused a record. */
	__u64 poke_at;
	__u64 lost; /* EVENTS_EACH: events that were not sent, over all CPUs and both generations */
	__u64 shut; /* 1 while probes are attached or removed one after the other: their events are not counted */
};

#define ST_GENERATIONS 2

/* Births between the two reports of one birth; more would have to pass while a thread is in fork(). */
#define ST_NR_BIRTHS 4096

/* Events of a probe that is only counted, per CPU. Only ever added to. */
struct st_tally {
	__u64 events;
	__u64 filtered; /* left out by a filter */
};

/* ---- cost ---- */

/* One of 2^bits runs is timed: counting alone is so cheap that two readings of the clock would be most of its cost. */
#define ST_COST_BITS 6
#define ST_TALLY_COST_BITS 8
#define ST_COST_MOST_NS 1000000 /* a run that took longer was preempted: its time says nothing */

/* The timed runs of one probe, or of all where probes are not distinguished; over all CPUs. Only ever added to. */
struct st_cost {
	__u64 ns;
	__u64 runs;
};

/* Per-CPU grid of a timed sample with a constant period: tells late samples from skipped ones. */
struct st_grid {
	__u64 first_ns; /* time of the first sample; 0 none yet */
	__u64 last; /* number of periods from first_ns to the last sample */
};

/* ---- configuration: constant while a program runs, so that the verifier prunes by it ---- */

enum st_task_filter {
	ST_FILTER_NONE = 0,
	ST_FILTER_TGID, /* in map st_pids */
	ST_FILTER_TID,
};

struct st_config {
	__u64 seed[2];
	__u64 pidns_device; /* our pid namespace when it is not the initial one, else 0 */
	__u64 pidns_inode;
	__u64 sample_period_ns; /* of a clock event with a constant period, else 0 */
	__u64 ring_wake_bytes; /* wake the reader when this much waits in the ring */
	__u32 key_parts; /* enum key_part */
	__u32 task_access; /* enum task_access */
	__u32 task_filter; /* enum st_task_filter */
	__u32 filter_single; /* the one id of the filter, or 0: look it up in st_pids */
	__s32 cpu; /* only this CPU; -1 all */
	__u8 want_kernel;
	__u8 want_user;
	__u8 include_idle; /* profile -I: pid 0 too */
	__u8 use_cgroup_map; /* profile --cgroupmap */
	__u8 use_mntns_map; /* profile --mntnsmap */
	__u8 read_user; /* a user probe at function entry, and bpf_probe_read_user() is allowed (not by lockdown) */
	__u8 mode; /* enum event_mode */
	__u8 use_cgroup; /* only tasks in the cgroup of st_cgroup, or below it */
	__u8 has_cookie; /* the attach cookie is the number of the probe; otherwise `probe` is */
	__u8 alone; /* the kernel never runs two programs that record on one CPU at a time: see ST_NOTE() */
	/* User stacks are walked by bpf/frames.bpf.c, which takes bpf_probe_read_user() and _kernel(). */
	__u8 walk_frames;
	__u8 follow_children; /* with ST_FILTER_TGID: of `filter_single` and of whatever it starts */
	__u32 probe; /* number of the probe of this copy of the program */
	__u8 unwind; /* enum st_unwind_mode; anything but OFF takes bpf_probe_read_user() too */
	__u8 filters; /* st_has_filters(): without one, nobody has to be asked who runs */
	__u8 pad1[2];
	__u32 filter_pidns; /* only tasks in the pid namespace with this inode number, or below it; 0: all */
	__u32 pidns_level; /* of that namespace; the initial one has 0 */
};

/* Whether any filter could leave an event out. One byte for all six, so that the verifier removes one branch, not six. */
static inline __attribute__((always_inline)) __u8 st_has_filters(const struct st_config *config)
{
	return config->cpu >= 0 || config->task_filter != ST_FILTER_NONE || config->use_cgroup ||
	       config->use_cgroup_map || config->use_mntns_map || config->filter_pidns;
}

/* How user stacks are walked. */
enum st_unwind_mode {
	ST_UNWIND_OFF = 0, /* by the kernel, by frame pointers */
	ST_UNWIND_AUTO, /* by tables, by frame pointers where there are none */
	ST_UNWIND_TABLES, /* by tables alone */
};

/*
 * Stands in the code for the address of the kernel's per-CPU preemption count: user space puts the BTF id of the
 * variable there. The two halves are in two instructions.
 */
#define ST_PREEMPT_COUNT_MARK 0x73745f5f70637274

struct st_offcpu_config {
	__u64 min_ns, max_ns; /* both inclusive */
	__u64 begun_ns; /* threads that are older were there when tracing began */
	__u8 measure; /* enum measure */
	__u8 part; /* enum off_cpu_part */
	__u8 switch_order; /* enum switch_order */
	__u8 thread_filter; /* enum thread_filter */
	__u8 state_filter; /* enum state_filter */
	__u8 by_duration; /* intervals of different classes of length have ids of their own */
	__u8 by_time; /* each interval has an id of its own, and says when it ended */
	__u8 pad;
	__u32 states;
	__u32 pad1;
};

#define ST_ASSERT_SIZE(type, bytes) _Static_assert(sizeof(type) == (bytes), #type " changed size")
ST_ASSERT_SIZE(struct st_id, 16);
ST_ASSERT_SIZE(struct st_count, 16);
ST_ASSERT_SIZE(struct st_stack_head, 8 * ST_HEAD_WORDS);
ST_ASSERT_SIZE(struct st_stack, 112 + 16 * ST_MAX_FRAMES);
ST_ASSERT_SIZE(struct st_delta, 40);
ST_ASSERT_SIZE(struct st_pair, 64);
ST_ASSERT_SIZE(struct st_task, 80);
ST_ASSERT_SIZE(struct st_offcpu_config, 40);
ST_ASSERT_SIZE(struct st_tally, 16);
ST_ASSERT_SIZE(struct st_cost, 16);
_Static_assert(__builtin_offsetof(struct st_pair, kind) == 8 * ST_KEY_FIRST_WORD, "kind of every message");
_Static_assert(__builtin_offsetof(struct st_stack_head, kind) == 8 * ST_KEY_FIRST_WORD, "key starts at kind");
_Static_assert(__builtin_offsetof(struct st_delta, kind) == 8 * ST_KEY_FIRST_WORD, "kind of every message");
_Static_assert(ST_PART_WORDS % ST_HASH_LANES == 0 && ST_HASHED_WORDS >= ST_RECORD_WORDS + ST_HASH_LANES - 1,
	       "whole parts only, of whole turns");
ST_ASSERT_SIZE(struct st_uprobes, 104);
ST_ASSERT_SIZE(struct st_slot,
	       8 + 112 + 16 * ST_MAX_FRAMES + 192 + 8 * (ST_UNWIND_WINDOW_WORDS + ST_NR_REGISTERS + 10) + 104);
ST_ASSERT_SIZE(struct st_config, 96);
