// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * All time of threads, for `wall`: each nanosecond of a thread is in one enum thread_state.
 *
 * A switch ends one interval and begins the next: sched_switch for both threads, and sched_wakeup, which comes under the lock of the
 * run queue: so a thread's events are in order. (sched_waking may come before the switch of a thread that falls asleep.) New threads
 * begin with sched_wakeup_new, in the parent; those that existed before have an entry by the iterator (on_task.bpf.c). A thread without
 * an entry is not followed, or its beginning was missed. Threads outside our pid namespace are not followed.
 *
 * A wait is counted as a pair of the record that the thread had when it left the CPU, with WALL_REASON() as reason. If threads switch
 * more often than st_config.wall_budget allows, waits are added up without stacks, and samples show where: when those of a thread
 * cross a multiple of a period, its stack is taken when it is back (on_wall_back), counted with WALL_SAMPLE(). Time on the CPU is
 * added up, too; timed samples show what the thread did. The sums are in the thread's entry, so that a switch writes only to that; they are
 * counted with a record without stacks when the thread ends. An impossible transition, because a switch was
 * not reported, is counted in st_control.wall_odd, and the time before it is THREAD_UNKNOWN.
 */
#include "bpf/returns.h"
#include "bpf/switch.bpf.h"

_Static_assert(!(THREAD_NR_STATES & (THREAD_NR_STATES - 1)), "st_wall.total_ns: states are masked");

/* A variant of the program: each wait has both stacks, that of the switch and that of the return. */
#ifdef ST_WALL_TAKES_BOTH
#define WALL_TAKES_BOTH 1
#else
#define WALL_TAKES_BOTH 0
#endif

/* ---- entries ---- */

static __always_inline struct st_wall *st_wall_find(struct task_struct *task)
{
	__u64 key = (__u64)task;

	return bpf_map_lookup_elem(&st_walls, &key);
}

/* A new entry; the caller sets the ids. Not inline, because of the room on the stack. */
static __noinline struct st_wall *st_wall_make(struct task_struct *task, __u64 since_ns, __u32 state)
{
	struct st_wall fresh = { .start_time_ns = task->start_time,
				 .since_ns = since_ns,
				 .state = state,
				 .process_start_ns = task->group_leader->start_time };
	__u64 key = (__u64)task;

	bpf_map_update_elem(&st_walls, &key, &fresh, BPF_ANY);
	return bpf_map_lookup_elem(&st_walls, &key);
}

static __always_inline int st_wall_is_over(const struct st_way *way, __u64 now)
{
	return now >= *(volatile __u64 *)&way->control->wall_end_ns;
}

/* 0 instead of a negative number, without a branch. */
static __always_inline __u64 st_wall_positive(__s64 number)
{
	__s64 is_negative = number >> 63;

	st_opaque(is_negative);
	return number & ~is_negative;
}

/* The part of an interval that is in the window. No branch, because the verifier would follow the rest of the program after each. */
static __always_inline __u64 st_wall_span(const struct st_way *way, __u64 since_ns, __u64 now)
{
	__u64 begin_ns = *(volatile __u64 *)&way->control->wall_begin_ns;

	return st_wall_positive((__s64)(now - since_ns - st_wall_positive((__s64)(begin_ns - since_ns))));
}

static __always_inline void st_wall_go(struct st_wall *entry, __u32 state, __u64 now)
{
	entry->state = state;
	entry->since_ns = now;
}

/* ---- counting: a global function, because the verifier would follow each call of an inline one ---- */

/*
 * Counts an interval of the record with this id. `how`: WALL_REASON(), and the generation above it. `end_ns`: its end, if the stack of the
 * record is from another interval; else 0.
 */
__noinline int st_wall_count(__u64 lo, __u64 hi, __u64 how, __u64 span_ns, __u64 end_ns)
{
	struct st_pair pair = { .sleeper = { lo, hi }, .kind = ST_MESSAGE_PAIR, .reason = how & 0xff };
	struct st_way way = {};

	if (!span_ns || st_way_of(&way, how >> 8 & (ST_GENERATIONS - 1)))
		return 0;
	pair.time_ns = end_ns;
	ST_NOTE(way.stats->seen, 1);
	st_name_pair(&pair, 0);
	if (st_count(&way, &pair.id, span_ns))
		st_send_pair(&way, &pair);
	return 0;
}

