// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How long calls of functions take.
 *
 * A program runs at the start of a function and at each of its exits. Each thread has a list of its unfinished calls, with the stack
 * address of each return address. At an exit, the stack pointer has this address, which identifies the call. A call that ended in another
 * way (an exception, longjmp()) is removed when a program sees a higher stack pointer.
 *
 * A jump out of a function ends the call if the frame is removed. The program cannot know whether a conditional jump is taken, or whether
 * an indirect jump leaves the function. So it stores the time of the jump. The call ended at the jump unless the thread reaches another
 * exit of the call before its frame is gone.
 *
 * At the exit of a kernel function or a system call, the stack address is unknown. There, the innermost call of that function ends. With
 * fexit, the place of its arguments on the stack stands for it.
 *
 * Calls in order (between two USDT probes) have no stack address at all. So their list has those that are nested too deep to be counted,
 * because each end belongs to the last begin.
 */
#include "bpf/calls.bpf.h"
#include "bpf/probe.bpf.h"

#define ST_STACK_RANGE (8 << 20) /* calls on user stacks that are further apart may be on two stacks */
#define ST_KERNEL_STACK_SHIFT 14 /* log2 of the size of a kernel stack, to which it is aligned */

/* Whether a call whose return address is at `sp` is over: it is on the same stack as `now`, and below it. */
static __always_inline int st_is_below(__u64 sp, __u64 now)
{
	if (sp >= now)
		return 0;
	return sp >> 63 ? !((sp ^ now) >> ST_KERNEL_STACK_SHIFT) : now - sp <= ST_STACK_RANGE;
}

/* ---- the list ---- */

static __always_inline struct st_calls *st_calls_of_current(void)
{
	__u64 key = bpf_get_current_task();

	return bpf_map_lookup_elem(&st_calls, &key);
}

/* Creates the list of the current thread. A global function, because it is rare. */
__noinline int st_calls_begin(void)
{
	__u64 key = bpf_get_current_task();
	struct st_calls *fresh, *list;
	struct st_who who = {};
	__u32 zero = 0;

	fresh = bpf_map_lookup_elem(&st_no_calls, &zero);
	if (!fresh || (int)bpf_map_update_elem(&st_calls, &key, fresh, BPF_NOEXIST))
		return -1;
	list = bpf_map_lookup_elem(&st_calls, &key);
	if (!list)
		return -1;
	st_who_is_current(&who);
	if (st_config.key_parts & KEY_TGID)
		list->tgid = who.tgid;
	return 0;
}

static __always_inline struct st_call *st_call_at(struct st_calls *list, __u32 index)
{
	index &= ST_CALLS_MAX - 1;
	st_opaque(index);
	return &list->calls[index & (ST_CALLS_MAX - 1)];
}

/* ---- what is counted ---- */

/* A global function: several places call it. */
__noinline int st_call_count(__u32 function, __u32 tgid, __u64 length_ns)
{
	struct st_id id = ST_LENGTH_ID(function, tgid, st_class(length_ns / st_calls_config.unit_ns));
	struct st_way way = {};

	if (st_way_begin(&way))
		return 0;
	if (st_calls_config.limit_ns && length_ns >= st_calls_config.limit_ns)
		id.lo |= ST_LENGTH_SLOW;
	ST_NOTE(way.stats->seen, 1);
	st_count(&way, &id, length_ns);
	return 0;
}

/* Counts a call that is not in the histogram. For a loss of class EVENT, also counts it as seen. */
__noinline int st_call_lost(__u32 loss, __u32 is_event)
{
	struct st_way way = {};

	if (st_way_begin(&way) || loss >= ST_NR_LOSSES)
		return 0;
	ST_NOTE(way.stats->losses[loss], 1);
	if (is_event)
		ST_NOTE(way.stats->seen, 1);
	return 0;
}

static __always_inline int st_call_left_out(void)
{
	struct st_way way = {};

	if (st_way_begin(&way))
		return 0;
	ST_NOTE(way.stats->seen, 1);
	ST_NOTE(way.stats->filtered, 1);
	return 0;
}

/* Whether a call is in the list only for the order. `number`: its index + 1. */
static __always_inline int st_call_is_nested(__u32 number)
{
	return st_calls_config.in_order && st_calls_config.levels && number > st_calls_config.levels;
}

