// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What threads do inside calls, for `slow`.
 *
 * While a thread is inside a call that on_call.bpf.c times, its waits and timed samples are kept in its entry of st_insides, by stack and
 * state. At the end of the call they are counted if it was long enough. A wait is counted as a pair with WALL_REASON(), a sample by its
 * record, and the rest of the length is time on the CPU, as on_wall.bpf.c counts them: core/profile/wall.c makes the rows.
 *
 * Records are sent when they are made, because a thread has room only for ids.
 */
#include "bpf/calls.bpf.h"
#include "bpf/returns.h"
#include "bpf/switch.bpf.h"

#define ST_NEAR (2 << 12) /* a stack pointer that is less above that of a call is on the same stack */

/* ---- entries ---- */

/* NULL: it has none, or there is no map of them. Before 6.8 the verifier follows functions that nobody calls. */
static __always_inline struct st_inside *st_inside_of(__u64 task)
{
	return st_calls_config.limit_ns ? bpf_map_lookup_elem(&st_insides, &task) : 0;
}

static __always_inline struct st_part *st_part_at(struct st_inside *inside, __u32 index)
{
	index &= ST_PARTS_MAX - 1;
	st_opaque(index);
	return &inside->parts[index & (ST_PARTS_MAX - 1)];
}

static __always_inline struct st_inside *st_inside_make(__u64 task)
{
	struct st_inside *none;
	__u32 zero = 0;

	if (!st_calls_config.limit_ns)
		return 0;
	none = bpf_map_lookup_elem(&st_no_inside, &zero);
	if (!none || (int)bpf_map_update_elem(&st_insides, &task, none, BPF_NOEXIST))
		return 0;
	return bpf_map_lookup_elem(&st_insides, &task);
}

__noinline int st_slow_begin(__u64 begun_ns, __u64 sp)
{
	__u64 task = bpf_get_current_task();
	struct st_inside *inside = st_inside_of(task);

	if (!inside)
		inside = st_inside_make(task);
	if (!inside)
		return 0;
	if (inside->unfit.nr) {
		__builtin_memset(&inside->unfit, 0, sizeof(inside->unfit));
		__builtin_memset(&inside->left_unfit, 0, sizeof(inside->left_unfit));
	}
	inside->task = task;
	inside->sp = sp;
	inside->out_ns = 0;
	inside->waited_ns = 0;
	inside->left = inside->nr_left = 0;
	inside->left_waited_ns = 0;
	*(volatile __u64 *)&inside->begun_ns = begun_ns & ~1ULL;
	return 0;
}

/* Keeps a wait or a sample. A global function, as the next ones, because the verifier would follow each call of an inline one. */
__noinline int st_part_keep(__u64 task, __u32 tried, __u32 state, __u64 span_ns)
{
	struct st_inside *inside = st_inside_of(task);
	struct st_part *part;
	__u64 stamp;

	if (!inside)
		return 1;
	part = st_part_at(inside, (__u32)inside->sleeper.lo + state + tried);
	stamp = inside->begun_ns + inside->left;
	if (part->stamp >> 1 != stamp >> 1) {
		part->id = inside->sleeper;
		part->state = state;
		part->ns = 0;
		part->nr = 0;
		part->stamp = stamp;
	} else if (part->stamp != stamp || part->id.lo != inside->sleeper.lo || part->id.hi != inside->sleeper.hi ||
		   part->state != state) {
		return 0;
	}
	part->nr++;
	part->ns += span_ns;
	return 1;
}

/* The same of the thread's last record, where there is room. */
__noinline int st_slow_add(__u64 task, __u32 state, __u64 span_ns)
{
	struct st_inside *inside = st_inside_of(task);

	if (!inside)
		return 0;
	inside->waited_ns += span_ns;
	if (inside->left) {
		inside->nr_left++;
		inside->left_waited_ns += span_ns;
	}
	if (inside->sleeper.lo | inside->sleeper.hi)
		for (__u32 tried = 0; tried < ST_PARTS_TRIED; tried++)
			if (st_part_keep(task, tried, state, span_ns))
				return 0;
	inside->unfit.nr++;
	inside->unfit.ns[state & (THREAD_NR_STATES - 1)] += span_ns;
	if (inside->left) {
		inside->left_unfit.nr++;
		inside->left_unfit.ns[state & (THREAD_NR_STATES - 1)] += span_ns;
	}
	return 0;
}

/* ---- counting ---- */

/* `how`: WALL_REASON(); 0: timed samples. */
__noinline int st_slow_count(__u64 lo, __u64 hi, __u32 how, __u64 nr, __u64 ns)
{
	struct st_pair pair = { .sleeper = { lo, hi }, .kind = ST_MESSAGE_PAIR, .reason = how };
	struct st_way way = {};

	if (!st_calls_config.limit_ns || st_way_begin(&way))
		return 0;
	ST_NOTE(way.stats->seen, nr);
	if (!how) {
		st_count_several(&way, &pair.sleeper, nr, 0);
		return 0;
	}
	st_name_pair(&pair, 0);
	if (st_count_several(&way, &pair.id, nr, ns))
		st_send_pair(&way, &pair);
	return 0;
}