static __always_inline void st_wall_add(const struct st_way *way, const struct st_id *id, __u32 reason, __u64 span_ns,
					__u64 end_ns)
{
	st_wall_count(id->lo, id->hi, reason | (__u64)way->generation << 8, span_ns, end_ns);
}

/* A wait of a thread that is not running: by the record of its last switch-out, or in its entry. */
static __always_inline void st_wall_waited(const struct st_way *way, struct st_wall *entry, __u32 state, __u32 is_run,
					   __u64 now)
{
	__u64 span_ns = st_wall_span(way, entry->since_ns, now);

	if (state == THREAD_HELD) {
		ST_ADD(way->control->wall_held_ns, span_ns);
	} else if (entry->has_stack) {
		st_wall_add(way, &entry->sleeper, WALL_REASON(state, 0), span_ns, 0);
		if (WALL_TAKES_BOTH) {
			entry->owed_ns[is_run] += span_ns;
			entry->waits[is_run] = state;
		}
	} else if (entry->has_left) {
		entry->total_ns[state & (THREAD_NR_STATES - 1)] += span_ns;
		entry->nr_waits += -span_ns >> 63; /* 0 is before the window */
		entry->owed_ns[is_run] += span_ns;
		entry->waits[is_run] = state;
	} else {
		entry->first_ns[is_run] += span_ns;
		entry->first_states[is_run] = state;
		entry->first_end_ns = now;
	}
}

/* ---- which waits have a stack ---- */

static __always_inline __u64 st_wall_period(const struct st_way *way)
{
	return *(volatile __u64 *)&way->control->wall_period_ns;
}

/*
 * Counts a stack of a wait. More of them in a slot than the budget double the period, much fewer halve it, but it is never 0 again: each time
 * would cost a budget. CPUs that do so together do no harm.
 */
static __always_inline void st_wall_pace(const struct st_way *way, __u64 now)
{
	struct st_control *control = way->control;
	__u64 stacks, period = st_wall_period(way), in_time;

	if (!st_config.wall_budget || WALL_TAKES_BOTH)
		return;
	ST_ADD(control->wall_stacks, 1);
	stacks = *(volatile __u64 *)&control->wall_stacks;
	in_time = now - *(volatile __u64 *)&control->wall_slot_ns < ST_WALL_SLOT_NS;
	if (stacks <= st_config.wall_budget && in_time)
		return;
	if (stacks > st_config.wall_budget && in_time)
		period = period ? period * 2 : ST_WALL_PERIOD_NS;
	else if (stacks < st_config.wall_budget / 4)
		period = period > ST_WALL_PERIOD_NS ? period / 2 : period;
	if (period > ST_WALL_PERIOD_NS << 10)
		period = ST_WALL_PERIOD_NS << 10;
	if (period)
		control->wall_sampled = 1;
	control->wall_period_ns = period;
	control->wall_slot_ns = now;
	control->wall_stacks = 0;
}

/* The thread leaves the CPU, and its stack is not taken. */
static __always_inline void st_wall_owe(struct st_wall *entry, __u64 period_ns)
{
	if (entry->owes)
		return;
	entry->owes = 1;
	entry->owed_ns[0] = period_ns * bpf_get_prandom_u32() >> 32;
	entry->owed_ns[1] = period_ns * bpf_get_prandom_u32() >> 32;
}

/* The thread comes back. */
static __always_inline void st_wall_ask(const struct st_way *way, struct st_wall *entry)
{
	__u64 period_ns = st_wall_period(way);

	entry->due = 0;
	if (!st_config.wall_budget || !(entry->owes | WALL_TAKES_BOTH))
		return;
	if (period_ns < ST_WALL_PERIOD_NS)
		period_ns = WALL_TAKES_BOTH ? 1 : ST_WALL_PERIOD_NS;
	/* Only for a wait that has just ended: the random beginning may be more than a period that has become shorter. */
	entry->due = (entry->waits[0] && entry->owed_ns[0] >= period_ns) |
		     (entry->waits[1] && entry->owed_ns[1] >= period_ns) << 1;
}

