/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The structures and constants that the BPF programs and user space share.
 *
 * Only bpf/ and core/session/ may include it (tests/lint/includes.sh); kinds.h and losses.h have what other rooms need. Sizes are asserted
 * and padding is explicit. All names begin with st_ or ST_: CO-RE would silently relocate a structure that has the name of a kernel type
 * (bpf/kernel.h).
 */
#pragma once

#include <linux/types.h>

#include "bpf/kinds.h"
#include "bpf/losses.h"

#define ST_MAX_FRAMES 127    /* frames of one stack: the default of the sysctl kernel.perf_event_max_stack */
#define ST_COMM_BYTES 16     /* TASK_COMM_LEN */

/* Of a deeper user stack, a record has the innermost and the outermost frames: bpf/unwind_deep.bpf.c. */
#define ST_INNER_FRAMES 64
#define ST_OUTER_RING 64 /* at least ST_MAX_FRAMES - ST_INNER_FRAMES, and a power of two */
#define ST_DEEPEST 2048 /* a walk stops after this many frames */
#define ST_OUTER_FRAMES_MAX (ST_DEEPEST - ST_MAX_FRAMES)
/* A CPU walks at most ST_DEEP_FRAMES frames past ST_MAX_FRAMES in 2^ST_DEEP_SHIFT ns: about 130 of the deepest stacks a second. */
#define ST_DEEP_SHIFT 30
#define ST_DEEP_FRAMES (1 << 18)

#ifndef ST_MAX_SLOTS /* a test variant has 1 */
#define ST_MAX_SLOTS 8 /* scratch slots per CPU: bpf/scratch.bpf.h */
#endif
#define ST_LAST_SENDERS 4096 /* entries of st_last_senders */
#define ST_REMAPS 4096 /* entries of st_control.remaps, a power of two */

#define ST_SYSCALL_EXIT (1ULL << 32) /* in a key of st_syscalls, added to the number of the system call: its end */

/* A seeded 128-bit hash of all key parts of a record. Zero: no id. */
struct st_id {
	__u64 lo, hi;
};

struct st_count {
	__u64 events;
	__u64 sum; /* nanoseconds, for the applets that measure time; else 0 */
};

enum st_message_kind {
	ST_MESSAGE_STACK = 1, /* struct st_stack: a record, once per id */
	ST_MESSAGE_DELTA = 2, /* struct st_delta: a count for which the count map had no room */
	ST_MESSAGE_WAKE = 3, /* struct st_delta without a count: the live map is half full, so user space must swap */
	ST_MESSAGE_PAIR = 4, /* struct st_pair: a sleeper and perhaps its waker, once per id */
	ST_MESSAGE_EVENT = 5, /* struct st_stack: one event; its id is unused */
	ST_MESSAGE_FUNCTION = 6, /* struct st_function: before the record that has it */
};

/*
 * How the walk of a user stack by unwind tables ended. With UNKNOWN, NO_PROCESS and NOT_64BIT, the stack was walked by frame pointers
 * instead. Each value from ST_END_ROOT on is counted as the loss of the same name.
 */
enum st_stack_end {
	ST_END_UNKNOWN = 0,
	ST_END_ROOT,
	ST_END_GUESSED, /* like ROOT, but at least one caller is a guess */
	ST_END_NO_PROCESS, /* the process is not known yet; with ST_UNWIND_TABLES this is ST_END_NO_TABLE */
	ST_END_NOT_64BIT,
	ST_END_NO_MAPPING, /* the code is outside the known mappings */
	ST_END_NO_ROW, /* no row and no frame pointer */
	ST_END_NO_TABLE, /* like NO_ROW, in a file whose table is not ready */
	ST_END_UNSUPPORTED, /* like NO_ROW; the table cannot express the rule of the file */
	ST_END_CUT, /* like NO_ROW, in a process with too many mappings (ST_SPACE_CUT) */
	ST_END_LOST, /* the row needs a register whose value is unknown */
	ST_END_BAD_CFA, /* the CFA is misaligned, or below the stack pointer */
	ST_END_UNREADABLE,
	ST_END_TRUNCATED,
	ST_END_DEEP, /* like TRUNCATED, because this CPU had walked ST_DEEP_FRAMES */
	ST_END_EXEC, /* by user space alone: the process was in the middle of execve() */
	ST_NR_ENDS
};