/* Closes a call without an observed exit. */
static __always_inline void st_call_close(const struct st_call *call, __u64 task, __u32 tgid)
{
	if (call->function == ST_NO_FUNCTION)
		return;
	if (st_calls_config.limit_ns)
		st_slow_end(task, call->left_ns ? call->left_ns - call->begun_ns : ST_LENGTH_UNKNOWN, 1);
	if (call->left_ns)
		st_call_count(call->function, tgid, call->left_ns - call->begun_ns);
	else
		st_call_lost(ST_LOSS_CALL_NO_RETURN, 0);
}

/*
 * Closes the innermost call of a thread if it is nested in more than `keep` calls, and its stack is below `until`. until = 0: in any case.
 * Returns whether it did. A global function, so that the verifier follows it once instead of once for each call.
 */
__noinline int st_call_close_last(__u64 task, __u64 until, __u32 keep)
{
	struct st_calls *list = bpf_map_lookup_elem(&st_calls, &task);
	struct st_call *call;
	__u32 depth;

	if (!list)
		return 0;
	depth = *(volatile __u32 *)&list->depth;
	if (depth <= keep || depth > ST_CALLS_MAX)
		return 0;
	call = st_call_at(list, depth - 1);
	if (until && call->function != ST_NO_FUNCTION && !st_is_below(call->sp, until))
		return 0;
	if (!st_call_is_nested(depth))
		st_call_close(call, task, list->tgid);
	list->depth = depth - 1;
	return 1;
}

/* Calls st_call_close_last() for all calls. */
__noinline int st_calls_close(__u64 task, __u64 until, __u32 keep)
{
	for (int i = 0; i < ST_CALLS_MAX && st_call_close_last(task, until, keep); i++)
		;
	return 0;
}

/* Whether this call of the list is that of `function` at `sp`; sp = 0: any call of the function. */
__noinline int st_call_is(__u32 index, __u64 sp, __u32 function)
{
	struct st_calls *list = st_calls_of_current();
	struct st_call *call = list ? st_call_at(list, index) : NULL;

	return call && call->function == function && (!sp || call->sp == sp);
}

/* Finds the innermost such call: returns its index + 1, or 0. */
__noinline int st_calls_find(__u32 depth, __u64 sp, __u32 function)
{
	for (__u32 i = 0; i < ST_CALLS_MAX && i < depth; i++)
		if (st_call_is(depth - 1 - i, sp, function))
			return (int)(depth - i);
	return 0;
}

/* ---- events ---- */

static __always_inline int st_call_is_wanted(void)
{
	struct st_who who = {};

	if (!st_config.filters)
		return 1;
	st_who_is_current(&who);
	return st_wanted(&who);
}

/* Whether the innermost call may be over, because the stack is at `sp`. */
static __always_inline int st_is_above(struct st_calls *list, __u64 sp)
{
	return list->depth && sp && st_call_at(list, list->depth - 1)->sp <= sp;
}

/* The lower half of a user function's return address; 0: it cannot be read, as under lockdown=confidentiality. */
static __always_inline __u32 st_call_returns_to(__u64 sp)
{
	__u32 half = 0;

	if (st_calls_config.in_user_code && st_config.task_access == TASK_ACCESS_PROBE_READ && sp)
		bpf_probe_read_user(&half, sizeof(half), (void *)sp);
	return half;
}

/*
 * Closes the innermost call if its return address is no longer on the stack: it has ended without return, and a caller of it has called
 * something else. Returns whether it did.
 */
__noinline int st_call_close_overwritten(__u64 task)
{
	struct st_calls *list = bpf_map_lookup_elem(&st_calls, &task);
	struct st_call *call;
	__u32 depth, now;

	if (!list)
		return 0;
	depth = *(volatile __u32 *)&list->depth;
	if (!depth || depth > ST_CALLS_MAX)
		return 0;
	call = st_call_at(list, depth - 1);
	now = call->returns_to ? st_call_returns_to(call->sp) : 0;
	return now && now != call->returns_to && st_call_close_last(task, 0, depth - 1);
}