/* ---- leaving the CPU ---- */

/* What has ended of the current thread: its time on the CPU. */
static __always_inline void st_wall_ran(const struct st_way *way, struct st_wall *entry, __u64 now)
{
	__u64 span_ns = st_wall_span(way, entry->since_ns, now);

	if (entry->state == THREAD_ON_CPU) {
		entry->total_ns[THREAD_ON_CPU] += span_ns;
	} else if (span_ns) {
		ST_ADD(way->control->wall_odd, 1);
		entry->total_ns[THREAD_UNKNOWN] += span_ns;
	}
	entry->has_left = 1;
}

/*
 * exec() by another thread than the leader: it has the leader's ids and start time now. The lifetime begins at the latter, when it was not
 * this thread.
 */
static __always_inline void st_wall_lead(const struct st_way *way, struct st_wall *entry, __u64 start_time_ns,
					 __u64 now)
{
	ST_ADD(way->control->wall_lifetimes_ns,
	       st_wall_span(way, entry->start_time_ns, now) - st_wall_span(way, start_time_ns, now));
	entry->start_time_ns = start_time_ns;
	entry->tid = entry->tgid;
}

/* Counts the sums of the current thread, with its record without stacks. */
static __always_inline void st_wall_flush(const struct st_way *way, struct st_wall *entry, __u64 exec_id, __u64 now)
{
	struct st_who who = { .tgid = entry->tgid, .tid = entry->tid };
	struct st_stack_head *head;
	struct st_slot *slot;
	__u32 index = 0;

	slot = st_slot_claim(&index);
	if (!slot) {
		st_note_lost(way, ST_LOSS_NO_SLOT);
		return;
	}
	head = &slot->stack.head;
	st_begin_record(&slot->stack, PROGRAM_RAW_TRACEPOINT);
	st_stamp(head, now);
	head->start_time_ns = entry->process_start_ns;
	head->exec_id = exec_id;
	st_fill_key(head, &who, 0);
	st_hash_record(&slot->stack, index);
	for (__u32 is_run = 0; is_run < 2; is_run++) {
		st_wall_add(way, &head->id, WALL_REASON(entry->first_states[is_run], 1), entry->first_ns[is_run],
			    entry->first_end_ns);
		entry->first_ns[is_run] = 0;
	}
#pragma clang loop unroll(full)
	for (__u32 state = 0; state < THREAD_NR_STATES; state++) {
		st_wall_add(way, &head->id, WALL_REASON(state, 0), entry->total_ns[state], 0);
		entry->total_ns[state] = 0;
	}
	ST_ADD(way->control->wall_waits, entry->nr_waits);
	entry->nr_waits = 0;
	st_send_record(way, &slot->stack);
	st_slot_release(slot);
}

/*
 * The current thread, with this start time now, ends, or has other ids than its entry. A global function: this is rare, and the verifier
 * follows it once.
 */
__noinline int st_wall_settle(__u32 generation, __u64 start_time_ns, __u64 exec_id, __u32 ends, __u64 now)
{
	__u64 key = bpf_get_current_task();
	struct st_wall *entry = bpf_map_lookup_elem(&st_walls, &key);
	struct st_way way = {};

	way.generation = generation & (ST_GENERATIONS - 1);
	if (!entry || st_way_of(&way, way.generation))
		return 0;
	st_wall_flush(&way, entry, exec_id, now);
	if (entry->start_time_ns != start_time_ns)
		st_wall_lead(&way, entry, start_time_ns, now);
	if (ends) {
		ST_ADD(way.control->wall_lifetimes_ns, st_wall_span(&way, start_time_ns, now));
		bpf_map_delete_elem(&st_walls, &key);
	}
	return 0;
}