enum st_stack_flag {
	ST_STACK_FOREIGN = 1 << 0, /* the process is outside our pid namespace: ids are the kernel's own */
	ST_STACK_NO_START = 1 << 1, /* the start time and exec id could not be read */
	/* The event came in an interrupt; the record has nothing of the interrupted task. */
	ST_STACK_IN_SOFTIRQ = 1 << 2,
	ST_STACK_IN_IRQ = 1 << 3,
	ST_STACK_IN_NMI = 1 << 4,
	ST_STACK_LEAF_BY_FRAME = 1 << 5, /* the table has no row for the leaf; its caller was found by frame pointer */
	/* the user leaf was interrupted or faulted: it is not the return address of a system call */
	ST_STACK_LEAF_EXACT = 1 << 6,
	ST_STACK_ELIDED = 1 << 7, /* `elided` user frames are missing after the first ST_INNER_FRAMES */
};

/*
 * A record, sent when its id is first counted. The frames follow the head: nr_kernel kernel frames, then nr_user user frames, both leaf
 * first, then nr_python Python frames.
 *
 * The id is the hash of all words from `kind` to the last frame. Key parts that the plan does not use are zero. The words before `kind`
 * describe the first event only.
 */
struct st_stack_head {
	struct st_id id;
	__u64 time_ns; /* CLOCK_MONOTONIC, of the first event */
	__u16 cpu; /* of the first event */
	__u16 elided; /* of the first event: user frames that are missing (ST_STACK_ELIDED) */
	__u32 lost; /* EVENTS_EACH: the low half of st_control.lost at the event */
	__u8 kind; /* enum st_message_kind; every message has it at this offset */
	__u8 program; /* enum program_kind */
	__u8 flags; /* enum st_stack_flag */
	__u8 kernel_status; /* enum stack_status */
	__u8 user_status;
	__u8 user_end; /* enum st_stack_end */
	__u8 nr_kernel;
	__u8 nr_python; /* Python frames, two words each, after the user frames */
	__u8 nr_user;
	__u8 guess; /* number of the first user frame that is a guess (unwind_step.h); 0: none */
	__u16 remap; /* the process's element of st_control.remaps: when it changes, an address may be other code */
	__u32 tgid; /* set with KEY_TGID, and whenever there are user frames, because these are raw addresses */
	__u32 tid;
	__u32 generation; /* EVENTS_EACH, and in st_copies: the generation whose statistics count the event; else 0 */
	__u64 start_time_ns; /* of the thread group leader (task->start_time, CLOCK_MONOTONIC); 0 unknown */
	__u64 exec_id; /* task->self_exec_id, which changes at exec; 0 unknown */
	__u64 cgroup_id;
	__u64 probe; /* number of the place */
	__u64 caller; /* user frame that the walk missed, to be inserted after frame 0; 0: none */
	char comm[ST_COMM_BYTES];
};

#define ST_KEY_FIRST_WORD 4 /* index of the 8-byte word that begins with `kind` */
#define ST_HEAD_WORDS 14

struct st_stack {
	struct st_stack_head head;
	__u64 frames[2 * ST_MAX_FRAMES];
};

/* The least and the greatest number of elided frames in the events of a record with ST_STACK_ELIDED. */
struct st_depth {
	__u32 least, most;
};

/* The count of one event for which the count map had no room. */
struct st_delta {
	struct st_id id;
	struct st_count count;
	__u8 kind; /* ST_MESSAGE_DELTA or ST_MESSAGE_WAKE, at the same offset as in a record */
	__u8 generation;
	__u8 pad[6];
};

/*
 * A sleeper and its waker, by the ids of their records. Intervals are counted by the id of the pair. With by_duration, the id depends also
 * on the class of the interval's length (st_span_class()); with by_time, each interval has its own id.
 */
