// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The scheduler's tracepoints: how long threads are off the CPU, with which stack, and who wakes them.
 *
 * The programs are attached by BTF, so they can dereference the task_structs in their arguments, also under lockdown=confidentiality. They
 * use sched_waking, not sched_wakeup, because it runs in the context of the waker.
 *
 * The record of a sleeper is taken and sent when it leaves the CPU; st_tasks keeps its id. The interval ends when the thread comes back, or
 * for MEASURE_WAKE when it is woken. That end is the event: it counts in the generation that is live then. `seen` is the number of
 * intervals that ended, plus those whose start could not be kept (NO_SLOT, STATE_FULL), plus those with a switch that was not reported
 * (SWITCH_MISSED: on Linux 6.18 under load, where ftrace misses the same switches). Threads that do not pass the filters are not events.
 *
 * An entry of st_tasks is made once for a thread and then changed: inserting and deleting at each switch costs three times as much. The
 * entry is deleted when the thread leaves the CPU for the last time. Only the thread's own CPU and its waker write to it. The waker holds
 * the thread's pi_lock and writes the time after the record, so an old time means an old waker.
 *
 * A pair of sleeper and waker is a message of 64 bytes with its own id, sent after both records. With by_duration and by_time, sleepers
 * without a waker are pairs too, because the id is known only when the interval ends.
 */
#include "bpf/lock.h"
#include "bpf/returns.h"
#include "bpf/switch.bpf.h"

static __always_inline int st_wanted_thread(struct task_struct *task)
{
	if (st_offcpu.thread_filter == THREADS_USER)
		return !(task->flags & ST_PF_KTHREAD);
	if (st_offcpu.thread_filter == THREADS_KERNEL)
		return (task->flags & ST_PF_KTHREAD) != 0;
	return 1;
}

#define ST_LETTER(letter) (1U << ((letter) - 'A'))

/* The bit of a state's letter, as ps shows it; 't' is the highest bit. */
static __always_inline __u32 st_state_letter(__u32 state)
{
	if (!state)
		return ST_LETTER('R');
	if (state & ST_TASK_INTERRUPTIBLE)
		return ST_LETTER('S');
	if (state & ST_TASK_UNINTERRUPTIBLE)
		return state & ST_TASK_NOLOAD ? ST_LETTER('I') : ST_LETTER('D');
	if (state & ST_TASK_STOPPED)
		return ST_LETTER('T');
	if (state & ST_TASK_TRACED)
		return 1U << 31;
	return state & ST_TASK_PARKED ? ST_LETTER('P') : 0;
}

static __always_inline int st_wanted_state(__u32 state)
{
	if (st_offcpu.state_filter == STATES_LETTERS)
		return (st_state_letter(state) & st_offcpu.states) != 0;
	if (st_offcpu.state_filter == STATES_MASK)
		return st_offcpu.states ? (state & st_offcpu.states) != 0 : !state;
	return 1;
}

static __always_inline struct st_task *st_task_find(struct task_struct *task)
{
	__u64 key = (__u64)task;

	return bpf_map_lookup_elem(&st_tasks, &key);
}

/* The entry of a thread, created if needed. NULL: there is no room. */
static __always_inline struct st_task *st_task_get(struct task_struct *task)
{
	struct st_task *entry = st_task_find(task), none = {};
	__u64 key = (__u64)task;

	if (entry)
		return entry;
	bpf_map_update_elem(&st_tasks, &key, &none, BPF_NOEXIST);
	return bpf_map_lookup_elem(&st_tasks, &key);
}

static __always_inline void st_task_begin(struct st_task *entry, __u64 start_time_ns)
{
	entry->start_time_ns = start_time_ns;
	entry->running = 1;
	entry->out_ns = 0;
	entry->in_ns = 0;
	entry->waking_ns = 0;
	entry->waker_ns = 0;
	if (ST_WATCHES_LOCKS)
		entry->own = 0;
}