/* Those with the stamp are counted. */
__noinline int st_slow_count_part(__u64 task, __u64 stamp, __u32 index)
{
	struct st_inside *inside = st_inside_of(task);
	struct st_part *part;

	if (!inside)
		return 0;
	part = st_part_at(inside, index);
	if (part->stamp != stamp)
		return 0;
	part->stamp = 0;
	return st_slow_count(part->id.lo, part->id.hi, part->state == THREAD_ON_CPU ? 0 : WALL_REASON(part->state, 0),
			     part->nr, part->ns);
}

__noinline int st_part_stays(__u64 task, __u32 index)
{
	struct st_inside *inside = st_inside_of(task);
	struct st_part *part;

	if (!inside)
		return 0;
	part = st_part_at(inside, index);
	if (part->stamp == inside->begun_ns + 1)
		part->stamp = inside->begun_ns;
	return 0;
}

/* What came after a place of CALL_MAY_END was still inside. */
static __always_inline void st_slow_stays(struct st_inside *inside, __u64 task)
{
	if (!inside->nr_left)
		return;
	for (__u32 i = 0; i < ST_PARTS_MAX; i++)
		st_part_stays(task, i);
	inside->nr_left = 0;
	inside->left_waited_ns = 0;
	if (inside->left_unfit.nr)
		__builtin_memset(&inside->left_unfit, 0, sizeof(inside->left_unfit));
}

__noinline int st_slow_may_end(void)
{
	__u64 task = bpf_get_current_task();
	struct st_inside *inside = st_inside_of(task);

	if (!inside)
		return 0;
	st_slow_stays(inside, task);
	inside->left = 1;
	return 0;
}

/*
 * The record of the current thread without stacks, for its time on the CPU. Sends it, and returns its id in the entry. It is only a head,
 * and hashed here: before 6.8 the programs of calls would have st_hash() and the scratch slots to verify where nothing is slow.
 */
__noinline int st_slow_send_self(__u64 task)
{
	struct st_stack_head head = { .kind = ST_MESSAGE_STACK, .program = PROGRAM_RAW_TRACEPOINT };
	struct st_id id = { st_config.seed[0], st_config.seed[1] };
	struct st_inside *inside = st_inside_of(task);
	struct st_who who = {};
	struct st_way way = {};
	__u32 one = 1;

	if (!inside || st_way_begin(&way))
		return 0;
	st_who_is_current(&who);
	st_task_identity(&head);
	st_fill_key(&head, &who, 0);
#pragma unroll
	for (int i = ST_KEY_FIRST_WORD; i < ST_HEAD_WORDS; i++)
		st_mix(&id, ((volatile __u64 *)&head)[i]);
	head.id = id;
	st_stamp(&head, bpf_ktime_get_ns());
	inside->sleeper = id;
	if (bpf_map_lookup_elem(&st_known, &id))
		return 1;
	if ((int)bpf_ringbuf_output(&st_ring, &head, sizeof(head), st_wake_flag(head.tgid))) {
		st_note_refused(&way);
		return 1;
	}
	ST_NOTE(way.stats->sent, 1);
	bpf_map_update_elem(&st_known, &id, &one, BPF_ANY);
	return 1;
}

static __always_inline void st_slow_note(enum st_loss loss, __u64 nr)
{
	struct st_way way = {};

	if (nr && !st_way_begin(&way))
		ST_NOTE(way.stats->losses[loss], nr);
}

/* Another thread cannot make the records, so what was inside a call that ends with its thread is not counted. */
static __always_inline int st_slow_counts(__u64 task, __u64 length_ns)
{
	return length_ns != ST_LENGTH_UNKNOWN && (length_ns < st_calls_config.limit_ns) == st_calls_config.below &&
	       task == bpf_get_current_task();
}

__noinline int st_slow_end(__u64 task, __u64 length_ns, __u32 has_left)
{
	struct st_inside *inside = st_inside_of(task);
	__u64 begun_ns, waited_ns, unfit_ns;

	if (!st_calls_config.limit_ns)
		return 0;
	if (!inside) {
		st_slow_note(ST_LOSS_CALL_NO_ROOM, st_slow_counts(task, length_ns));
		return 0;
	}
	if (!has_left)
		st_slow_stays(inside, task);
	begun_ns = inside->begun_ns;
	*(volatile __u64 *)&inside->begun_ns = 0;
	if (!begun_ns || !st_slow_counts(task, length_ns))
		return 0;
	for (__u32 i = 0; i < ST_PARTS_MAX; i++)
		st_slow_count_part(task, begun_ns, i);
	st_slow_note(ST_LOSS_CALL_PARTS, inside->unfit.nr - inside->left_unfit.nr);
	if (!st_slow_send_self(task))
		return 0;
	for (__u32 state = THREAD_RUNNABLE; inside->unfit.nr && state < THREAD_NR_STATES; state++) {
		unfit_ns = inside->unfit.ns[state] - inside->left_unfit.ns[state];
		if (unfit_ns)
			st_slow_count(inside->sleeper.lo, inside->sleeper.hi, WALL_REASON(state, 0), 1, unfit_ns);
	}
	waited_ns = inside->waited_ns - inside->left_waited_ns;
	if (length_ns > waited_ns)
		st_slow_count(inside->sleeper.lo, inside->sleeper.hi, WALL_REASON(THREAD_ON_CPU, 0), 1,
			      length_ns - waited_ns);
	return 0;
}