struct st_pair {
	struct st_id id;
	struct st_id sleeper;
	__u8 kind; /* ST_MESSAGE_PAIR, at the same offset as in a record */
	__u8 reason; /* enum waker_reason */
	__u8 pad[2];
	__u32 cpu; /* by_time: the CPU on which the interval ended; else 0 */
	struct st_id waker; /* 0: none */
	__u64 time_ns; /* by_time: when the interval ended, CLOCK_MONOTONIC; else 0. wall uses it for waits without a stack */
};

/* Rounds a number down to its three highest bits. */
static inline __attribute__((always_inline)) __u64 st_class(__u64 number)
{
	__u32 shift = 61 - __builtin_clzll(number | 7);

	return number >> shift << shift;
}

/* The class of a duration: that of its microseconds. User space computes the class of a count from its mean (core/base/durations.h). */
static inline __attribute__((always_inline)) __u64 st_span_class(__u64 span_ns)
{
	return st_class(span_ns / 1000);
}

/*
 * State of a thread, by the address of its task_struct. If `start_time_ns` differs from the thread's, the entry belongs to an ended thread
 * at the same address.
 */
struct st_task {
	__u64 start_time_ns;
	__u64 out_ns; /* when the thread left the CPU; 0: it runs, or this interval is not counted */
	__u64 in_ns; /* when it last came onto a CPU */
	__u64 waking_ns;
	__u64 waker_ns; /* when `waker` was written */
	struct st_id sleeper; /* the thread's record at out_ns */
	struct st_id waker;
	__u32 state; /* at out_ns; 0: the thread was preempted */
	__u32 running; /* 1: the last switch that the programs saw brought the thread onto a CPU */
	__u32 owner; /* of locks: ST_LOCK_OWNER() of the sleeper's record */
	__u32 own; /* of locks: the thread's id in its own pid namespace, by which st_threads has it; 0: not noted */
};

/*
 * State of a thread for `wall`, by the address of its task_struct, from its first event to its end. Time without a stack of its own stays
 * here until the thread ends, or the run does.
 */
struct st_wall {
	__u64 start_time_ns; /* of the thread */
	__u64 since_ns; /* when `state` began. What a switch changes is in one cache line: 56 bytes of the kernel are before the value. */
	__u32 state; /* enum thread_state */
	__u32 nr_waits; /* in total_ns */
	/* Time without stack that is in no sample yet: of waits, and of waits for a CPU. It begins with a random part of a period. */
	__u64 owed_ns[2];
	__u8 waits[2]; /* enum thread_state of those that have just ended, without stack: a wait, and one for a CPU; 0: none */
	__u8 due; /* bits: owed_ns[bit] has reached a period, so the stack is taken when the thread is back */
	__u8 owes; /* 1: owed_ns has been started */
	__u8 has_left; /* 1: the thread has left the CPU while it was followed */
	__u8 has_stack; /* 1: `sleeper` is its record when it last left the CPU */
	__u8 first_states[2]; /* of first_ns */
	__u64 total_ns[THREAD_NR_STATES]; /* without stack, by state */
	struct st_id sleeper;
	/* Before has_left: a wait, and one for a CPU after it, whose stack the iterator may have found before their end. */
	__u64 first_ns[2], first_end_ns;
	__u64 process_start_ns; /* of its process */
	__u32 tgid, tid; /* in our pid namespace; 0: outside. Kept, because an ending thread has no ids there */
	__u64 pad[4]; /* to whole cache lines */
};

#define ST_WALL_NEVER_NS (~0ULL >> 1) /* a bound of the window that is not known yet */
#define ST_WALL_PERIOD_NS 1000000 /* the shortest period of sampled waits */
#define ST_WALL_SLOT_NS 250000000 /* length of the slot to which the budget of stacks applies */

/* What runs on a CPU. It fills a cache line, so that CPUs do not share one. */
struct st_running {
	__u32 tgid; /* in the initial pid namespace; for --latency */
	__u32 is_due; /* st_wall.due of the thread that comes back */
	__u32 pad[14];
};