/* Returns whether the call passes the filters. */
static __always_inline int st_call_begins(__u32 function, __u64 sp)
{
	struct st_calls *list;
	struct st_call *call;
	__u32 depth, levels;

	if (!st_call_is_wanted()) {
		st_call_left_out();
		return 0;
	}
	list = st_calls_of_current();
	if (!list && !st_calls_begin())
		list = st_calls_of_current();
	if (!list) {
		st_call_lost(ST_LOSS_CALL_FULL, 1);
		return 1;
	}
	if (st_is_above(list, sp))
		st_calls_close(bpf_get_current_task(), sp + 1, 0);
	else if (st_calls_config.levels && st_calls_config.in_user_code)
		st_call_close_overwritten(bpf_get_current_task());
	depth = *(volatile __u32 *)&list->depth;
	levels = st_calls_config.levels && !st_calls_config.in_order ? st_calls_config.levels : ST_CALLS_MAX;
	if (st_call_is_nested(depth + 1) && (depth >= ST_CALLS_MAX || ++list->nr_nested > ST_NESTED_MAX)) {
		st_calls_close(bpf_get_current_task(), 0, 0);
		depth = 0;
	}
	if (!depth)
		list->nr_left_out = list->nr_nested = 0;
	if (depth >= levels) {
		list->nr_left_out++;
		if (st_calls_config.levels)
			st_call_left_out();
		else
			st_call_lost(ST_LOSS_CALL_DEEP, 1);
		return 1;
	}
	call = st_call_at(list, depth);
	call->sp = sp;
	call->function = function;
	call->left_ns = 0;
	call->returns_to = st_call_returns_to(sp);
	list->depth = depth + 1;
	if (st_call_is_nested(depth + 1)) {
		st_call_left_out();
		return 1;
	}
	call->begun_ns = bpf_ktime_get_ns();
	if (st_calls_config.limit_ns)
		st_slow_begin(call->begun_ns, sp);
	return 1;
}

/* A function that is one instruction: two probes there would have no order. */
static __always_inline int st_call_at_once(__u32 function, __u64 sp)
{
	struct st_calls *list = st_calls_config.levels ? st_calls_of_current() : NULL;
	struct st_who who = {};

	if (!st_call_is_wanted()) {
		st_call_left_out();
		return 0;
	}
	if (list && st_is_above(list, sp))
		st_calls_close(bpf_get_current_task(), sp + 1, 0);
	if (list && *(volatile __u32 *)&list->depth >= st_calls_config.levels) {
		st_call_left_out();
		return 1;
	}
	st_who_is_current(&who);
	st_call_count(function, st_config.key_parts & KEY_TGID ? who.tgid : 0, 0);
	return 1;
}

/* Handles an end whose call is not in the list. */
static __always_inline int st_call_is_unknown(struct st_calls *list)
{
	if (list && list->nr_left_out) {
		list->nr_left_out--;
		return 1;
	}
	if (st_config.use_cpus || !st_call_is_wanted()) /* it may have begun on a CPU that the filter excludes */
		return 0;
	st_call_lost(ST_LOSS_CALL_NO_BEGIN, 0);
	return 1;
}

static __always_inline int st_call_ends(__u32 function, __u32 part, __u64 sp, __u64 now)
{
	struct st_calls *list = st_calls_of_current();
	struct st_call *call;
	__u32 depth, number;

	if (!list)
		return part == CALL_ENDS ? st_call_is_unknown(list) : 0;
	depth = *(volatile __u32 *)&list->depth;
	call = st_call_at(list, depth - 1);
	number = depth;
	/*
	 * Calls that were left out are inside those of the list. Without stack addresses, a call whose end was missed would keep
	 * nr_left_out too high.
	 */
	if (!sp && part == CALL_ENDS && list->nr_left_out && depth && depth <= ST_CALLS_MAX && call->sp) {
		list->nr_left_out--;
		return 1;
	}
	if (!depth || depth > ST_CALLS_MAX || call->function != function || (sp && call->sp != sp)) {
		if (st_is_above(list, sp))
			st_calls_close(bpf_get_current_task(), sp, 0);
		number = (__u32)st_calls_find(*(volatile __u32 *)&list->depth, sp, function);
		if (!number || number > ST_CALLS_MAX)
			return part == CALL_ENDS ? st_call_is_unknown(list) : 0;
		if (!sp)
			st_calls_close(bpf_get_current_task(), 0, number);
		depth = *(volatile __u32 *)&list->depth;
		call = st_call_at(list, number - 1);
	}
	if (part == CALL_MAY_END) {
		call->left_ns = now;
		if (st_calls_config.limit_ns)
			st_slow_may_end();
		return 1;
	}
	/* A call that is not the innermost one is on another stack than the calls after it. */
	if (number == depth)
		list->depth = depth - 1;
	else
		call->function = ST_NO_FUNCTION;
	if (st_call_is_nested(number))
		return 1;
	if (st_calls_config.limit_ns)
		st_slow_end(bpf_get_current_task(), now - call->begun_ns, 0);
	st_call_count(function, list->tgid, now - call->begun_ns);
	return 1;
}

