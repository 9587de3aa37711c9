/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The structures and constants that the BPF programs and user space share.
 *
 * Only bpf/ and core/session/ may include it (tests/lint/includes.sh); kinds.h and losses.h have what other rooms need. Sizes are
 * asserted and padding is explicit. All names begin with st_ or ST_: a structure with the name of a kernel type (bpf/kernel.h) would
 * silently be relocated by CO-RE.
 */
#pragma once

#include <linux/types.h>

#include "bpf/kinds.h"
#include "bpf/losses.h"

#define ST_MAX_FRAMES 127    /* frames of one stack: sysctl kernel.perf_event_max_stack at its default */
#define ST_COMM_BYTES 16     /* TASK_COMM_LEN */

/* A record has the innermost and the outermost frames of a deeper user stack: bpf/unwind_deep.bpf.c. */
#define ST_INNER_FRAMES 64
#define ST_OUTER_RING 64 /* at least ST_MAX_FRAMES - ST_INNER_FRAMES, and a power of two */
#define ST_DEEPEST 2048 /* frames after which a walk gives up */
#define ST_OUTER_FRAMES_MAX (ST_DEEPEST - ST_MAX_FRAMES)
/* In each 2^ST_DEEP_SHIFT ns, a CPU walks at most so many frames past ST_MAX_FRAMES: 130 walks of the deepest stack a second. */
#define ST_DEEP_SHIFT 30
#define ST_DEEP_FRAMES (1 << 18)

#ifndef ST_MAX_SLOTS /* the tests build a variant with one */
#define ST_MAX_SLOTS 8 /* scratch slots per CPU: bpf/scratch.bpf.h */
#endif
#define ST_LAST_SENDERS 4096 /* entries of st_last_senders */
#define ST_REMAPS 4096 /* entries of st_control.remaps, a power of two */

#define ST_SYSCALL_EXIT (1ULL << 32) /* added to a number in the keys of st_syscalls: the end of that call */

/* ---- identity ---- */

/* A seeded 128-bit hash of all key parts of a record. Zero: no id. */
struct st_id {
	__u64 lo, hi;
};

/* What is counted for an id. */
struct st_count {
	__u64 events;
	__u64 sum; /* nanoseconds, for the applets that measure time; else 0 */
};

/* ---- messages in the ring ---- */

enum st_message_kind {
	ST_MESSAGE_STACK = 1, /* struct st_stack: a record, once per id */
	ST_MESSAGE_DELTA = 2, /* struct st_delta: a count that did not fit into the map */
	ST_MESSAGE_WAKE = 3, /* struct st_delta without a count: the live map is half full, swap it */
	ST_MESSAGE_PAIR = 4, /* struct st_pair: a sleeper and perhaps its waker, once per id */
	ST_MESSAGE_EVENT = 5, /* struct st_stack: one event; its id is not used */
};

/*
 * How the walk of a user stack by unwind tables ended. NO_PROCESS, NOT_64BIT and UNKNOWN: it was walked by frame pointers instead,
 * UNKNOWN for any other reason. From ST_END_ROOT on, each is counted as the loss of the same name.
 */
enum st_stack_end {
	ST_END_UNKNOWN = 0,
	ST_END_ROOT,
	ST_END_GUESSED, /* the same, but a caller was found by guess */
	ST_END_NO_PROCESS, /* nothing is known of the process yet; with ST_UNWIND_TABLES it is ST_END_NO_TABLE */
	ST_END_NOT_64BIT, /* the process runs 32-bit code */
	ST_END_NO_MAPPING, /* the code is in no known mapping */
	ST_END_NO_ROW, /* no row and no frame pointer */
	ST_END_NO_TABLE, /* the same, in a file whose table is not ready */
	ST_END_UNSUPPORTED, /* the same; the file has a row that rules cannot express */
	ST_END_CUT, /* the same, in a process with more mappings than are known (ST_SPACE_CUT) */
	ST_END_LOST, /* the row needs a register whose value is unknown */
	ST_END_BAD_CFA, /* the CFA is misaligned, or below the stack pointer */
	ST_END_UNREADABLE,
	ST_END_TRUNCATED,
	ST_END_DEEP, /* the same, because this CPU had walked ST_DEEP_FRAMES */
	ST_NR_ENDS
};