/* ---- calls: bpf/calls_abi.h has the rest ---- */

struct st_calls_config {
	__u32 unit_ns; /* the unit of the classes of lengths */
	__u32 levels; /* calls nested deeper than this are not counted; 0: the limit is ST_CALLS_MAX, and deeper calls are a loss */
	__u64 limit_ns; /* `slow`: what happens in calls of at least this length is counted; 0: in none */
	__u8 below; /* in calls that are shorter, instead */
	__u8 in_user_code; /* they are calls of user functions */
	__u8 in_order; /* an end is of the last call that has begun, wherever its stack is */
	__u8 pad[5];
};

/* The hash reads a record in parts of ST_PART_WORDS words, and each part in turns of ST_HASH_LANES. So it may read past the record. */
#define ST_RECORD_WORDS (ST_HEAD_WORDS + 2 * ST_MAX_FRAMES)
#define ST_HASH_LANES 4
#define ST_PART_WORDS 20
#define ST_HASHED_WORDS (ST_KEY_FIRST_WORD + 14 * ST_PART_WORDS)

#define ST_WINDOW_WORDS 64 /* words of the stack that the walk by frame pointers reads at once */

struct st_frames {
	__u64 frame; /* the frame pointer of the next frame */
	__u64 window_at; /* user address of the window */
	__u64 room; /* a frame pointer below window_at + room is in the window */
	__u64 window[ST_WINDOW_WORDS + 1]; /* memory that was read last; one word more, for the verifier */
	__u64 pc, sp, code_segment; /* of the leaf */
	__u64 return_at;
	__u32 at, until; /* index of the next frame in the record, and the first index that is too large */
	__u8 has_registers; /* the event has interrupted user mode */
	__u8 in_uprobes; /* the task has hit uprobes; struct st_uprobes is filled */
	__u8 only_uprobes; /* walk only such tasks; the kernel walks the others */
	__u8 pad[5];
};

/*
 * Words of the stack that the walk by tables reads at once. More than ST_WINDOW_WORDS, because a frame without frame pointer may be large:
 * stacks of clang need 0.36 reads per frame with 512 bytes, 0.22 with 2,048, in the same time per frame.
 */
#define ST_UNWIND_WINDOW_WORDS 256
#define ST_UNWIND_WINDOW_BYTES (8 * ST_UNWIND_WINDOW_WORDS)

#define ST_NR_REGISTERS 21

struct st_unwind {
	__u64 pc, sp, bp;
	__u64 low, high; /* the mapping that was found last, as in struct st_space_mapping */
	__u64 to_file;
	__u32 head, nr_pages, first_page, rules;
	__u64 space; /* of the process, as in struct st_unwind_process */
	__u64 rule; /* result of st_unwind_find() */
	__u64 order; /* where each register is in `registers`: ST_REGISTERS_PT or ST_REGISTERS_SIGCONTEXT */
	__u64 window_at;
	__u64 cfa; /* of the last frame */
	__u64 word; /* result of st_unwind_word() */
	__u64 room;
	__u64 window[ST_UNWIND_WINDOW_WORDS];
	__u64 registers[ST_NR_REGISTERS]; /* of the current frame; valid with `is_known` */
	__u32 tgid;
	__u32 slot; /* index of the scratch slot */
	__u32 at, until; /* index of the next frame in the record, and the first index that is too large */
	__u32 nr_outer, outer_until; /* frames past the record, and their limit */
	__u64 outer[ST_OUTER_RING]; /* frame n past the record is at n modulo the size */
	__u8 has_registers; /* the event interrupted user mode; a system call is then ruled out, even if orig_ax is set */
	__u8 is_call; /* pc is a return address: the row of pc - 1 applies */
	__u8 is_known; /* `registers` are those of this frame: no call is between them */
	__u8 is_bp_lost;
	__u8 by_frame; /* pc was found by a frame pointer and may not be code; if so, the walk ends with this enum st_stack_end */
	__u8 leaf_by_frame; /* `by_frame` of the leaf's caller */
	__u8 in_uprobes; /* the task has hit uprobes; struct st_uprobes is filled */
	__u8 is_place; /* pc comes from registers or from a signal frame, not from a return address on the stack */
	__u16 guess; /* number of the first guessed frame, among all frames; 0: none */
	__u16 nr_searched; /* words of the stack that were searched for return addresses */
	__u16 is_frame; /* the frame pointer can be followed */
	__u16 is_proved; /* the frame pointer is proved to be that of the current frame */
};