/* ---- events ---- */

/*
 * Whether the current thread is inside a call. A call of a user function has ended without return if the thread is a little above it on
 * the stack. If it is far above, it may be on another stack, and come back.
 */
static __always_inline struct st_inside *st_slow_current(void)
{
	__u64 task = bpf_get_current_task();
	struct st_inside *inside = st_inside_of(task);

	if (!inside || !inside->begun_ns)
		return 0;
#if defined(__TARGET_ARCH_x86)
	if (st_calls_config.in_user_code && st_config.task_access == TASK_ACCESS_PROBE_READ) {
		const __u64 *registers = st_task_registers((struct task_struct *)task);
		__u64 sp = 0;

		bpf_probe_read_kernel(&sp, sizeof(sp), registers + ST_PT_SP);
		if (sp > inside->sp && sp - inside->sp < ST_NEAR)
			st_calls_close(task, sp, 0);
	}
#endif
	return inside->begun_ns ? inside : 0;
}

static __always_inline int st_slow_out(void *ctx, const struct st_way *way, struct task_struct *task, __u32 state,
				       __u64 now)
{
	struct st_inside *inside = st_slow_current();
	struct st_who who = {};
	struct st_slot *slot;
	__u32 index = 0;

	if (!inside || state & ST_TASK_DEAD)
		return 0;
	st_who_is_current(&who);
	inside->sleeper = (struct st_id){};
	slot = st_slot_claim(&index);
	if (slot) {
		st_build_sleeper(ctx, way, slot, index, &who, task, now);
		st_send_record(way, &slot->stack);
		inside->sleeper = slot->stack.head.id;
		st_slot_release(slot);
	}
	inside->state = st_state_outside(way, task, state);
	inside->woken_ns = 0;
	inside->out_ns = now;
	return 1;
}

static __always_inline int st_slow_in(struct task_struct *thread, __u64 now)
{
	struct st_inside *inside = st_inside_of((__u64)thread);
	__u64 task, out_ns, woken_ns;

	if (!inside || !inside->begun_ns || !inside->out_ns)
		return 0;
	task = inside->task; /* a global function takes no pointer */
	out_ns = inside->out_ns;
	woken_ns = inside->woken_ns;
	inside->out_ns = 0;
	if (st_is_runnable(inside->state)) {
		st_slow_add(task, inside->state, now - out_ns);
		return 1;
	}
	if (woken_ns < out_ns || woken_ns > now)
		woken_ns = now;
	st_slow_add(task, inside->state, woken_ns - out_ns);
	if (now > woken_ns)
		st_slow_add(task, THREAD_RUNNABLE, now - woken_ns);
	return 1;
}

SEC("?tp_btf/sched_switch")
int on_slow_switch(__u64 *ctx)
{
	struct st_switch change = st_read_switch(ctx);
	__u64 now = bpf_ktime_get_ns();
	struct st_way way = {};
	int wanted;

	if (st_way_begin(&way))
		return ST_RETURN_TP_BTF;
	wanted = st_slow_out(ctx, &way, change.prev, change.state, now);
	wanted |= st_slow_in(change.next, now);
	st_cost_stop(now, now, 0, (__u32)wanted);
	return ST_RETURN_TP_BTF;
}

/* sched_wakeup, not sched_waking: it comes after the switch of a thread that falls asleep. */
SEC("?tp_btf/sched_wakeup")
int on_slow_wakeup(__u64 *ctx)
{
	struct st_inside *inside = st_inside_of(ST_ARGUMENT(ctx, 0));

	if (inside && inside->out_ns && !inside->woken_ns)
		inside->woken_ns = bpf_ktime_get_ns();
	return ST_RETURN_TP_BTF;
}

SEC("?perf_event")
int on_slow_sample(struct bpf_perf_event_data *ctx)
{
	struct st_inside *inside = st_slow_current();
	struct st_who who = {};
	struct st_slot *slot;
	struct st_way way = {};
	__u64 begun = bpf_ktime_get_ns();
	__u32 index = 0;

	if (!inside || st_way_begin(&way))
		return ST_RETURN_PERF_EVENT;
	slot = st_slot_claim(&index);
	if (!slot)
		return ST_RETURN_PERF_EVENT; /* the time is on the other samples */
	st_who_is_current(&who);
	st_build(ctx, &way, slot, index, &who, PROGRAM_SAMPLE, 0);
	st_stamp(&slot->stack.head, begun);
	st_send_record(&way, &slot->stack);
	inside->sleeper = slot->stack.head.id;
	st_slot_release(slot);
	st_slow_add(bpf_get_current_task(), THREAD_ON_CPU, 0);
	st_cost_stop(begun, begun, 0, 1);
	return ST_RETURN_PERF_EVENT;
}