enum st_stack_flag {
	ST_STACK_FOREIGN = 1 << 0, /* the process is outside our pid namespace: ids are the kernel's own */
	ST_STACK_NO_START = 1 << 1, /* start time and exec id could not be read */
	/* The event came in an interrupt: the record does not have the interrupted task. */
	ST_STACK_IN_SOFTIRQ = 1 << 2,
	ST_STACK_IN_IRQ = 1 << 3,
	ST_STACK_IN_NMI = 1 << 4,
	ST_STACK_LEAF_BY_FRAME = 1 << 5, /* the table had no row for the leaf, so its caller is by frame pointer */
	ST_STACK_LEAF_EXACT = 1 << 6, /* the user leaf was interrupted or has faulted; it is not after a system call */
	ST_STACK_ELIDED = 1 << 7, /* after ST_INNER_FRAMES user frames, `elided` ones are missing */
};

/*
 * A record: sent when its id is first counted. The frames follow the head: nr_kernel frames, then nr_user frames, both leaf first.
 *
 * The identity is the hash of all words from `kind` to the last frame; key parts that the plan does not want are zero. The words before
 * `kind` describe the first event only.
 */
struct st_stack_head {
	struct st_id id;
	__u64 time_ns; /* CLOCK_MONOTONIC, of the first event */
	__u16 cpu; /* of the first event */
	__u16 elided; /* of the first event: user frames that the record does not have (ST_STACK_ELIDED) */
	__u32 lost; /* EVENTS_EACH: the low half of st_control.lost when the event came */
	__u8 kind; /* enum st_message_kind; every message has it at this offset */
	__u8 program; /* enum program_kind */
	__u8 flags; /* enum st_stack_flag */
	__u8 kernel_status; /* enum stack_status */
	__u8 user_status;
	__u8 user_end; /* enum st_stack_end */
	__u8 nr_kernel;
	__u8 nr_python; /* frames of an interpreter, of two words each, after the user frames */
	__u8 nr_user;
	__u8 guess; /* number of the first user frame that was found by guess (unwind_step.h); 0: none */
	__u16 remap; /* st_control.remaps of the process: the same addresses are other code after a change */
	__u32 tgid; /* set with KEY_TGID, and always with user frames, because they are raw addresses */
	__u32 tid;
	__u32 generation; /* EVENTS_EACH: the one whose statistics count the event; else 0 */
	__u64 start_time_ns; /* of the thread group leader (task->start_time, CLOCK_MONOTONIC); 0 unknown */
	__u64 exec_id; /* task->self_exec_id, changes at exec; 0 unknown */
	__u64 cgroup_id; /* cgroup v2 */
	__u64 probe; /* number of the place */
	__u64 caller; /* user frame to insert after frame 0, which the walk missed; 0: none */
	char comm[ST_COMM_BYTES];
};

#define ST_KEY_FIRST_WORD 4 /* index of the 8-byte word that begins with `kind` */
#define ST_HEAD_WORDS 14

struct st_stack {
	struct st_stack_head head;
	__u64 frames[2 * ST_MAX_FRAMES];
};

/*
 * A Python frame in a record, innermost first: bpf/python.bpf.c. The first word has the address of the code object, and in the outermost
 * frame that one call from C has led to, where these frames belong among the user frames. The second word has the instruction and a
 * cookie of the code object. A first word of 0 stands for frames that are missing, for a reason in the second word.
 */
#define ST_PYTHON_ADDRESS_BITS 47
#define ST_PYTHON_ADDRESS(first) ((first) & ((1ULL << ST_PYTHON_ADDRESS_BITS) - 1))
#define ST_PYTHON_ENDS(first) ((first) >> 48 & 1) /* the frames of a call end with it */
#define ST_PYTHON_REPLACES(first) ((first) >> 49 & 1) /* they replace the user frame at their place */
#define ST_PYTHON_PLACE(first) ((__u32)((first) >> 56)) /* number of a user frame */
#define ST_PYTHON_FIRST(replaces, place) (1ULL << 48 | (__u64)(replaces) << 49 | (__u64)(place) << 56)
#define ST_PYTHON_OFFSET(second) ((__s32)(second)) /* of the instruction in the bytecode */
#define ST_PYTHON_COOKIE(second) ((__u32)((second) >> 32))

enum st_python_missing {
	ST_PYTHON_UNREADABLE = 1,
	ST_PYTHON_MORE, /* the record has no room for them */
};

#define ST_PYTHON_NONE 0xffff

/*
 * A process whose Python frames are walked, by its tgid. Numbers are offsets in bytes, but for addresses, the first two, unfilled_bytes,
 * entry_owner, and code_tags, which are bits.
 */