/* The deep stacks that a CPU has walked. */
struct st_deep {
	__u64 window; /* in units of 2^ST_DEEP_SHIFT ns */
	__u64 frames;
};

/* State of bpf/uprobes.bpf.c during a walk. Addresses are the user's, except cursor and next. */
struct st_uprobes {
	__u64 copy; /* of the copy of an instruction that the thread executes; 0: none */
	__u64 original; /* of that instruction */
	__u64 trampoline; /* the address by which return probes replace return addresses; 0: not read yet */
	__u64 cursor; /* kernel address of the walk's next struct return_instance */
	__u64 next; /* the same, for one search */
	__u64 pc, sp; /* in: registers, or a return address and its address on the stack; out: corrected */
	__u64 bp;
	__u64 caller; /* the return address that st_uprobes_prologue() found at `sp` */
	__u64 code[3];
	__u32 left; /* parts of the kernel's list that may still be searched */
	__u16 copy_bytes; /* size of the copy: the whole copy while the thread steps, 1 just before that, 0 without a copy */
	__u16 in_kernel; /* the thread entered the kernel by an interrupt or fault, not by a system call */
};

struct st_slot {
	__u32 claims; /* 1: claimed by one program (bpf/scratch.bpf.h) */
	__u32 pad;
	struct st_stack stack;
	__u64 behind[ST_HASHED_WORDS - ST_RECORD_WORDS]; /* the hash may read these words */
	union { /* a program walks in one of these two ways */
		struct st_frames walk;
		struct st_unwind unwind;
	};
	struct st_uprobes uprobes;
};

#define ST_WALL_SETTLED_NS 1000000 /* a state that differs for longer than this is not a switch in progress */
#define ST_LOOK_REGISTERS 34 /* longs of struct pt_regs that are read: x86_64 has 21; on arm64 pc is the 33rd */

enum st_look_flag {
	ST_LOOK_HAS_MEMORY = 1 << 0, /* the thread has user memory; so have workers of io_uring */
	ST_LOOK_HAS_REGISTERS = 1 << 1,
	ST_LOOK_ON_CPU = 1 << 2,
	ST_LOOK_HAS_WALL = 1 << 3,
	ST_LOOK_DIFFERS =
		1 << 4, /* for ST_WALL_SETTLED_NS, its entry in st_walls has had another state than the thread */
};

/* A thread, as bpf/on_task.bpf.c finds it. Only nr_kernel frames are sent. */
struct st_look {
	__u64 start_time_ns, leader_start_time_ns, exec_id;
	__u64 nr_voluntary, nr_involuntary;
	__u64 arrival_ns; /* when it last came onto a CPU, by the scheduler's clock; 0: unknown */
	__u64 reader_arrival_ns; /* arrival_ns of the thread that reads the iterator */
	__u32 tgid, tid; /* in our pid namespace; 0: outside */
	__u32 state, exit_state; /* the kernel's bits */
	__u32 task_flags; /* PF_* */
	__u64 task; /* address of the task_struct: key of st_walls */
	__u64 wall_start_time_ns, wall_since_ns; /* of its entry in st_walls; only with ST_LOOK_HAS_WALL */
	__u16 flags; /* enum st_look_flag */
	__s16 nr_kernel; /* negative: the walk failed */
	char comm[ST_COMM_BYTES];
	__u64 registers[ST_LOOK_REGISTERS]; /* the user registers, as in struct pt_regs */
	__u64 frames[ST_MAX_FRAMES]; /* kernel frames, leaf first */
};