/* The entry of the current thread. One whose beginning was missed gets an entry now. */
static __always_inline struct st_wall *st_wall_of_current(const struct st_way *way, struct task_struct *task, __u64 now)
{
	struct st_wall *entry = st_wall_find(task);
	struct st_who who = {};

	if (entry)
		return entry;
	st_who_is_current(&who);
	if (who.foreign || !st_wanted(&who))
		return 0;
	/* With a cgroup, it has come into that, and is followed from now on. */
	entry = st_wall_make(task, st_config.use_cgroup ? now : task->start_time,
			     st_config.use_cgroup ? THREAD_ON_CPU : THREAD_UNKNOWN);
	if (!entry) {
		st_note_lost(way, ST_LOSS_STATE_FULL);
		return 0;
	}
	entry->tgid = who.tgid;
	entry->tid = who.tid;
	if (st_config.use_cgroup)
		ST_ADD(way->control->wall_lifetimes_ns, -st_wall_span(way, task->start_time, now));
	return entry;
}

/* The stack with which the thread leaves the CPU. */
static __always_inline void st_wall_take(void *ctx, const struct st_way *way, struct st_wall *entry,
					 struct task_struct *task, __u64 now)
{
	struct st_who who = { .tgid = entry->tgid, .tid = entry->tid };
	struct st_slot *slot;
	__u32 index = 0;

	slot = st_slot_claim(&index);
	if (!slot) {
		st_note_lost(way, ST_LOSS_NO_SLOT);
		return;
	}
	st_build_sleeper(ctx, way, slot, index, &who, task, now);
	st_send_record(way, &slot->stack);
	entry->sleeper = slot->stack.head.id;
	entry->has_stack = 1;
	st_slot_release(slot);
	st_wall_pace(way, now);
}

/* Returns whether the thread is followed. */
static __always_inline int st_wall_out(void *ctx, const struct st_way *way, struct task_struct *task, __u32 state,
				       __u64 now)
{
	struct st_wall *entry = st_wall_of_current(way, task, now);
	__u64 period_ns = st_config.wall_budget ? st_wall_period(way) : 0;

	if (!entry)
		return 0;
	st_wall_ran(way, entry, now);
	entry->waits[0] = entry->waits[1] = 0;
	entry->has_stack = 0;
	if (state & ST_TASK_DEAD || entry->start_time_ns != task->start_time)
		st_wall_settle(way->generation, task->start_time, task->self_exec_id, state & ST_TASK_DEAD, now);
	if (state & ST_TASK_DEAD)
		return 1;
	if (period_ns)
		st_wall_owe(entry, period_ns);
	else
		st_wall_take(ctx, way, entry, task, now);
	st_wall_go(entry, st_state_outside(way, task, state), now);
	return 1;
}

/* ---- what runs on this CPU ---- */

static __always_inline struct st_running *st_wall_running(void)
{
	__u32 cpu = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&st_running, &cpu);
}

/* For the samples of other CPUs: at each switch, and at each sample for a CPU that does not switch. */
static __always_inline void st_wall_note_running(__u32 tgid)
{
	struct st_running *running = st_config.latency ? st_wall_running() : 0;

	if (running)
		running->tgid = tgid;
}

static __always_inline void st_wall_note_due(__u32 is_due)
{
	struct st_running *running = st_config.wall_budget ? st_wall_running() : 0;

	if (running)
		running->is_due = is_due;
}

/* ---- coming back ---- */

/* Returns whether the thread is followed. */
static __always_inline int st_wall_in(const struct st_way *way, struct task_struct *task, __u64 now)
{
	struct st_wall *entry = st_wall_find(task);
	__u32 state;

	if (!entry || entry->start_time_ns != task->start_time)
		return 0;
	state = entry->state;
	if (!st_is_runnable(state)) {
		ST_ADD(way->control->wall_odd, st_wall_span(way, entry->since_ns, now) != 0);
		st_wall_waited(way, entry, THREAD_UNKNOWN, 0, now);
	} else {
		st_wall_waited(way, entry, state, 1, now);
	}
	st_wall_go(entry, THREAD_ON_CPU, now);
	st_wall_ask(way, entry);
	st_wall_note_due(entry->due);
	return 1;
}

SEC("?tp_btf/sched_switch")
int on_wall_switch(__u64 *ctx)
{
	struct st_switch change = st_read_switch(ctx);
	__u64 now = bpf_ktime_get_ns();
	struct st_way way = {};
	int wanted = 0;

	ST_HAND_OVER(ctx, st_python_switch);
	if (st_way_begin(&way) || st_wall_is_over(&way, now))
		return ST_RETURN_TP_BTF;
	if (change.prev->pid)
		wanted = st_wall_out(ctx, &way, change.prev, change.state, now);
	if (change.next->pid)
		wanted |= st_wall_in(&way, change.next, now);
	st_wall_note_running(change.next->tgid);
	st_cost_stop(now, now, 0, (__u32)wanted);
	return ST_RETURN_TP_BTF;
}