struct st_python {
	__u64 start_time_ns, exec_id; /* as in records; 0: the first event sets them */
	__u64 code_type; /* address of the type of code objects */
	__u64 loop; /* address of the interpreter's loop */
	__u32 loop_bytes;
	__u16 unfilled,
		unfilled_bytes; /* the part of the loop in which _PyCFrame is not filled yet; 0 bytes: no such part */
	__u16 cframe_below; /* how far below its CFA a native frame of the loop has its _PyCFrame; 0: unknown */
	__u16 pad[3];
	__u16 block_thread; /* in the thread's control block: the address of its state */
	__u16 thread_block; /* in its state: the address of the control block */
	__u16 thread_cframe, thread_frame; /* the former may be ST_PYTHON_NONE */
	__u16 frame_code, frame_instruction, frame_previous, frame_owner;
	__u16 frame_is_entry; /* may be ST_PYTHON_NONE */
	__u8 entry_owner, code_tags;
	__u16 code_bytes; /* of a code object before its bytecode */
	__u16 object_type, code_name, code_file, code_first_line, code_lines;
};

#define ST_PYTHON_FRAME_BYTES 80 /* of a frame that are read */
#define ST_PYTHON_CODE_BYTES 256 /* of a code object, at most */

/* Names, files, lines and first line of a code object. Another one at the same address differs in one of them. */
static inline __attribute__((always_inline)) __u32 st_python_cookie(__u64 name, __u64 file, __u64 lines,
								    __u32 first_line)
{
	__u64 cookie = name;

	cookie = (cookie ^ cookie >> 32) * 0x9e3779b97f4a7c15ULL + file;
	cookie = (cookie ^ cookie >> 32) * 0x9e3779b97f4a7c15ULL + lines;
	cookie = (cookie ^ cookie >> 32) * 0x9e3779b97f4a7c15ULL + first_line;
	cookie = (cookie ^ cookie >> 32) * 0x9e3779b97f4a7c15ULL;
	return cookie >> 32;
}

/* The number of frames that are missing in the events of a record with ST_STACK_ELIDED. */
struct st_depth {
	__u32 least, most;
};

/* The count of one event that did not fit into the count map. */
struct st_delta {
	struct st_id id;
	struct st_count count;
	__u8 kind; /* ST_MESSAGE_DELTA, at the same offset as in a record */
	__u8 generation; /* of the event */
	__u8 pad[6];
};

/*
 * A sleeper and its waker, by the ids of their records. Intervals are counted by the id of the pair. With by_duration, the id also
 * depends on the class of the interval's length (st_span_class()); with by_time, each interval has its own id.
 */
struct st_pair {
	struct st_id id;
	struct st_id sleeper;
	__u8 kind; /* ST_MESSAGE_PAIR, at the same offset as in a record */
	__u8 reason; /* enum waker_reason */
	__u8 pad[2];
	__u32 cpu; /* by_time: where the interval ended; else 0 */
	struct st_id waker; /* 0: none */
	__u64 time_ns; /* by_time: when the interval ended, CLOCK_MONOTONIC; else 0 */
};

/* ---- threads off the CPU ---- */

/* The class of a number: only its three highest bits are kept. */
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
 * State of a thread, by the address of its task_struct. An entry lives as long as the thread. If an entry was left behind by
 * another thread at the same address, its `start_time_ns` differs.
 */
struct st_task {
	__u64 start_time_ns;
	__u64 out_ns; /* when it left the CPU; 0 while it runs, or if this interval is not wanted */
	__u64 in_ns; /* when it last came onto a CPU */
	__u64 waking_ns; /* when it was last woken */
	__u64 waker_ns; /* when `waker` was written */
	struct st_id sleeper; /* its record at out_ns */
	struct st_id waker;
	__u32 state; /* at out_ns; 0: it was preempted */
	__u32 running; /* the last switch that the programs saw brought it onto a CPU */
};

/* ---- all time of threads ---- */

/*
 * State of a thread for `wall`, by the address of its task_struct, from its first event to its end. What is before its first switch-out
 * is not counted until then, because only there its record can be built.
 */