#define ST_LOSS_OF_END(end) (ST_LOSS_USER_ROOT + (end) - ST_END_ROOT)
_Static_assert(ST_END_NO_TABLE == ST_END_NO_ROW + 1, "bpf/unwind.bpf.c adds");
_Static_assert((int)ST_LOSS_USER_GUESSED == (int)ST_LOSS_OF_END(ST_END_GUESSED) &&
		       (int)ST_LOSS_USER_NO_PROCESS == (int)ST_LOSS_OF_END(ST_END_NO_PROCESS) &&
		       (int)ST_LOSS_USER_NOT_64BIT == (int)ST_LOSS_OF_END(ST_END_NOT_64BIT) &&
		       (int)ST_LOSS_USER_NO_MAPPING == (int)ST_LOSS_OF_END(ST_END_NO_MAPPING) &&
		       (int)ST_LOSS_USER_NO_ROW == (int)ST_LOSS_OF_END(ST_END_NO_ROW) &&
		       (int)ST_LOSS_USER_NO_TABLE == (int)ST_LOSS_OF_END(ST_END_NO_TABLE) &&
		       (int)ST_LOSS_USER_UNSUPPORTED == (int)ST_LOSS_OF_END(ST_END_UNSUPPORTED) &&
		       (int)ST_LOSS_USER_CUT == (int)ST_LOSS_OF_END(ST_END_CUT) &&
		       (int)ST_LOSS_USER_LOST == (int)ST_LOSS_OF_END(ST_END_LOST) &&
		       (int)ST_LOSS_USER_BAD_CFA == (int)ST_LOSS_OF_END(ST_END_BAD_CFA) &&
		       (int)ST_LOSS_USER_UNREADABLE == (int)ST_LOSS_OF_END(ST_END_UNREADABLE) &&
		       (int)ST_LOSS_USER_TRUNCATED == (int)ST_LOSS_OF_END(ST_END_TRUNCATED) &&
		       (int)ST_LOSS_USER_DEEP == (int)ST_LOSS_OF_END(ST_END_DEEP) &&
		       (int)ST_LOSS_USER_EXEC == (int)ST_LOSS_OF_END(ST_END_EXEC),
	       "each end of a walk is a loss");

/*
 * Per CPU and generation. All members but lost_births only grow. Each event that a program sees is counted once: seen = filtered + recorded
 * + losses[SPILLED] + losses of class EVENT.
 */
struct st_stats {
	__u64 seen;
	__u64 filtered;
	__u64 recorded; /* events added to the live count map, or sent singly (EVENTS_EACH) */
	__u64 sent;
	__u64 period_sum; /* timed samples: sum of their periods */
	__u64 idle;
	__u64 late; /* with a constant period: periods that had no sample because the timer was late */
	/* births for which the first program had no room in st_children, minus births that only the second program handled */
	__u64 lost_births;
	__u64 losses[ST_NR_LOSSES];
};

/*
 * Shared by both sides while the programs run, through an mmap()ed array.
 *
 * The lowest bit of `generation` selects the count map and the statistics of an event. User space changes it, waits until all programs that
 * may have read the old value have finished, and reads the old half. So `seen` and the other numbers agree exactly for each interval.
 */
struct st_control {
	__u64 generation;
	__u64 inserted; /* ids that were new in a live map, over all CPUs */
	/* When `inserted` reaches this, a program wakes the reader once. User space sets it at each swap; 0: the ring refused a record. */
	__u64 wake_at;
	__u64 lost; /* EVENTS_EACH: events that were dropped, over all CPUs and both generations */
	__u64 paused; /* 1 while user space attaches or detaches probes: events are not counted */
	__u64 held; /* 1 while stacktool holds the command by ptrace(2): these stops are not time off the CPU */
	/* wall: its window. Before wall_begin_ns, threads are followed but nothing is counted. The sums below are over all threads. */
	__u64 wall_begin_ns, wall_end_ns;
	__u64 wall_lifetimes_ns; /* lifetimes of ended threads, within the window */
	__u64 wall_held_ns; /* time in THREAD_HELD */
	__u64 wall_level; /* nesting level of our pid namespace */
	__u64 wall_odd;
	__u64 wall_waits; /* waits without a stack of their own, of threads that have ended */
	__u64 wall_period_ns; /* period of sampled waits of each thread; 0: each wait has its stack */
	__u64 wall_slot_ns, wall_stacks; /* when the slot (ST_WALL_SLOT_NS) began, and the stacks taken in it */
	__u64 wall_sampled; /* 1: waits have been sampled */
	/*
	 * Counts how often a process has mapped other code where it had code, by tgid modulo the size; written by user space. If two
	 * processes share an element, some records are only sent again.
	 */
	__u16 remaps[ST_REMAPS];
};