/* ---- being back ---- */

/* Counts the stack for the whole periods of this kind of wait that are owed. */
static __always_inline void st_wall_share(const struct st_way *way, const struct st_id *id, __u32 state, __u64 *owed_ns)
{
	__u64 period_ns = st_wall_period(way), share_ns;

	if (period_ns < ST_WALL_PERIOD_NS)
		period_ns = WALL_TAKES_BOTH ? 1 : ST_WALL_PERIOD_NS;
	share_ns = *owed_ns - *owed_ns % period_ns;
	*owed_ns -= share_ns;
	st_wall_add(way, id, WALL_SAMPLE(state), share_ns, 0);
}

/* Runs at the end of a switch, when the thread is current again on its way out of the scheduler. From 6.16 on. */
SEC("?tp_btf/sched_exit_tp")
int on_wall_back(__u64 *ctx)
{
	struct st_running *running = st_wall_running();
	struct task_struct *task;
	struct st_wall *entry;
	struct st_who who = {};
	struct st_slot *slot;
	struct st_way way = {};
	__u32 index = 0;
	struct st_id id = {};
	__u64 now;

	if (!running || !running->is_due)
		return ST_RETURN_TP_BTF;
	ST_HAND_OVER(ctx, st_python_back);
	running->is_due = 0;
	task = (struct task_struct *)bpf_get_current_task_btf();
	entry = st_wall_find(task);
	if (!entry || !entry->due || st_way_begin(&way))
		return ST_RETURN_TP_BTF;
	now = bpf_ktime_get_ns();
	slot = st_wall_is_over(&way, now) ? 0 : st_slot_claim(&index);
	if (!slot)
		return ST_RETURN_TP_BTF; /* the time is in the next sample */
	who.tgid = entry->tgid;
	who.tid = entry->tid;
	st_build_sleeper(ctx, &way, slot, index, &who, task, now);
	st_send_record(&way, &slot->stack);
	id = slot->stack.head.id;
	st_slot_release(slot);
	if (entry->due & 1)
		st_wall_share(&way, &id, entry->waits[0], &entry->owed_ns[0]);
	if (entry->due & 2)
		st_wall_share(&way, &id, entry->waits[1], &entry->owed_ns[1]);
	entry->due = 0;
	st_wall_pace(&way, now);
	st_cost_stop(now, now, 0, 1);
	return ST_RETURN_TP_BTF;
}

/* ---- being woken, and beginning ---- */

/*
 * Ends the wait of a thread that is woken. Returns whether it is followed and has waited: a thread that wakes itself, was woken before it
 * left the CPU, or is throttled, has not.
 */
static __always_inline int st_wall_woken(const struct st_way *way, struct task_struct *task, __u64 now)
{
	struct st_wall *entry = st_wall_find(task);

	if (!entry || entry->start_time_ns != task->start_time || entry->state <= THREAD_RUNNABLE ||
	    entry->state == THREAD_THROTTLED)
		return 0;
	st_wall_waited(way, entry, entry->state, 0, now);
	st_wall_go(entry, THREAD_RUNNABLE, now);
	return 1;
}

SEC("?tp_btf/sched_wakeup")
int on_wall_wakeup(__u64 *ctx)
{
	struct task_struct *task = (struct task_struct *)ST_ARGUMENT(ctx, 0);
	__u64 now = bpf_ktime_get_ns();
	struct st_way way = {};

	if (!st_way_begin(&way) && !st_wall_is_over(&way, now))
		st_cost_stop(now, now, 0, (__u32)st_wall_woken(&way, task, now));
	return ST_RETURN_TP_BTF;
}