struct st_wall {
	__u64 start_time_ns; /* of the thread */
	__u64 since_ns; /* when `state` began */
	__u64 first_ns,
		first_run_ns; /* not counted yet: of a wait whose stack was not taken, and of the wait for a CPU after it */
	__u64 first_end_ns; /* when that wait ended */
	struct st_id sleeper; /* its record when it last left the CPU; 0: it has not */
	__u32 state; /* enum thread_state */
	__u32 first_state; /* of first_ns */
	__u64 process_start_ns; /* of its process */
	__u32 tgid, tid; /* in our pid namespace; 0: it is outside. An ending thread has no ids there any more. */
	/* Time that was counted without stack, and is in no sample yet: of waits, and of waits for a CPU. It begins with a random part of a period. */
	__u64 owed_ns[2];
	__u32 run_state; /* of first_run_ns: THREAD_RUNNABLE or THREAD_THROTTLED */
	__u8 has_left; /* the CPU, while it was followed: first_ns is then of a wait whose stack was not wanted */
	__u8 due; /* bits: owed_ns has a period, and the stack is taken when the thread is back */
	__u8 owes; /* owed_ns has begun */
	__u8 pad;
};

#define ST_WALL_PERIOD_NS 1000000 /* the shortest period of sampled waits */
#define ST_WALL_SLOT_NS 250000000 /* the budget of stacks is for so long */

/* What runs on a CPU, for --latency. In a cache line of its own. */
struct st_running {
	__u32 tgid; /* the kernel's */
	__u32 pad[15];
};

/* ---- calls that are timed: bpf/on_call.bpf.c ---- */

#define ST_CALLS_MAX 64 /* of one thread at a time, nested; a power of two */
#define ST_NO_FUNCTION 0xffffffff

/* A place of a timed function, by its number. */
struct st_call_place {
	__u32 function; /* number of the place where it begins */
	__u32 part; /* enum call_part */
};

/* A call that has not ended. */
struct st_call {
	__u64 sp; /* where its return address is; 0: not known */
	__u64 begun_ns;
	__u64 left_ns; /* when it last came to a place of CALL_MAY_END with its frame removed; 0: never */
	__u32 function; /* ST_NO_FUNCTION: it has ended, and calls after it in the list have not */
	__u32 pad;
};

/* The calls of a thread, by the address of its task_struct: from its first one to its end. The innermost is last. */
struct st_calls {
	__u32 depth;
	__u32 nr_left_out; /* calls that have no place in the list and have not ended */
	__u32 tgid; /* as the report shows it; 0: it does not */
	__u32 pad;
	struct st_call calls[ST_CALLS_MAX];
};

/* The id of the count of a class: it is no hash. */
#define ST_LENGTH_ID(function, tgid, class_) \
	((struct st_id){ .lo = (class_), .hi = 1ULL << 63 | (__u64)(function) << 32 | (tgid) })
#define ST_LENGTH_FUNCTION(id) ((__u32)((id).hi >> 32) & 0x7fffffff)
#define ST_LENGTH_TGID(id) ((__u32)(id).hi)

struct st_calls_config {
	__u32 unit_ns; /* lengths are classed in this unit */
	__u32 levels; /* calls nested deeper are left out; 0: ST_CALLS_MAX, and they are lost */
};

/* ---- scratch ---- */

/* The hash reads a record in parts of ST_PART_WORDS, each of whole turns of its lanes. So it may read words after the record. */
#define ST_RECORD_WORDS (ST_HEAD_WORDS + 2 * ST_MAX_FRAMES)
#define ST_HASH_LANES 4
#define ST_PART_WORDS 20
#define ST_HASHED_WORDS (ST_KEY_FIRST_WORD + 14 * ST_PART_WORDS)

#define ST_WINDOW_WORDS 64 /* words of the stack that the walk by frame pointers reads at once */

/* State of a walk by bpf/frames.bpf.c. */
struct st_frames {
	__u64 frame; /* the frame pointer of the next frame */
	__u64 window_at; /* user address of the window */
	__u64 room; /* a frame below window_at + room is in the window */
	__u64 window[ST_WINDOW_WORDS + 1]; /* memory that was read last; the verifier wants one word more */
	__u64 pc, sp, code_segment; /* of the leaf */
	__u64 return_at; /* user address of the return address that was stored last */
	__u32 at, until; /* index of the next frame in the record, and the first one that is too many */
	__u8 has_registers; /* the event has interrupted user mode */
	__u8 in_uprobes; /* the task has hit uprobes: struct st_uprobes is filled */
	__u8 only_uprobes; /* the walk is only for such tasks; for others, the kernel walks */
	__u8 pad[5];
};

/*
 * Words of the stack that the walk by tables reads at once. More than above, because a frame without frame pointer may be large: clang's
 * stacks take 0.36 reads a frame with 512 bytes, 0.22 with 2,048, and the time for a frame is the same.
 */