/* `is_exact`: at an end of a call, `sp` is the address of its return address. */
static __always_inline void st_call_event(__u64 place, __u64 sp, int is_exact)
{
	__u64 now = bpf_ktime_get_ns();
	struct st_call_place *at;
	struct st_way way = {};
	__u32 key = (__u32)place;
	__u64 begun;
	int wanted;

	at = bpf_map_lookup_elem(&st_call_places, &key);
	if (!at || st_way_begin(&way) || st_is_shut(way.control))
		return;
	begun = st_is_timed(now, ST_COST_BITS) ? now : 0;
	if (at->part == CALL_BEGINS)
		wanted = st_call_begins(at->function, sp);
	else if (at->part == CALL_AT_ONCE)
		wanted = st_call_at_once(at->function, sp);
	else
		wanted = st_call_ends(at->function, at->part, is_exact ? sp : 0, now);
	if (begun)
		st_cost_stop(now, begun, key, (__u32)wanted);
}

/* ---- entry points ---- */

SEC("?uprobe")
int on_call_uprobe(struct pt_regs *ctx)
{
	st_no_private_stack(ctx);
	st_call_event(st_probe_of(ctx), st_calls_config.in_order ? 0 : PT_REGS_SP(ctx), 1);
	return ST_RETURN_UPROBE;
}

SEC("?uprobe.multi")
int on_call_uprobe_multi(struct pt_regs *ctx)
{
	st_no_private_stack(ctx);
	st_call_event(st_probe_of(ctx), st_calls_config.in_order ? 0 : PT_REGS_SP(ctx), 1);
	return ST_RETURN_UPROBE_MULTI;
}

/* Kernel functions: entries and returns, by kprobes and kretprobes. */
SEC("?kprobe")
int on_call_kprobe(struct pt_regs *ctx)
{
	st_call_event(st_probe_of(ctx), PT_REGS_SP(ctx), 0);
	return ST_RETURN_KPROBE;
}

SEC("?kprobe.multi")
int on_call_kprobe_multi(struct pt_regs *ctx)
{
	st_call_event(st_probe_of(ctx), PT_REGS_SP(ctx), 0);
	return ST_RETURN_KPROBE_MULTI;
}

/*
 * A call runs both programs from one trampoline, with their arguments at one place of its stack: it identifies the call. 0: it cannot be
 * read. The verifier does not allow to compare the pointer itself.
 */
static __always_inline __u64 st_trampoline_place(void *ctx)
{
	__u64 place = 0;

	if (st_config.task_access == TASK_ACCESS_PROBE_READ)
		bpf_probe_read_kernel(&place, sizeof(place), &ctx);
	return place;
}

SEC("?fentry")
int on_call_fentry(void *ctx)
{
	st_call_event(st_config.probe, st_trampoline_place(ctx), 1);
	return ST_RETURN_FENTRY;
}

SEC("?fexit")
int on_call_fexit(void *ctx)
{
	st_call_event(st_config.probe, st_trampoline_place(ctx), 1);
	return ST_RETURN_FENTRY;
}

/* A thread is in one system call at a time: the next one shows that the previous one has ended. */
static __always_inline void st_call_system(__u64 key)
{
	__u32 *place = bpf_map_lookup_elem(&st_syscalls, &key);

	if (place && !st_is_32bit_call())
		st_call_event(*place, 1, 0);
}

SEC("?raw_tp")
int on_call_enter(struct bpf_raw_tracepoint_args *ctx)
{
	st_call_system((__u32)ctx->args[1]);
	return ST_RETURN_RAW_TRACEPOINT;
}

SEC("?raw_tp")
int on_call_exit(struct bpf_raw_tracepoint_args *ctx)
{
	st_call_system(ST_SYSCALL_EXIT | st_ended_call((void *)ctx->args[0]));
	return ST_RETURN_RAW_TRACEPOINT;
}

static __always_inline void st_calls_end(__u64 task)
{
	st_calls_close(task, 0, 0);
	bpf_map_delete_elem(&st_calls, &task);
	if (st_calls_config.limit_ns)
		bpf_map_delete_elem(&st_insides, &task);
}

/* A task_struct is freed (sched_process_free). */
SEC("?raw_tp")
int on_call_gone(struct bpf_raw_tracepoint_args *ctx)
{
	st_calls_end(ctx->args[0]);
	return ST_RETURN_RAW_TRACEPOINT;
}

/*
 * A thread runs another program (sched_process_exec). Not the program above: task_structs are freed in softirqs, which may interrupt this
 * one, and from 6.1 on the kernel does not run a program inside itself.
 */
SEC("?raw_tp")
int on_call_exec(struct bpf_raw_tracepoint_args *ctx)
{
	st_calls_end(ctx->args[0]);
	return ST_RETURN_RAW_TRACEPOINT;
}