#define ST_GENERATIONS 2

#define ST_NR_BIRTHS 4096 /* entries of st_births: more than the births between the two reports of one birth */

/* Events of a probe with EVENTS_BY_PROBE, per CPU. The numbers only grow. */
struct st_tally {
	__u64 events;
	__u64 filtered;
};

/* One of 2^bits runs is timed. Fewer for tallies: reading the clock twice would be most of their cost. */
#define ST_COST_BITS 6
#define ST_TALLY_COST_BITS 8
#define ST_COST_MOST_NS 1000000 /* longer runs are ignored: the program was preempted */

/* The timed runs of one probe, or of all if the kernel program does not tell probes apart; over all CPUs. The numbers only grow. */
struct st_cost {
	__u64 ns;
	__u64 runs;
	__u64 others_ns, others_runs; /* the part for events that a filter removed */
};

/* ---- configuration: constant when the programs are loaded, so that the verifier removes unused code ---- */

enum st_task_filter {
	ST_FILTER_NONE = 0,
	ST_FILTER_TGID, /* in map st_pids */
	ST_FILTER_TID,
};

#define ST_START_NS 10000000 /* the tick of start times in /proc/PID/stat (USER_HZ) */

enum st_python_mode {
	ST_PYTHON_OFF = 0,
	ST_PYTHON_WALK,
	ST_PYTHON_LATER, /* the programs hand over to those that walk Python frames as soon as these are loaded: ST_HAND_OVER() */
};

struct st_config {
	__u64 seed[2];
	__u64 pidns_device; /* of our pid namespace; 0: the initial one */
	__u64 pidns_inode;
	__u64 sample_period_ns; /* of a clock event with a constant period; else 0 */
	__u64 filter_start_ns; /* start time of `filter_single`: CLOCK_BOOTTIME in ticks of ST_START_NS; 0: unknown */
	__u64 ring_wake_bytes; /* the reader is woken when the ring has more unread bytes than this */
	__u64 cgroup_id; /* with use_cgroup, for the iterator of tasks: helpers see only the current task */
	__u32 key_parts; /* enum key_part */
	__u32 task_access;
	__u32 task_filter;
	__u32 filter_single; /* the only id of the filter; 0: the ids are in st_pids */
	__u32 use_cpus; /* only the CPUs in st_cpus */
	__u8 want_kernel;
	__u8 want_user;
	__u8 include_idle; /* profile -I: pid 0 too */
	__u8 use_cgroup_map; /* profile --cgroupmap */
	__u8 use_mntns_map;
	__u8 read_user; /* probes are at the entry of user functions, and bpf_probe_read_user() is allowed */
	__u8 mode; /* enum event_mode */
	__u8 use_cgroup; /* only tasks in the cgroup of st_cgroup or below it */
	__u8 has_cookie; /* the attach cookie is the number of the probe; otherwise `probe` is */
	__u8 alone; /* on a CPU, the kernel runs only one program of the session at a time: ST_ALONE */
	__u8 walk_frames; /* bpf/frames.bpf.c may walk: bpf_probe_read_user() and _kernel() are allowed */
	__u8 follow_children; /* with ST_FILTER_TGID: `filter_single` and its descendants */
	__u32 probe; /* number of the probe of this copy of the program */
	__u8 unwind;
	__u8 filters;
	__u8 follows_walls; /* wall: on_task creates and checks entries of st_walls */
	__u8 python;
	__u8 copies; /* samples of processes without tables are sent with a copy of their stack: st_copies */
	__u8 walks; /* with ST_PYTHON_WALK: walks_python or walks_php */
	__u8 walks_python, walks_php;
	__u8 latency; /* wall: the probe of a sample is the number of running threads of its process */
	__u32 wall_budget; /* stacks of waits per ST_WALL_SLOT_NS; 0: no limit */
	__u32 nr_cpus; /* number of possible CPUs, with `latency` */
	__u32 filter_pidns; /* only tasks in the pid namespace with this inode, or below it; 0: all */
	__u32 pidns_level; /* level of that namespace; the initial one has 0 */
};