#define ST_UNWIND_WINDOW_WORDS 256
#define ST_UNWIND_WINDOW_BYTES (8 * ST_UNWIND_WINDOW_WORDS)

#define ST_NR_REGISTERS 21 /* longs of the kernel's struct pt_regs on x86_64 */

/* State of a walk by bpf/unwind.bpf.c. */
struct st_unwind {
	__u64 pc, sp, bp; /* of the current frame */
	__u64 low, high; /* the mapping that was found last, as in struct st_space_mapping */
	__u64 to_file;
	__u32 head, nr_pages, first_page, rules;
	__u64 space; /* of the process, as in struct st_unwind_process */
	__u64 rule; /* found by st_unwind_find() */
	__u64 order; /* which register is where in `registers`: ST_REGISTERS_PT or ST_REGISTERS_SIGCONTEXT */
	__u64 window_at; /* user address of the window */
	__u64 cfa; /* of the last frame */
	__u64 word; /* read by st_unwind_word() */
	__u64 room; /* number of words in the window */
	__u64 window[ST_UNWIND_WINDOW_WORDS];
	__u64 registers[ST_NR_REGISTERS]; /* of the current frame, if `is_known` */
	__u32 tgid;
	__u32 slot; /* index of this scratch slot */
	__u32 at, until; /* index of the next frame in the record, and the first one that is too many */
	__u32 nr_outer, outer_until; /* frames after these, and how many may follow at most */
	__u64 outer[ST_OUTER_RING]; /* frame n of these, modulo the size */
	__u8 has_registers; /* the event has interrupted user mode: it is not a system call, even if orig_ax is set */
	__u8 is_call; /* pc is a return address: the row of pc - 1 is used */
	__u8 is_known; /* no call is between `registers` and this frame */
	__u8 is_bp_lost;
	__u8 by_frame; /* pc was found by a frame pointer, and may not be code; the enum st_stack_end if it is not */
	__u8 leaf_by_frame; /* `by_frame` of the leaf's caller */
	__u8 in_uprobes; /* the task has hit uprobes: struct st_uprobes is filled */
	__u8 is_place; /* pc is from registers or from a signal frame, not a return address on the stack */
	__u16 guess; /* number of the first frame that was found by guess, of all frames; 0: none */
	__u16 nr_searched; /* words of the stack in which return addresses were searched */
	__u16 is_frame; /* the frame pointer can be followed */
	__u16 is_proved; /* and is that of the current frame */
};

/* What a CPU has walked of deep stacks. */
struct st_deep {
	__u64 window; /* in units of 2^ST_DEEP_SHIFT ns */
	__u64 frames; /* past ST_MAX_FRAMES, in this window */
};

/* State of bpf/uprobes.bpf.c during a walk. */
struct st_uprobes {
	__u64 copy; /* user address of the copy of an instruction that the thread executes; 0: none */
	__u64 original; /* user address of the instruction */
	__u64 trampoline; /* return probes replace return addresses by this one; 0: not read yet */
	__u64 cursor; /* kernel address of the next struct return_instance of the walk */
	__u64 next; /* the same, of a search */
	__u64 pc, sp; /* in: registers, or a return address and its user address; out: the true ones */
	__u64 bp;
	__u64 caller; /* the return address that st_uprobes_prologue() has found at `sp` */
	__u64 code[3]; /* user memory that was read last */
	__u32 left; /* number of parts of the kernel's list that may still be searched */
	__u16 copy_bytes; /* size of the copy: all of it while the thread steps, 1 while it is about to, 0 without a copy */
	__u16 in_kernel; /* an interrupt or fault, not a system call, brought the thread into the kernel */
};

struct st_slot {
	__u32 claims; /* 1: owned; bpf/scratch.bpf.h has the protocol */
	__u32 pad;
	struct st_stack stack;
	__u64 behind[ST_HASHED_WORDS - ST_RECORD_WORDS]; /* the hash may read it */
	union { /* a program walks in one way only */
		struct st_frames walk;
		struct st_unwind unwind;
	};
	struct st_uprobes uprobes;
};