/* Notes the current thread as one that may be the owner of locks. */
static __always_inline void st_note_thread(const struct st_way *way, struct st_task *entry, __u32 tid)
{
	int own = st_lock_thread(tid);

	if (own < 0) {
		ST_NOTE(way->stats->losses[ST_LOSS_OWNERS_FULL], 1);
		own = -own;
	}
	entry->own = own;
}

static __always_inline void st_build_waker(void *ctx, const struct st_way *way, struct st_slot *slot, __u32 index,
					   __u8 context, __u64 now)
{
	struct st_stack *stack = &slot->stack;
	struct st_who who = {};

	st_begin_record(stack, PROGRAM_RAW_TRACEPOINT);
	st_stamp(&stack->head, now);
	st_take_kernel_stack(ctx, way->stats, stack, PROGRAM_RAW_TRACEPOINT);
	if (context) {
		stack->head.flags = context;
	} else {
		st_who_is_current(&who);
		if (st_config.want_user || st_config.key_parts & KEY_TGID)
			st_task_identity(&stack->head);
		st_user_stack(ctx, way, slot, index, st_known_tgid(&who), PROGRAM_RAW_TRACEPOINT);
		st_fill_key(&stack->head, &who, 0);
		if (ST_WATCHES_LOCKS)
			st_lock_note(index);
	}
	st_hash_record(stack, index);
}

/* ---- durations: global functions, because the verifier would follow inline ones on each of two dozen paths ---- */

__u64 st_woken_at(__u64 state, __u64 woken_ns, __u64 out_ns, __u64 came_ns, __u64 now);
int st_waker_reason(__u64 state, __u64 has_waker, __u64 woken_ns, __u64 came_ns);

#if !ST_WATCHES_LOCKS /* on_lock.bpf.c includes this file */

__noinline __u64 st_class_of(__u64 span_ns)
{
	return st_span_class(span_ns);
}

/*
 * When the thread became runnable, in an interval from `out_ns` to `now`. `came_ns`: when it came onto the CPU before `out_ns`. If the
 * wakeup was not seen, returns `now`.
 */
__noinline __u64 st_woken_at(__u64 state, __u64 woken_ns, __u64 out_ns, __u64 came_ns, __u64 now)
{
	if (!state || (woken_ns < out_ns && woken_ns > came_ns))
		return out_ns;
	return woken_ns < out_ns || woken_ns > now ? now : woken_ns;
}

/* Returns an enum waker_reason. `has_waker`: the waker's record belongs to this interval. */
__noinline int st_waker_reason(__u64 state, __u64 has_waker, __u64 woken_ns, __u64 came_ns)
{
	if (!state)
		return WAKER_PREEMPTED;
	if (has_waker)
		return WAKER_SEEN;
	return woken_ns > came_ns ? WAKER_BEFORE_SLEEP : WAKER_NOT_SEEN;
}

#endif

static __always_inline int st_wanted_span(__u64 span_ns)
{
	return span_ns >= st_offcpu.min_ns && span_ns <= st_offcpu.max_ns;
}

static __always_inline void st_sleep(void *ctx, const struct st_way *way, const struct st_who *who,
				     struct task_struct *task, struct st_task *entry, __u64 now)
{
	struct st_slot *slot;
	__u32 index = 0;

	slot = st_slot_claim(&index);
	if (!slot) {
		st_note_lost(way, ST_LOSS_NO_SLOT);
		return;
	}
	st_build_sleeper(ctx, way, slot, index, who, task, now);
	st_send_record(way, &slot->stack);
	entry->sleeper = slot->stack.head.id;
	if (ST_WATCHES_LOCKS)
		entry->owner = ST_LOCK_OWNER(&slot->stack.head);
	st_slot_release(slot);
	entry->out_ns = now;
}