/* Whether any filter on tasks or CPUs is set. One byte for all six, so that the verifier removes one branch instead of six. */
static inline __attribute__((always_inline)) __u8 st_has_filters(const struct st_config *config)
{
	return config->use_cpus || config->task_filter != ST_FILTER_NONE || config->use_cgroup ||
	       config->use_cgroup_map || config->use_mntns_map || config->filter_pidns;
}

/* The CPUs of the filter are bits of the constant st_cpus. */
#define ST_CPU_WORDS 64
#define ST_MAX_CPUS (ST_CPU_WORDS * 64)

enum st_unwind_mode {
	ST_UNWIND_OFF = 0,
	ST_UNWIND_AUTO, /* by tables, and by frame pointers where there are none */
	ST_UNWIND_TABLES, /* only by tables */
};

/*
 * A constant that stands for the address of the kernel's per-CPU preemption count. core/session/preempt_count.h replaces it by the BTF id
 * of the variable.
 */
#define ST_PREEMPT_COUNT_MARK 0x73745f5f70637274

struct st_offcpu_config {
	__u64 min_ns, max_ns; /* both inclusive */
	__u64 begun_ns; /* when tracing began: an older thread may have left the CPU before */
	__u8 measure;
	__u8 part;
	__u8 switch_order;
	__u8 thread_filter;
	__u8 state_filter;
	__u8 by_duration;
	__u8 by_time; /* each interval has its own id, and the time of its end */
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
_Static_assert(ST_OUTER_RING >= ST_MAX_FRAMES - ST_INNER_FRAMES && !(ST_OUTER_RING & (ST_OUTER_RING - 1)),
	       "the ring has the outermost frames");
ST_ASSERT_SIZE(struct st_pair, 64);
ST_ASSERT_SIZE(struct st_task, 88);
ST_ASSERT_SIZE(struct st_offcpu_config, 40);
ST_ASSERT_SIZE(struct st_tally, 16);
ST_ASSERT_SIZE(struct st_cost, 32);
_Static_assert(__builtin_offsetof(struct st_pair, kind) == 8 * ST_KEY_FIRST_WORD, "kind of every message");
_Static_assert(__builtin_offsetof(struct st_stack_head, kind) == 8 * ST_KEY_FIRST_WORD, "key starts at kind");
_Static_assert(__builtin_offsetof(struct st_delta, kind) == 8 * ST_KEY_FIRST_WORD, "kind of every message");
_Static_assert(ST_PART_WORDS % ST_HASH_LANES == 0 && ST_HASHED_WORDS >= ST_RECORD_WORDS + ST_HASH_LANES - 1,
	       "whole parts only, of whole turns");
ST_ASSERT_SIZE(struct st_wall, 256 - 56);
ST_ASSERT_SIZE(struct st_look, 112 + 16 + 8 * (ST_LOOK_REGISTERS + ST_MAX_FRAMES));
ST_ASSERT_SIZE(struct st_uprobes, 104);
ST_ASSERT_SIZE(struct st_slot, 8 + 112 + 16 * ST_MAX_FRAMES + 192 +
				       8 * (ST_UNWIND_WINDOW_WORDS + ST_NR_REGISTERS + 12 + ST_OUTER_RING) + 104);
ST_ASSERT_SIZE(struct st_config, 128);