/* State of bpf/python.bpf.c during a walk, of the scratch slot with the same number. */
struct st_python_walk {
	struct st_python python;
	__u64 frame, cframe; /* next to be read; the _PyCFrame of the call from C that has led to it, 0: none */
	__u64 marker; /* an address in the native frame of the call whose frames have been taken; 0: none */
	__u64 after; /* the frame that follows it */
	__u32 at; /* words of the record */
	__u32 first; /* `at` when the call began */
	__u32 place, from; /* user frame that is compared with the marker, and the first one that was */
	__u32 above; /* the first one that is above the marker */
	__u32 nr_places; /* user frames whose stack pointers are known */
	__u32 is_elided; /* others are not in the record */
	__u32 is_checked; /* the marker is that of the innermost call, which is checked before its frames are taken */
	__u32 seeks; /* the loop among the user frames from `place` on, because that of the leaf has no frames yet */
	__u32 pad0;
	__u64 pointers[ST_MAX_FRAMES + 1]; /* stack pointer of each user frame, and after the last one */
	__u64 window[ST_PYTHON_FRAME_BYTES / 8];
	__u64 pad[6]; /* the verifier wants them */
	__u64 code[ST_PYTHON_CODE_BYTES / 8];
};

/* ---- threads as they are now ---- */

#define ST_WALL_SETTLED_NS 1000000 /* longer than a switch takes */
#define ST_LOOK_REGISTERS 34 /* longs of struct pt_regs that are read: x86_64 has 21; arm64 has pc as the 33rd */

enum st_look_flag {
	ST_LOOK_HAS_MEMORY = 1 << 0, /* of a process; a worker of io_uring has it too */
	ST_LOOK_HAS_REGISTERS = 1 << 1,
	ST_LOOK_ON_CPU = 1 << 2,
	ST_LOOK_HAS_WALL = 1 << 3,
	ST_LOOK_DIFFERS =
		1 << 4, /* its entry in st_walls has had another state than the thread for ST_WALL_SETTLED_NS */
};

/* A thread, as bpf/on_task.bpf.c has found it. Sent with only as many frames as there are. */
struct st_look {
	__u64 start_time_ns, leader_start_time_ns, exec_id; /* as in a record */
	__u64 nr_voluntary, nr_involuntary; /* context switches */
	__u64 arrival_ns; /* when it last came onto a CPU, by the scheduler's clock; 0: unknown */
	__u64 reader_arrival_ns; /* the same of the thread that reads this */
	__u32 tgid, tid; /* in our pid namespace; 0: it is outside */
	__u32 state, exit_state; /* the kernel's bits */
	__u32 task_flags; /* PF_* */
	__u64 task; /* address of the task_struct: key of st_walls */
	struct st_wall wall; /* its entry there, with ST_LOOK_HAS_WALL */
	__u16 flags; /* enum st_look_flag */
	__s16 nr_kernel; /* negative: the walk failed */
	char comm[ST_COMM_BYTES];
	__u64 registers[ST_LOOK_REGISTERS]; /* with which it left user mode, as struct pt_regs */
	__u64 frames[ST_MAX_FRAMES]; /* of the kernel, leaf first */
};

/* ---- accounting ---- */

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
		       (int)ST_LOSS_USER_DEEP == (int)ST_LOSS_OF_END(ST_END_DEEP),
	       "each end of a walk is a loss");

/*
 * Per CPU and generation; all but lost_births only grow. Each event that a program sees is counted once:
 * seen = filtered + recorded + losses[SPILLED] + losses of class EVENT.
 */
struct st_stats {
	__u64 seen;
	__u64 filtered;
	__u64 recorded; /* events added to the live count map, or sent one by one */
	__u64 sent; /* records and pairs put into the ring */
	__u64 period_sum; /* timed samples: sum of their periods */
	__u64 idle; /* timed samples of the idle task */
	__u64 late; /* with a constant period: periods without a sample before a late one */
	__u64 lost_births; /* births for which the first program had no room, minus those that only the second one handled */
	__u64 losses[ST_NR_LOSSES];
};

/*
 * Shared by both sides while the programs run, through an mmap()ed array.
 *
 * The lowest bit of `generation` selects both the count map and the statistics of an event. User space changes it, waits until all
 * programs that may have read the old value have finished, and then reads the old half. So `seen` and the other numbers agree
 * exactly for each interval.
 */