/* Removes the entry of an ended thread whose last switch was not reported: the new thread has the same task_struct. */
static __always_inline void st_wall_forget(const struct st_way *way, __u64 task, __u64 start_time_ns)
{
	const struct st_wall *entry = bpf_map_lookup_elem(&st_walls, &task);

	if (!entry || entry->start_time_ns == start_time_ns)
		return;
	ST_ADD(way->control->wall_odd, 1);
	bpf_map_delete_elem(&st_walls, &task);
}

/* The current thread is the parent. With -p, a new process is not followed. */
SEC("?tp_btf/sched_wakeup_new")
int on_wall_wakeup_new(__u64 *ctx)
{
	struct task_struct *task = (struct task_struct *)ST_ARGUMENT(ctx, 0);
	__u64 now = bpf_ktime_get_ns();
	struct st_wall *entry;
	struct st_who who = {};
	struct st_way way = {};
	__u32 level, tgid, tid;

	if (st_way_begin(&way) || st_wall_is_over(&way, now))
		return ST_RETURN_TP_BTF;
	st_wall_forget(&way, (__u64)task, task->start_time);
	if (st_config.task_filter == ST_FILTER_TGID && !st_config.follow_children &&
	    task->tgid != (int)(bpf_get_current_pid_tgid() >> 32))
		return ST_RETURN_TP_BTF;
	st_who_is_current(&who);
	if (!st_wanted(&who))
		return ST_RETURN_TP_BTF;
	level = (__u32) * (volatile __u64 *)&way.control->wall_level;
	tid = st_id_of(task, level);
	tgid = st_id_of(task->group_leader, level);
	if (!tid || !tgid) /* outside our pid namespace, as in on_task.bpf.c */
		return ST_RETURN_TP_BTF;
	entry = st_wall_make(task, task->start_time, THREAD_RUNNABLE);
	if (!entry) {
		st_note_lost(&way, ST_LOSS_STATE_FULL);
		return ST_RETURN_TP_BTF;
	}
	entry->tgid = tgid;
	entry->tid = tid;
	return ST_RETURN_TP_BTF;
}

/* ---- what runs ---- */

/*
 * The number of running threads of a process, with the current one. A CPU that switches at this moment counts as before or after its
 * switch.
 */
__noinline int st_wall_nr_running(__u32 tgid)
{
	__u32 here = bpf_get_smp_processor_id(), nr = 1;

	for (__u32 cpu = 0; cpu < ST_MAX_CPUS; cpu++) {
		__u32 place = cpu;
		struct st_running *running;

		if (cpu >= st_config.nr_cpus)
			break;
		running = bpf_map_lookup_elem(&st_running, &place);
		nr += running && running->tgid == tgid && cpu != here;
	}
	return nr;
}

/* As on_sample.bpf.c, beside the programs above, which it may interrupt. Only of threads that pass the filters. */
static __always_inline int st_wall_sample(struct bpf_perf_event_data *ctx, int tells_running)
{
	__u64 nr_running = 0;
	__u64 now = bpf_ktime_get_ns(), turn, begun;
	struct st_who who = {};
	struct st_way way = {};

	ST_HAND_OVER(ctx, st_python_sample);
	if (st_way_begin(&way) || st_wall_is_over(&way, now) || !st_wall_span(&way, 0, now))
		return ST_RETURN_PERF_EVENT;
	if (tells_running)
		st_wall_note_running(bpf_get_current_pid_tgid() >> 32);
	st_who_is_current(&who);
	if (!(__u32)bpf_get_current_pid_tgid() || !st_wanted(&who))
		return ST_RETURN_PERF_EVENT;
	ST_NOTE(way.stats->seen, 1);
	turn = *(volatile __u64 *)&way.stats->seen;
	begun = st_cost_start(turn);
	if (tells_running)
		nr_running = st_wall_nr_running(bpf_get_current_pid_tgid() >> 32);
	st_event(ctx, &way, &who, PROGRAM_SAMPLE, nr_running);
	st_cost_stop(turn, begun, 0, 1);
	return ST_RETURN_PERF_EVENT;
}

SEC("?perf_event")
int on_wall_sample(struct bpf_perf_event_data *ctx)
{
	return st_wall_sample(ctx, 0);
}

/* --latency */
SEC("?perf_event")
int on_wall_latency(struct bpf_perf_event_data *ctx)
{
	return st_wall_sample(ctx, 1);
}