/* Returns whether the thread passes the filters. */
static __always_inline int st_switch_out(void *ctx, const struct st_way *way, struct task_struct *task, __u32 state,
					 __u64 now)
{
	struct st_who who = {};
	struct st_task *entry;
	__u64 key = (__u64)task;

	if (state & ST_TASK_DEAD) {
		if (ST_WATCHES_LOCKS) {
			entry = st_task_find(task);
			if (entry && entry->start_time_ns == task->start_time)
				st_lock_forget(entry->own);
		}
		bpf_map_delete_elem(&st_tasks, &key);
		return 0;
	}
	st_who_is_current(&who);
	if (!st_wanted(&who) || !st_wanted_thread(task))
		return 0;
	entry = st_task_get(task);
	if (!entry) {
		st_note_lost(way, ST_LOSS_STATE_FULL);
		return 1;
	}
	if (entry->start_time_ns != task->start_time)
		st_task_begin(entry, task->start_time);
	if (ST_WATCHES_LOCKS && !entry->own)
		st_note_thread(way, entry, who.tid);
	if (!entry->running && entry->out_ns) /* two switches out in a row: the one between was missed */
		st_note_lost(way, ST_LOSS_SWITCH_MISSED);
	entry->running = 0;
	entry->out_ns = 0;
	entry->state = state;
	if (ST_WATCHES_LOCKS && !(state & ST_TASK_INTERRUPTIBLE && st_lock_waits()))
		return 1;
	if (st_wanted_state(state) && !st_is_held(way, state))
		st_sleep(ctx, way, &who, task, entry, now);
	return 1;
}

/*
 * Counts a thread that was off the CPU when tracing began: it has no entry and is older than the run. Not with filters: they check the
 * current thread, which is still the one that leaves the CPU.
 */
static __always_inline void st_note_no_start(const struct st_way *way, struct task_struct *task)
{
	if (!st_config.filters && task->start_time < st_offcpu.begun_ns && st_wanted_thread(task))
		ST_NOTE(way->stats->losses[ST_LOSS_NO_START], 1);
}

/* Length of the selected part of the interval. */
static __always_inline __u64 st_span(const struct st_task *entry, __u64 out_ns, __u64 came_ns, __u64 now)
{
	__u64 woken_ns;

	if (st_offcpu.part == PART_ALL)
		return now - out_ns;
	woken_ns = st_woken_at(entry->state, entry->waking_ns, out_ns, came_ns, now);
	return st_offcpu.part == PART_BLOCKED ? woken_ns - out_ns : now - woken_ns;
}

/* Counts an interval. `came_ns` as in st_woken_at(). */
static __always_inline void st_interval(const struct st_way *way, struct st_task *entry, __u64 out_ns, __u64 came_ns,
					__u64 now)
{
	__u64 span_ns = st_span(entry, out_ns, came_ns, now);
	struct st_pair pair = {};

	ST_NOTE(way->stats->seen, 1);
	if (!st_wanted_span(span_ns)) {
		ST_NOTE(way->stats->filtered, 1);
		return;
	}
	pair.sleeper = entry->sleeper;
	if (st_offcpu.measure == MEASURE_OFF_CPU && !st_offcpu.by_duration && !st_offcpu.by_time) {
		st_count(way, &pair.sleeper, span_ns);
		return;
	}
	if (st_offcpu.measure != MEASURE_OFF_CPU)
		pair.reason = st_waker_reason(entry->state, entry->waker_ns >= out_ns, entry->waking_ns, came_ns);
	if (pair.reason == WAKER_SEEN)
		pair.waker = entry->waker;
	st_count_pair(way, &pair, span_ns, now);
}