struct st_control {
	__u64 generation;
	__u64 inserted; /* ids that were new in a live map, over all CPUs; written by the programs */
	/* The programs wake the reader once when `inserted` reaches this. User space sets it at each swap. 0: the ring refused a record. */
	__u64 wake_at;
	__u64 lost; /* EVENTS_EACH: events that were not sent, over all CPUs and both generations */
	__u64 paused; /* 1 while probes are attached or detached: their events are not counted */
	__u64 held; /* 1 while stacktool holds the command with ptrace(2): its stops do not count as time off the CPU */
	/* wall: its window, and the sums over all threads, written by the programs. Before it, threads are followed and nothing is counted. */
	__u64 wall_begin_ns, wall_end_ns;
	__u64 wall_lifetimes_ns; /* of threads that have ended, in the window */
	__u64 wall_held_ns; /* in THREAD_HELD */
	__u64 wall_level; /* of our pid namespace */
	__u64 wall_odd; /* impossible transitions, and threads whose beginning was not seen */
	__u64 wall_period_ns; /* of sampled waits, of each thread; 0: each wait has its stack */
	__u64 wall_slot_ns, wall_stacks; /* when it began, and the stacks of waits in it */
	__u64 wall_sampled; /* 1: waits were sampled at any time */
	/*
	 * How often a process has mapped other code where it had code, by tgid modulo the size; written by user space. Another process of
	 * the same place only sends some records again.
	 */
	__u16 remaps[ST_REMAPS];
};

#define ST_GENERATIONS 2

#define ST_NR_BIRTHS 4096 /* entries of st_births: more births than happen between the two reports of one */

/* Events of a probe with EVENTS_BY_PROBE, per CPU. The numbers only grow. */
struct st_tally {
	__u64 events;
	__u64 filtered; /* left out by a filter */
};

/* ---- cost ---- */

/* One of 2^bits runs is timed. Fewer for tallies, which are so cheap that reading the clock twice is most of their cost. */
#define ST_COST_BITS 6
#define ST_TALLY_COST_BITS 8
#define ST_COST_MOST_NS 1000000 /* longer runs were preempted, and are ignored */

/* The timed runs of one probe, or of all if probes are not distinguished; over all CPUs. The numbers only grow. */
struct st_cost {
	__u64 ns;
	__u64 runs;
	__u64 others_ns, others_runs; /* of these: for events that a filter left out */
};

/* ---- configuration: constant when the programs are loaded, so that the verifier removes what is not used ---- */

enum st_task_filter {
	ST_FILTER_NONE = 0,
	ST_FILTER_TGID, /* in map st_pids */
	ST_FILTER_TID,
};

#define ST_START_NS 10000000 /* /proc/PID/stat has the start time in ticks of USER_HZ */

/* Whether bpf/python.bpf.c walks the Python frames of the processes in st_pythons. */
enum st_python_mode {
	ST_PYTHON_OFF = 0,
	ST_PYTHON_WALK,
	ST_PYTHON_LATER, /* once there is one: ST_HAND_OVER() */
};

struct st_config {
	__u64 seed[2];
	__u64 pidns_device; /* of our pid namespace; 0: it is the initial one */
	__u64 pidns_inode;
	__u64 sample_period_ns; /* of a clock event with a constant period; else 0 */
	__u64 filter_start_ns; /* when `filter_single` began: CLOCK_BOOTTIME in ticks of ST_START_NS; 0: not known */
	__u64 ring_wake_bytes; /* the reader is woken when more than this waits in the ring */
	__u64 cgroup_id; /* with use_cgroup: for the iterator of tasks, which sees other tasks than the current one */
	__u32 key_parts; /* enum key_part */
	__u32 task_access; /* enum task_access */
	__u32 task_filter; /* enum st_task_filter */
	__u32 filter_single; /* the only id of the filter; 0: the ids are in st_pids */
	__u32 use_cpus; /* only the CPUs in st_cpus */
	__u8 want_kernel;
	__u8 want_user;
	__u8 include_idle; /* profile -I: pid 0 too */
	__u8 use_cgroup_map; /* profile --cgroupmap */
	__u8 use_mntns_map; /* profile --mntnsmap */
	__u8 read_user; /* user probes at the entry of functions, and bpf_probe_read_user() is allowed */
	__u8 mode; /* enum event_mode */
	__u8 use_cgroup; /* only tasks in the cgroup of st_cgroup, or below it */
	__u8 has_cookie; /* the attach cookie is the number of the probe; otherwise `probe` is */
	__u8 alone; /* on a CPU, the kernel runs only one of the programs at a time: ST_ALONE */
	__u8 walk_frames; /* bpf/frames.bpf.c may walk user stacks: bpf_probe_read_user() and _kernel() are allowed */
	__u8 follow_children; /* with ST_FILTER_TGID: `filter_single` and its descendants */
	__u32 probe; /* number of the probe of this copy of the program */
	__u8 unwind; /* enum st_unwind_mode; all but OFF need bpf_probe_read_user() and _kernel() */
	__u8 filters; /* st_has_filters() */
	__u8 follows_walls; /* wall: on_task makes and checks the entries of st_walls */
	__u8 python; /* enum st_python_mode; all but OFF need `unwind` */
	__u8 latency; /* wall: samples have the number of running threads of their process, as their probe */
	__u32 wall_budget; /* stacks of waits in ST_WALL_SLOT_NS; 0: no limit */
	__u32 nr_cpus; /* with `latency`: possible ones */
	__u64 wall_least_ns; /* the least period: 0, or ST_WALL_PERIOD_NS if waits are always sampled */
	__u32 filter_pidns; /* only tasks in the pid namespace with this inode number, or below it; 0: all */
	__u32 pidns_level; /* of that namespace; the initial one has 0 */
};

