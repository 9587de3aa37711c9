/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The path of an event: filter it, build its record, hash and count it, and send the record once.
 *
 * A record (process, kernel stack, user stack) is built in a scratch slot and hashed to a seeded 128-bit id. The count map has only the id
 * and two numbers. If the id is new in the live generation and not in the cache of sent records, the record is sent through the ring. A
 * count that does not fit into the count map is sent as a delta. Each event is counted in exactly one member of struct st_stats: filtered,
 * recorded, SPILLED or a loss of class EVENT.
 *
 * Results of map helpers are compared as int: before 6.4, map operations return int, and R0 is not sign-extended (commit d7ba4cc900bf
 * ("bpf: return long from bpf_map_ops funcs")).
 */
#pragma once

#include "bpf/task.bpf.h"
#include "bpf/unwind.bpf.h"

/* What the path of an event needs: the shared words, the event's generation, and the statistics of that generation on this CPU. */
struct st_way {
	struct st_control *control;
	struct st_stats *stats;
	__u32 generation;
};

static __always_inline int st_way_begin(struct st_way *way)
{
	__u32 zero = 0;

	way->control = bpf_map_lookup_elem(&st_control, &zero);
	if (!way->control)
		return -1;
	way->generation = *(volatile __u64 *)&way->control->generation & (ST_GENERATIONS - 1);
	way->stats = bpf_map_lookup_elem(&st_stats, &way->generation);
	return way->stats ? 0 : -1;
}

/* The same in a global function, for an event whose generation is known. */
static __always_inline int st_way_of(struct st_way *way, __u32 generation)
{
	__u32 zero = 0;

	way->control = bpf_map_lookup_elem(&st_control, &zero);
	way->generation = generation;
	way->stats = bpf_map_lookup_elem(&st_stats, &way->generation);
	return way->control && way->stats ? 0 : -1;
}

/*
 * Some runs of the programs are timed, to estimate the cost of all.
 *
 * `turn` is a number of runs or a time. It is multiplied by 2^64 divided by the golden ratio, and the run is timed if the highest `bits`
 * bits are 0. These runs come at irregular distances. (Each 64th run would always hit the same one of two functions that are called in
 * turn.)
 */
static __always_inline int st_is_timed(__u64 turn, __u32 bits)
{
	return turn * 0x9e3779b97f4a7c15ULL >> (64 - bits) == 0;
}

/* When a timed run began; for other runs, any number. */
static __always_inline __u64 st_cost_begin(__u64 turn, __u32 bits)
{
	return st_is_timed(turn, bits) ? bpf_ktime_get_ns() : turn;
}

/*
 * Adds a timed run to the cost of its probe. Ignores a very long run: uprobe programs can be preempted. `wanted`: whether the event passed
 * the filters.
 */
static __always_inline void st_cost_end(__u64 turn, __u32 bits, __u64 begun, __u32 probe, int wanted)
{
	struct st_cost *cost;
	__u64 took;

	if (!st_is_timed(turn, bits))
		return;
	took = bpf_ktime_get_ns() - begun;
	cost = bpf_map_lookup_elem(&st_costs, &probe);
	if (!cost || took > ST_COST_MOST_NS)
		return;
	__sync_fetch_and_add(&cost->ns, took);
	__sync_fetch_and_add(&cost->runs, 1);
	if (wanted)
		return;
	__sync_fetch_and_add(&cost->others_ns, took);
	__sync_fetch_and_add(&cost->others_runs, 1);
}

/* The same with ST_COST_BITS, as global functions (record.bpf.c). */
__u64 st_cost_start(__u64 turn);
int st_cost_stop(__u64 turn, __u64 begun, __u32 probe, __u32 wanted);

#define ST_ADD(counter, value) __sync_fetch_and_add(&(counter), (value))

/* Adds to a statistic of this CPU. Atomic, which takes 15 ns, only if other programs of the session can preempt or interrupt this one. */
#define ST_NOTE(counter, value)                   \
	do {                                      \
		if (ST_ALONE)                     \
			(counter) += (value);     \
		else                              \
			ST_ADD(counter, (value)); \
	} while (0)

/*
 * Hashes a word into the two lanes of an id. The seed is random for each run, so that a process cannot create a collision.
 *
 * A lane takes in a word, folds its high half down and multiplies. If it multiplied first, the highest bit of a word would change no other
 * bit, and two frames that differ only there would collide with every seed.
 */