/* Returns whether the thread passed the filters when it left the CPU. */
static __always_inline int st_switch_in(const struct st_way *way, struct task_struct *task, __u64 now)
{
	struct st_task *entry = st_task_find(task);
	__u64 out_ns, came_ns;

	if (!entry) {
		st_note_no_start(way, task);
		return 0;
	}
	if (entry->start_time_ns != task->start_time) {
		ST_NOTE(way->stats->losses[ST_LOSS_STALE], 1);
		st_task_begin(entry, task->start_time);
		return 0;
	}
	out_ns = entry->out_ns;
	came_ns = entry->in_ns;
	if (entry->running)
		st_note_lost(way, ST_LOSS_SWITCH_MISSED);
	entry->running = 1;
	entry->out_ns = 0;
	entry->in_ns = now;
	if (out_ns && st_offcpu.measure != MEASURE_WAKE)
		st_interval(way, entry, out_ns, came_ns, now);
	return 1;
}

/* Stores the current context as the waker of `entry`. Returns 0 if no scratch slot was free. */
static __always_inline int st_note_waker(void *ctx, const struct st_way *way, struct st_task *entry, __u8 context,
					 __u64 now)
{
	struct st_slot *slot;
	__u32 index = 0;

	slot = st_slot_claim(&index);
	if (!slot)
		return 0;
	st_build_waker(ctx, way, slot, index, context, now);
	st_send_record(way, &slot->stack);
	/*
	 * The record of a thread that releases a lock is sent in any case. If another one is known as its owner, the pair does not have it:
	 * each waiter may have each owner, and pairs of them with each thread that wakes them would be too many.
	 */
	if (!ST_WATCHES_LOCKS || !entry->owner || entry->owner == slot->stack.head.tid) {
		entry->waker = slot->stack.head.id;
		entry->waker_ns = now;
	}
	st_slot_release(slot);
	return 1;
}

/* MEASURE_WAKE: the interval ends when the thread is woken. */
static __always_inline void st_wake_interval(void *ctx, const struct st_way *way, struct st_task *entry, __u8 context,
					     __u64 out_ns, __u64 now)
{
	struct st_pair pair = { .reason = WAKER_SEEN };

	entry->out_ns = 0;
	ST_NOTE(way->stats->seen, 1);
	if (!st_wanted_span(now - out_ns)) {
		ST_NOTE(way->stats->filtered, 1);
		return;
	}
	if (!st_note_waker(ctx, way, entry, context, now)) {
		ST_NOTE(way->stats->losses[ST_LOSS_NO_SLOT], 1);
		return;
	}
	pair.sleeper = entry->sleeper;
	pair.waker = entry->waker;
	st_count_pair(way, &pair, now - out_ns, now);
}

/* `context`: result of st_context(), 0 if unknown. Returns whether the thread passed the filters when it left the CPU. */
static __always_inline int st_wake(void *ctx, const struct st_way *way, struct task_struct *task, __u8 context,
				   __u64 now)
{
	struct st_task *entry = st_task_find(task);
	__u64 out_ns;

	if (!entry || entry->start_time_ns != task->start_time)
		return 0;
	out_ns = entry->out_ns;
	entry->waking_ns = now;
	if (!out_ns || !entry->state || st_offcpu.measure == MEASURE_OFF_CPU)
		return 1;
	if (st_offcpu.measure == MEASURE_WAKE)
		st_wake_interval(ctx, way, entry, context, out_ns, now);
	else if (!st_note_waker(ctx, way, entry, context, now))
		ST_NOTE(way->stats->losses[ST_LOSS_WAKER_LOST], 1);
	return 1;
}

/*
 * Finds out by the preemption count whether the waker is the current task or an interrupt. On x86 the count is a per-CPU variable
 * (__preempt_count, pcpu_hot.preempt_count from 6.2 to 6.14), on arm64 a field of the task. Both can be read under lockdown. A kernel
 * without CONFIG_KALLSYMS_ALL has the variable in BTF but refuses programs that use it. So user space tries it first
 * (host_tells_interrupts()) and puts the variable's BTF id into the code (core/session/preempt_count.h).
 */