/* Whether there is any filter on tasks or CPUs. One byte for all six, so that the verifier removes one branch, not six. */
static inline __attribute__((always_inline)) __u8 st_has_filters(const struct st_config *config)
{
	return config->use_cpus || config->task_filter != ST_FILTER_NONE || config->use_cgroup ||
	       config->use_cgroup_map || config->use_mntns_map || config->filter_pidns;
}

/* The CPUs of the filter are bits of a constant beside the configuration. */
#define ST_CPU_WORDS 64
#define ST_MAX_CPUS (ST_CPU_WORDS * 64)

/* How user stacks are walked. */
enum st_unwind_mode {
	ST_UNWIND_OFF = 0, /* by frame pointers */
	ST_UNWIND_AUTO, /* by tables, and by frame pointers where there are none */
	ST_UNWIND_TABLES, /* only by tables */
};

/*
 * A constant in the code, in place of the address of the kernel's per-CPU preemption count: core/session/preempt_count.h replaces it
 * by the BTF id of the variable.
 */
#define ST_PREEMPT_COUNT_MARK 0x73745f5f70637274

struct st_offcpu_config {
	__u64 min_ns, max_ns; /* both inclusive */
	__u64 begun_ns; /* when tracing began: older threads may have been off the CPU then */
	__u8 measure; /* enum measure */
	__u8 part; /* enum off_cpu_part */
	__u8 switch_order; /* enum switch_order */
	__u8 thread_filter; /* enum thread_filter */
	__u8 state_filter; /* enum state_filter */
	__u8 by_duration; /* intervals are also counted by the class of their length */
	__u8 by_time; /* each interval has its own id, and the time at which it ended */
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
ST_ASSERT_SIZE(struct st_task, 80);
ST_ASSERT_SIZE(struct st_offcpu_config, 40);
ST_ASSERT_SIZE(struct st_tally, 16);
ST_ASSERT_SIZE(struct st_cost, 32);
_Static_assert(__builtin_offsetof(struct st_pair, kind) == 8 * ST_KEY_FIRST_WORD, "kind of every message");
_Static_assert(__builtin_offsetof(struct st_stack_head, kind) == 8 * ST_KEY_FIRST_WORD, "key starts at kind");
_Static_assert(__builtin_offsetof(struct st_delta, kind) == 8 * ST_KEY_FIRST_WORD, "kind of every message");
_Static_assert(ST_PART_WORDS % ST_HASH_LANES == 0 && ST_HASHED_WORDS >= ST_RECORD_WORDS + ST_HASH_LANES - 1,
	       "whole parts only, of whole turns");
ST_ASSERT_SIZE(struct st_wall, 104);
ST_ASSERT_SIZE(struct st_calls, 16 + 32 * ST_CALLS_MAX);
ST_ASSERT_SIZE(struct st_look, 112 + 104 + 8 * (ST_LOOK_REGISTERS + ST_MAX_FRAMES));
ST_ASSERT_SIZE(struct st_uprobes, 104);
ST_ASSERT_SIZE(struct st_python, 80);
_Static_assert(ST_PYTHON_FRAME_BYTES / 8 + 6 == 16, "offsets are masked");
ST_ASSERT_SIZE(struct st_slot, 8 + 112 + 16 * ST_MAX_FRAMES + 192 +
				       8 * (ST_UNWIND_WINDOW_WORDS + ST_NR_REGISTERS + 12 + ST_OUTER_RING) + 104);
ST_ASSERT_SIZE(struct st_config, 136);
