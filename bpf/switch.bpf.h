/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "bpf/record.bpf.h"
#include "bpf/task_state.bpf.h"

/* Only waits for user locks: bpf/on_lock.bpf.c. */
#ifndef ST_WATCHES_LOCKS
#define ST_WATCHES_LOCKS 0
#endif

/*
 * Global functions of lock.bpf.c about the current thread. Whether it waits for a user lock; a note of its ids, and its removal; and what
 * bpf/lock.h has, for the record in this slot. st_lock_thread() returns the thread's id in its own pid namespace (0: unknown), or its
 * negative: the map is full.
 */
int st_lock_waits(void);
int st_lock_thread(__u32 tid);
int st_lock_forget(__u32 own);
int st_lock_note(__u32 slot_index);

/*
 * Argument `at` of a tracepoint. In assembly, because the compiler would merge two loads into one with a computed offset, which the
 * verifier refuses.
 */
#define ST_ARGUMENT(ctx, at)                                                               \
	({                                                                                 \
		__u64 value_;                                                              \
		asm volatile("%0 = *(u64 *)(%1 + 8 * " #at ")" : "=r"(value_) : "r"(ctx)); \
		value_;                                                                    \
	})

/* For kernels before v5.18, whose arguments do not have the state. If the thread has been woken, its state may have changed. */
static __always_inline __u32 st_state_of(struct task_struct *task)
{
	if (bpf_core_field_exists(task->__state))
		return task->__state;
	return ((struct task_struct___before_5_14 *)task)->state;
}

struct st_switch {
	struct task_struct *prev, *next;
	__u32 state; /* of prev; 0: it was preempted */
};

static __always_inline struct st_switch st_read_switch(__u64 *ctx)
{
	int preempt = (__u8)ST_ARGUMENT(ctx, 0);
	struct st_switch change = {};

	if (st_offcpu.switch_order == SWITCH_STATE_PREV_NEXT) {
		change.state = ST_ARGUMENT(ctx, 1);
		change.prev = (struct task_struct *)ST_ARGUMENT(ctx, 2);
		change.next = (struct task_struct *)ST_ARGUMENT(ctx, 3);
	} else {
		change.prev = (struct task_struct *)ST_ARGUMENT(ctx, 1);
		change.next = (struct task_struct *)ST_ARGUMENT(ctx, 2);
		change.state = st_offcpu.switch_order == SWITCH_PREV_NEXT_STATE ? (__u32)ST_ARGUMENT(ctx, 3)
										: st_state_of(change.prev);
	}
	if (preempt)
		change.state = 0;
	return change;
}

/* Whether the thread was stopped by stacktool (core/host/hold.h), not by the program. Only the held command passes the filters then. */
static __always_inline int st_is_held(const struct st_way *way, __u32 state)
{
	return state & ST_TASK_TRACED && *(volatile __u64 *)&way->control->held;
}

/* ---- states ---- */

static __always_inline int st_is_queued(struct task_struct *task)
{
	if (bpf_core_field_exists(task->se.sched_delayed) && task->se.sched_delayed)
		return 0;
	return task->on_rq != 0;
}

/* Whether it is ready to run, and its cgroup may not use the CPU. A thread of a real-time class has no such quota. */
static __always_inline int st_is_throttled(struct task_struct *task)
{
	if (bpf_core_field_exists(task->throttled))
		return task->throttled;
	if (!bpf_core_field_exists(task->se.cfs_rq) || !bpf_core_field_exists(task->se.cfs_rq->throttle_count) ||
	    task->prio < ST_FIRST_FAIR_PRIO)
		return 0;
	return task->se.cfs_rq->throttle_count > 0;
}

static __always_inline int st_is_runnable(__u32 state)
{
	return state == THREAD_RUNNABLE || state == THREAD_THROTTLED;
}

/* The enum thread_state of a thread that has just left the CPU with `state`. */
static __always_inline __u32 st_state_outside(const struct st_way *way, struct task_struct *task, __u32 state)
{
	if (!state || st_is_queued(task))
		return st_is_throttled(task) ? THREAD_THROTTLED : THREAD_RUNNABLE;
	return st_is_held(way, state) ? THREAD_HELD : st_wall_state(state);
}

/*
 * Builds the record of the thread that leaves the CPU. The thread is still current, but under lockdown some kernels allow only the
 * tracepoint's argument to be read (task.bpf.h).
 */
static __always_inline void st_build_sleeper(void *ctx, const struct st_way *way, struct st_slot *slot, __u32 index,
					     const struct st_who *who, struct task_struct *task, __u64 now)
{
	struct st_stack *stack = &slot->stack;

	st_begin_record(stack, PROGRAM_RAW_TRACEPOINT);
	st_stamp(&stack->head, now);
	if (st_config.task_access == TASK_ACCESS_PROBE_READ)
		stack->head.start_time_ns = BPF_CORE_READ(task, group_leader, start_time);
	else
		stack->head.start_time_ns = task->group_leader->start_time;
	stack->head.exec_id = task->self_exec_id;
	if (st_offcpu.measure != MEASURE_WAKE) {
		st_take_kernel_stack(ctx, way->stats, stack, PROGRAM_RAW_TRACEPOINT);
		st_user_stack(ctx, way, slot, index, st_known_tgid(who), PROGRAM_RAW_TRACEPOINT);
	}
	st_fill_key(&stack->head, who, 0);
	if (ST_WATCHES_LOCKS)
		st_lock_note(index);
	st_hash_record(stack, index);
}

/* st_span_class() as a global function (on_switch.bpf.c). */
__u64 st_class_of(__u64 span_ns);

/* Computes the pair's id. With by_time it is unique: the sleeper's record has its thread, which ends one interval at a time. */
static __always_inline void st_name_pair(struct st_pair *pair, __u64 span_ns)
{
	struct st_id id = { st_config.seed[1], st_config.seed[0] };

	st_mix(&id, pair->sleeper.lo);
	st_mix(&id, pair->sleeper.hi);
	st_mix(&id, pair->waker.lo);
	st_mix(&id, pair->waker.hi);
	st_mix(&id, pair->reason);
	if (st_offcpu.by_time)
		st_mix(&id, pair->time_ns);
	else if (st_offcpu.by_duration)
		st_mix(&id, st_class_of(span_ns));
	id.lo ^= id.lo >> 31;
	id.hi ^= id.hi >> 31;
	pair->id = id;
}

/* Sends the pair unless it was sent. A pair with a time never comes again, so it does not enter the cache. */
static __always_inline void st_send_pair(const struct st_way *way, const struct st_pair *pair)
{
	__u32 one = 1;

	if (!st_offcpu.by_time && bpf_map_lookup_elem(&st_known, &pair->id))
		return;
	if ((int)bpf_ringbuf_output(&st_ring, (void *)pair, sizeof(*pair), st_wake_flag(0))) {
		st_note_refused(way);
		return;
	}
	ST_NOTE(way->stats->sent, 1);
	if (!st_offcpu.by_time)
		bpf_map_update_elem(&st_known, &pair->id, &one, BPF_ANY);
}

static __always_inline void st_count_pair(const struct st_way *way, struct st_pair *pair, __u64 span_ns, __u64 now)
{
	pair->kind = ST_MESSAGE_PAIR;
	if (st_offcpu.by_time) {
		pair->time_ns = now;
		pair->cpu = bpf_get_smp_processor_id();
	}
	st_name_pair(pair, span_ns);
	if (st_count(way, &pair->id, span_ns))
		st_send_pair(way, pair);
}

static __always_inline void st_note_lost(const struct st_way *way, __u32 loss)
{
	ST_NOTE(way->stats->seen, 1);
	ST_NOTE(way->stats->losses[loss], 1);
}