/* The bits of include/linux/preempt.h: 8 for preemption, 8 softirq, 4 hardirq, 4 NMI. */
enum {
	ST_PREEMPT_SOFTIRQ = 1 << 8, /* in a softirq; disabling softirqs adds twice this */
	ST_PREEMPT_HARDIRQ = 0xf << 16,
	ST_PREEMPT_NMI = 0xf << 20,
};

#define ST_STRING_OF(x) #x
#define ST_STRING(x) ST_STRING_OF(x)

static __always_inline const void *st_preempt_count_variable(void)
{
	const void *variable;

	asm volatile("%0 = " ST_STRING(ST_PREEMPT_COUNT_MARK) " ll" : "=r"(variable));
	return variable;
}

static __always_inline __u32 st_preempt_count(void)
{
	if (bpf_core_field_exists(((struct thread_info *)0)->preempt_count)) {
		if (st_config.task_access == TASK_ACCESS_PROBE_READ)
			return BPF_CORE_READ((struct task_struct *)bpf_get_current_task(), thread_info.preempt_count);
		if (st_config.task_access == TASK_ACCESS_BTF)
			return ((struct task_struct *)bpf_get_current_task_btf())->thread_info.preempt_count;
		return 0;
	}
	if (bpf_core_field_exists(((struct pcpu_hot *)0)->preempt_count))
		return ((const struct pcpu_hot *)bpf_this_cpu_ptr(st_preempt_count_variable()))->preempt_count;
	return *(const int *)bpf_this_cpu_ptr(st_preempt_count_variable());
}

/* The enum st_stack_flag of the current interrupt; 0: none. */
static __always_inline __u8 st_context(void)
{
	__u32 count = st_preempt_count();

	if (count & ST_PREEMPT_NMI)
		return ST_STACK_IN_NMI;
	if (count & ST_PREEMPT_HARDIRQ)
		return ST_STACK_IN_IRQ;
	return count & ST_PREEMPT_SOFTIRQ ? ST_STACK_IN_SOFTIRQ : 0;
}

static __always_inline void st_switched(__u64 *ctx)
{
	struct st_switch change = st_read_switch(ctx);
	__u64 now = bpf_ktime_get_ns();
	struct st_way way = {};
	int wanted = 0;

	if (st_way_begin(&way))
		return;
	if (change.prev->pid)
		wanted = st_switch_out(ctx, &way, change.prev, change.state, now);
	if (change.next->pid)
		wanted |= st_switch_in(&way, change.next, now);
	st_cost_stop(now, now, 0, (__u32)wanted);
}

SEC("?tp_btf/sched_switch")
int on_switch(__u64 *ctx)
{
	ST_HAND_OVER(ctx, st_python_switch);
	st_switched(ctx);
	return ST_RETURN_TP_BTF;
}

static __always_inline void st_woken(void *ctx, struct task_struct *task, __u8 context)
{
	__u64 now = bpf_ktime_get_ns();
	struct st_way way = {};

	if (st_way_begin(&way))
		return;
	st_cost_stop(now, now, 0, (__u32)st_wake(ctx, &way, task, context, now));
}

SEC("?tp_btf/sched_waking")
int on_waking(__u64 *ctx)
{
	struct task_struct *task = (struct task_struct *)ST_ARGUMENT(ctx, 0);

	ST_HAND_OVER(ctx, st_python_waking);
	st_woken(ctx, task, st_context());
	return ST_RETURN_TP_BTF;
}

/* For kernels whose preemption count cannot be read. User space then finds interrupts by the names in the waker's stack. */
SEC("?tp_btf/sched_waking")
int on_waking_anywhere(__u64 *ctx)
{
	struct task_struct *task = (struct task_struct *)ST_ARGUMENT(ctx, 0);

	ST_HAND_OVER(ctx, st_python_waking);
	st_woken(ctx, task, 0);
	return ST_RETURN_TP_BTF;
}