static __always_inline void st_mix(struct st_id *id, __u64 word)
{
	id->lo ^= word;
	id->lo ^= id->lo >> 32;
	id->lo *= 0x9e3779b97f4a7c15ULL;
	id->hi += word;
	id->hi ^= id->hi >> 29;
	id->hi *= 0xc2b2ae3d27d4eb4fULL;
}

/*
 * Hashes the slot's record, from word ST_KEY_FIRST_WORD up to `nr_words`, and writes the id into it. A global function (record.bpf.c) saves
 * 95 % of the verifier's work: 5,000 instead of 100,000 instructions for a program. On 5.10, global functions have scalar arguments only.
 */
int st_hash(__u32 slot_index, __u32 nr_words);

/* The words of frames of an interpreter. */
static __always_inline __u32 st_python_words(const struct st_stack_head *head)
{
	return ST_WALKS ? 2 * head->nr_python : 0;
}

static __always_inline void st_hash_record(const struct st_stack *stack, __u32 slot_index)
{
	st_hash(slot_index,
		ST_HEAD_WORDS + stack->head.nr_kernel + stack->head.nr_user + st_python_words(&stack->head));
	if (st_config.unwind && st_config.mode != EVENTS_EACH && stack->head.flags & ST_STACK_ELIDED)
		st_unwind_note_depth(slot_index);
}

#define ST_STACK_BYTES (ST_MAX_FRAMES * 8)

static __always_inline __u32 st_is_negative(__u32 bytes)
{
	__u32 is_negative = bytes >> 31;

	st_opaque(is_negative);
	return is_negative;
}

/*
 * Converts the result of bpf_get_stack(). -14 (EFAULT): there is no such stack; a kernel thread has no user registers. Here and in the next
 * functions, conditions are bits, because the verifier would follow branches separately.
 */
static __always_inline __u8 st_stack_status(__u32 bytes)
{
	__u64 is_fault = st_is_equal(bytes, -14U), is_none = is_fault | st_is_equal(bytes, 0);

	return STACK_OK + (STACK_NONE - STACK_OK) * is_none +
	       (STACK_UNREADABLE - STACK_OK) * (st_is_negative(bytes) & ~is_fault) +
	       (STACK_TRUNCATED - STACK_OK) * st_is_equal(bytes, ST_STACK_BYTES);
}

static __always_inline __u32 st_nr_frames(__u32 bytes)
{
	return (bytes & (st_is_negative(bytes) - 1)) / 8;
}

/*
 * A tracepoint always runs in the kernel. Without a kernel stack, it was given the user's registers (system calls before 6.12), so the
 * stack is unreadable.
 */
static __always_inline void st_take_kernel_stack(void *ctx, struct st_stats *stats, struct st_stack *stack,
						 __u8 program)
{
	__u32 bytes;

	if (!st_config.want_kernel)
		return;
	bytes = (__u32)(program == PROGRAM_KPROBE ? st_kernel_stack_at_entry(ctx, stack->frames, ST_STACK_BYTES)
						  : bpf_get_stack(ctx, stack->frames, ST_STACK_BYTES, 0));
	stack->head.kernel_status = st_stack_status(bytes);
	if (program == PROGRAM_TRACEPOINT && stack->head.kernel_status == STACK_NONE)
		stack->head.kernel_status = STACK_UNREADABLE;
	stack->head.nr_kernel = st_nr_frames(bytes);
	if (stack->head.kernel_status == STACK_UNREADABLE)
		ST_NOTE(stats->losses[ST_LOSS_KERNEL_STACK], 1);
	if (stack->head.kernel_status == STACK_TRUNCATED)
		ST_NOTE(stats->losses[ST_LOSS_KERNEL_TRUNCATED], 1);
}

/* The kernel's walk of the user stack, by frame pointers. */
static __always_inline void st_kernel_walk(void *ctx, struct st_stack *stack)
{
	__u32 at = stack->head.nr_kernel, bytes;

	if (at > ST_MAX_FRAMES)
		return;
	bytes = bpf_get_stack(ctx, &stack->frames[at], ST_STACK_BYTES, BPF_F_USER_STACK);
	stack->head.user_status = st_stack_status(bytes);
	stack->head.nr_user = st_nr_frames(bytes);
}

