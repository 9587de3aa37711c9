// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The scheduler's tracepoints, by BTF: their arguments are task_structs that can be read by plain dereference, also under
 * lockdown=confidentiality. sched_waking and not sched_wakeup: it fires in the context of the waker.
 */
#include "bpf/offcpu.bpf.h"
#include "bpf/returns.h"

/*
 * Argument `at` of a tracepoint. In assembly, because the compiler would merge loads from different places into one whose
 * offset it computes, which the verifier refuses.
 */
#define ST_ARGUMENT(ctx, at)                                                               \
	({                                                                                 \
		__u64 value_;                                                              \
		asm volatile("%0 = *(u64 *)(%1 + 8 * " #at ")" : "=r"(value_) : "r"(ctx)); \
		value_;                                                                    \
	})

/* Before v5.18 the state is not among the arguments. It may have changed since: the thread can have been woken already. */
static __always_inline __u32 st_state_of(struct task_struct *task)
{
	if (bpf_core_field_exists(task->__state))
		return task->__state;
	return ((struct task_struct___before_5_14 *)task)->state;
}

static __always_inline void st_switched(__u64 *ctx)
{
	int preempt = (__u8)ST_ARGUMENT(ctx, 0);
	struct task_struct *prev, *next;
	__u64 now = bpf_ktime_get_ns();
	struct st_way way = {};
	__u32 state;

	if (st_offcpu.switch_order == SWITCH_STATE_PREV_NEXT) {
		state = ST_ARGUMENT(ctx, 1);
		prev = (struct task_struct *)ST_ARGUMENT(ctx, 2);
		next = (struct task_struct *)ST_ARGUMENT(ctx, 3);
	} else {
		prev = (struct task_struct *)ST_ARGUMENT(ctx, 1);
		next = (struct task_struct *)ST_ARGUMENT(ctx, 2);
		state = st_offcpu.switch_order == SWITCH_PREV_NEXT_STATE ? (__u32)ST_ARGUMENT(ctx, 3)
									 : st_state_of(prev);
	}
	if (st_way_begin(&way))
		return;
	if (prev->pid)
		st_switch_out(ctx, &way, prev, preempt ? 0 : state, now);
	if (next->pid)
		st_switch_in(&way, next, now);
	st_cost_stop(now, now, 0);
}

SEC("?tp_btf/sched_switch")
int on_switch(__u64 *ctx)
{
	st_switched(ctx);
	return ST_RETURN_TP_BTF;
}

static __always_inline void st_woken(void *ctx, struct task_struct *task, __u8 context)
{
	__u64 now = bpf_ktime_get_ns();
	struct st_way way = {};

	if (st_way_begin(&way))
		return;
	st_wake(ctx, &way, task, context, now);
	st_cost_stop(now, now, 0);
}

SEC("?tp_btf/sched_waking")
int on_waking(__u64 *ctx)
{
	struct task_struct *task = (struct task_struct *)ST_ARGUMENT(ctx, 0);

	st_woken(ctx, task, st_context());
	return ST_RETURN_TP_BTF;
}

/* Where the preemption count cannot be had; user space then tells interrupts by the names in the stack. */
SEC("?tp_btf/sched_waking")
int on_waking_anywhere(__u64 *ctx)
{
	struct task_struct *task = (struct task_struct *)ST_ARGUMENT(ctx, 0);

	st_woken(ctx, task, 0);
	return ST_RETURN_TP_BTF;
}