static __always_inline void st_count_end(struct st_stats *stats, const struct st_stack_head *head)
{
	__u64 status = *(volatile __u8 *)&head->user_status, end = *(volatile __u8 *)&head->user_end;
	__u64 is_cut = st_is_equal(status, STACK_TRUNCATED) & ~st_is_equal(end, ST_END_DEEP);
	__u64 place = (end ^ ((end ^ ST_END_TRUNCATED) & -is_cut)) - ST_END_ROOT;

	if (status == STACK_UNREADABLE)
		ST_NOTE(stats->losses[ST_LOSS_USER_STACK], 1);
	st_opaque(place); /* 5.10 needs the compared register to be the one that is used */
	if (place < ST_NR_ENDS - ST_END_ROOT)
		ST_NOTE(stats->losses[ST_LOSS_USER_ROOT + place], 1);
}

/*
 * Takes the user stack: by tables, by our own walk of frame pointers, or by the kernel. The start time and exec id must be in the record:
 * they decide whether the known mappings still belong to the process.
 */
static __always_inline void st_user_stack(void *ctx, const struct st_way *way, struct st_slot *slot, __u32 slot_index,
					  __u32 tgid, __u8 program)
{
	struct st_stack *stack = &slot->stack;
	int done = 0;

	if (!st_config.want_user)
		return;
	stack->head.remap = *(volatile __u16 *)&way->control->remaps[tgid & (ST_REMAPS - 1)];
	if (st_config.unwind) {
		st_unwind_begin(ctx, program, &slot->unwind, tgid);
		done = st_unwind_walk(slot_index);
	} else if (st_config.walk_frames) {
		st_frames_prepare(ctx, &slot->walk, program);
		done = st_walk_frames(slot_index);
	}
	if (!done)
		st_kernel_walk(ctx, stack);
	stack->head.user_end *= 1 ^ st_is_equal(stack->head.user_status, STACK_NONE); /* ST_END_UNKNOWN is 0 */
	st_count_end(way->stats, &stack->head);
}

static __always_inline int st_tables_know_caller(const struct st_stack_head *head)
{
	if (head->user_end < ST_END_ROOT || head->user_end == ST_END_NO_PROCESS || head->user_end == ST_END_NOT_64BIT)
		return 0;
	return !(head->flags & ST_STACK_LEAF_BY_FRAME) && (head->nr_user > 1 || head->user_end == ST_END_ROOT);
}

/*
 * At the entry of a function its frame does not exist yet, so a walk by frame pointers misses the direct caller. It is stored beside the
 * frames. From 6.11 on, the kernel adds it for functions that begin with "push %rbp" or "endbr64" (commit cfa7f3d2c526 ("perf,x86: avoid
 * missing caller address in stack traces captured in uprobe")). It has done so if the second frame is the return address and the frame
 * pointer leads to another one.
 */
static __always_inline void st_note_caller(void *ctx, struct st_stack *stack)
{
	__u32 second = stack->head.nr_kernel + 1;
	__u64 caller = 0, by_frame = 0;

	if (!st_config.want_user || !st_config.read_user || !stack->head.nr_user || second > ST_MAX_FRAMES)
		return;
	if (st_tables_know_caller(&stack->head))
		return;
	if (st_entry_caller(ctx, &caller))
		return;
	st_frame_caller(ctx, &by_frame);
	if (stack->head.nr_user > 1 && stack->frames[second] == caller && by_frame != caller)
		return;
	stack->head.caller = caller;
}

static __always_inline void st_begin_record(struct st_stack *stack, __u8 program)
{
	__builtin_memset(&stack->head, 0, sizeof(stack->head));
	stack->head.kind = ST_MESSAGE_STACK;
	stack->head.program = program;
}

/* Sets time and CPU, which are not part of the identity. */
static __always_inline void st_stamp(struct st_stack_head *head, __u64 now)
{
	head->time_ns = now;
	head->cpu = bpf_get_smp_processor_id();
}

static __always_inline __u32 st_record_bytes(const struct st_stack_head *head)
{
	return sizeof(*head) + 8 * (head->nr_kernel + head->nr_user + st_python_words(head));
}

/* Sets the key parts that the plan uses. With user frames, which are raw addresses, the process is always part of the id. */
static __always_inline void st_fill_key(struct st_stack_head *head, const struct st_who *who, __u64 probe)
{
	if (!(st_config.key_parts & KEY_TGID) && !head->nr_user) {
		head->start_time_ns = head->exec_id = 0;
		head->remap = 0;
		head->flags &= ~ST_STACK_NO_START;
	} else {
		head->tgid = who->tgid;
		head->flags |= who->foreign * ST_STACK_FOREIGN;
	}
	if (st_config.key_parts & KEY_TID)
		head->tid = who->tid;
	if (st_config.key_parts & KEY_COMM)
		bpf_get_current_comm(head->comm, sizeof(head->comm));
	if (st_config.key_parts & KEY_CGROUP)
		head->cgroup_id = bpf_get_current_cgroup_id();
	if (st_config.key_parts & KEY_PROBE)
		head->probe = probe;
}

static __always_inline void st_build(void *ctx, const struct st_way *way, struct st_slot *slot, __u32 slot_index,
				     const struct st_who *who, __u8 program, __u64 probe)
{
	struct st_stack *stack = &slot->stack;

	st_begin_record(stack, program);
	if (st_config.want_user || st_config.key_parts & KEY_TGID)
		st_task_identity(&stack->head);
	st_take_kernel_stack(ctx, way->stats, stack, program);
	st_user_stack(ctx, way, slot, slot_index, st_known_tgid(who), program);
	if (program == PROGRAM_UPROBE)
		st_note_caller(ctx, stack);
	st_fill_key(&stack->head, who, probe);
	st_hash_record(stack, slot_index);
}

/* Whether another process sent the last record. Then the reader is woken, to read the mappings of this process in time. */
static __always_inline int st_is_new_process(__u32 tgid)
{
	__u32 place = tgid & (ST_LAST_SENDERS - 1);
	__u32 *last = bpf_map_lookup_elem(&st_last_senders, &place);

	if (!tgid || !last || *last == tgid)
		return 0;
	*last = tgid;
	return 1;
}

static __always_inline __u64 st_wake_flag(__u32 tgid)
{
	if (st_is_new_process(tgid) || bpf_ringbuf_query(&st_ring, BPF_RB_AVAIL_DATA) > st_config.ring_wake_bytes)
		return BPF_RB_FORCE_WAKEUP;
	return BPF_RB_NO_WAKEUP;
}

/* Frames of interpreters wake the reader too: it must read code objects while they exist. */
static __always_inline __u64 st_wake_for(const struct st_stack_head *head)
{
	if (ST_WALKS && head->nr_python)
		return BPF_RB_FORCE_WAKEUP;
	return st_wake_flag(head->tgid);
}

/*
 * The ring had no room for a record. A record is sent when its id is new in a generation, so the reader is told to swap: the next event
 * with this id then sends it. (The record of a sleeper is sent at each of its waits.)
 */
static __always_inline void st_note_refused(const struct st_way *way)
{
	ST_NOTE(way->stats->losses[ST_LOSS_RING_FULL], 1);
	way->control->wake_at = 0;
}

static __always_inline void st_send_record(const struct st_way *way, struct st_stack *stack)
{
	__u32 bytes = st_record_bytes(&stack->head), one = 1;

	if (bpf_map_lookup_elem(&st_known, &stack->head.id))
		return;
	if (bytes > sizeof(*stack))
		return;
	if ((int)bpf_ringbuf_output(&st_ring, stack, bytes, st_wake_for(&stack->head))) {
		st_note_refused(way);
		return;
	}
	ST_NOTE(way->stats->sent, 1);
	bpf_map_update_elem(&st_known, &stack->head.id, &one, BPF_ANY);
}

static __always_inline void st_send_delta(const struct st_way *way, const struct st_id *id, __u64 nr, __u64 sum)
{
	struct st_delta delta = {
		.id = *id,
		.kind = ST_MESSAGE_DELTA,
		.generation = way->generation,
		.count = { .events = nr, .sum = sum },
	};

	if ((int)bpf_ringbuf_output(&st_ring, &delta, sizeof(delta), st_wake_flag(0)))
		ST_NOTE(way->stats->losses[ST_LOSS_COUNT_REFUSED], nr);
	else
		ST_NOTE(way->stats->losses[ST_LOSS_SPILLED], nr);
}

/* Global functions (record.bpf.c), because few events need them. */

int st_note_insert(void);

/* EVENTS_EACH: sends the slot's event, with its time. */
int st_send_event(__u32 slot_index, __u32 generation, __u64 now);

/* Adds an id to the live map. Returns its count, or NULL if the insert failed (E2BIG, EBUSY, EDEADLK). EEXIST: another CPU was faster. */
static __always_inline struct st_count *st_count_insert(const struct st_way *way, void *live, const struct st_id *id)
{
	struct st_count none = {};

	if (!(int)bpf_map_update_elem(live, id, &none, BPF_NOEXIST))
		st_note_insert();
	return bpf_map_lookup_elem(live, id);
}

/* Counts events by their id. Returns whether the record may have to be sent. */
static __always_inline int st_count_several(const struct st_way *way, const struct st_id *id, __u64 nr, __u64 sum)
{
	struct st_count *count;
	int is_new = 0;
	void *live;

	live = bpf_map_lookup_elem(&st_generation, &way->generation);
	if (!live) {
		ST_NOTE(way->stats->losses[ST_LOSS_NO_MAP], nr);
		return 0;
	}
	count = bpf_map_lookup_elem(live, id);
	if (!count) {
		count = st_count_insert(way, live, id);
		is_new = 1;
	}
	if (!count) {
		st_send_delta(way, id, nr, sum);
		return 1;
	}
	ST_ADD(count->events, nr);
	if (sum)
		ST_ADD(count->sum, sum);
	ST_NOTE(way->stats->recorded, nr);
	return is_new;
}

static __always_inline int st_count(const struct st_way *way, const struct st_id *id, __u64 sum)
{
	return st_count_several(way, id, 1, sum);
}

/* ---- copies ---- */

#ifndef ST_COPIES /* only the program of timed samples sends copies */
#define ST_COPIES 0
#endif

/* Ends of walks that user space can do better when the table of the file is ready. */
#define ST_EARLY_ENDS (1u << ST_END_NO_PROCESS | 1u << ST_END_NO_MAPPING | 1u << ST_END_NO_TABLE)

/*
 * Sends the record through st_copies, whose events add the registers of user mode and a piece of the stack. Returns whether it did: user
 * space counts the event then.
 */
static __always_inline int st_send_copy(void *ctx, const struct st_way *way, struct st_stack *stack)
{
	__u32 bytes = st_record_bytes(&stack->head);

	if (!(ST_EARLY_ENDS >> (stack->head.user_end & 31) & 1) || stack->head.flags & ST_STACK_FOREIGN ||
	    stack->head.nr_python || bytes > sizeof(*stack))
		return 0;
	stack->head.generation = way->generation;
	st_stamp(&stack->head, bpf_ktime_get_ns());
	if ((int)bpf_perf_event_output(ctx, &st_copies, BPF_F_CURRENT_CPU, stack, bytes))
		return 0;
	ST_NOTE(way->stats->recorded, 1);
	return 1;
}

/* ---- event ---- */

/* Counts a loss. With EVENTS_EACH, later events carry the number of dropped events, so the report shows where they are missing. */
static __always_inline void st_drop(const struct st_way *way, __u32 loss)
{
	ST_NOTE(way->stats->losses[loss], 1);
	if (st_config.mode == EVENTS_EACH)
		ST_ADD(way->control->lost, 1);
}

static __always_inline void st_count_event(const struct st_way *way, struct st_stack *stack)
{
	if (!st_count(way, &stack->head.id, 0))
		return;
	st_stamp(&stack->head, bpf_ktime_get_ns());
	st_send_record(way, stack);
}

/*
 * Records an event with the stacks of the context. One call builds the record for both modes: a second one would be half of the program,
 * which the kernel would remove at each start.
 */
static __always_inline void st_event(void *ctx, const struct st_way *way, const struct st_who *who, __u8 program,
				     __u64 probe)
{
	__u64 now = st_config.mode == EVENTS_EACH ? bpf_ktime_get_ns() : 0;
	struct st_slot *slot;
	__u32 index = 0;

	slot = st_slot_claim(&index);
	if (!slot) {
		st_drop(way, ST_LOSS_NO_SLOT);
		return;
	}
	st_build(ctx, way, slot, index, who, program, probe);
	if (st_config.mode == EVENTS_EACH)
		st_send_event(index, way->generation, now);
	else if (!ST_COPIES || !st_send_copy(ctx, way, &slot->stack))
		st_count_event(way, &slot->stack);
	st_slot_release(slot);
}
