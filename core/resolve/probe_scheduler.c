/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The scheduler's tracepoints: sched_switch, and sched_waking if the plan needs to know when or by whom a thread is woken. */
#include <inttypes.h>
#include <stdio.h>

#include "core/base/alloc.h"
#include "core/host/host.h"
#include "core/resolve/attach_plan.h"
#include "core/resolve/probe_kinds.h"

static void add_point(struct attach_plan *attach, const char *name, const char *program)
{
	vec_push(&attach->places, (struct probe_place){ .name = xstrdup(name), .program = program });
}

static int resolve(const struct plan *plan, struct symbolizer *symbolizer, struct attach_plan *attach)
{
	static const char *const states[] = {
		[SWITCH_PREV_NEXT] = "read from the thread",
		[SWITCH_STATE_PREV_NEXT] = "its second argument",
		[SWITCH_PREV_NEXT_STATE] = "its last argument",
	};
	static const char *const programs[2][2] = { { "on_waking_anywhere", "on_waking" },
						    { "on_lock_waking_anywhere", "on_lock_waking" } };
	const bool locks = plan->off_cpu.locks;
	int err = host_scheduler_events(&attach->switch_order, NULL);

	if (err)
		return err;
	if (locks && host_task_access(PROGRAM_RAW_TRACEPOINT) == TASK_ACCESS_NONE)
		return fail_host(-EPERM, "locks: on this kernel, lockdown=confidentiality forbids reading a thread's "
					 "registers");
	attach->program = PROGRAM_RAW_TRACEPOINT;
	attach->mechanism = MECHANISM_TP_BTF;
	add_point(attach, "sched:sched_switch", locks ? "on_lock_switch" : "on_switch");
	if (plan->off_cpu.measure != MEASURE_OFF_CPU || plan->off_cpu.part != PART_ALL || plan->off_cpu.unfinished) {
		bool tells = host_tells_interrupts(&attach->preempt_count);

		add_point(attach, "sched:sched_waking", programs[locks][tells]);
	}
	snprintf(attach->why, sizeof(attach->why), "the scheduler's tracepoints; the state of a thread is %s",
		 states[attach->switch_order]);
	return 0;
}

static void describe(const struct plan *plan, struct buf *text)
{
	const struct off_cpu_plan *off_cpu = &plan->off_cpu;
	static const char *const measures[] = {
		[MEASURE_OFF_CPU] = "time off the CPU by sleeper",
		[MEASURE_OFF_WAKE] = "time off the CPU by sleeper and waker",
		[MEASURE_WAKE] = "time until being woken by sleeper and waker",
	};
	static const char *const parts[] = { [PART_BLOCKED] = "blocked", [PART_RUNQUEUE] = "waiting for a CPU" };
	static const char *const threads[] = { [THREADS_USER] = "user", [THREADS_KERNEL] = "kernel" };

	buf_addf(text, "measure: %s\n", measures[off_cpu->measure]);
	if (off_cpu->part)
		buf_addf(text, "part: %s\n", parts[off_cpu->part]);
	if (off_cpu->threads)
		buf_addf(text, "threads: %s\n", threads[off_cpu->threads]);
	if (off_cpu->state_filter)
		buf_addf(text, "states: %s %#" PRIx32 "\n", off_cpu->state_filter == STATES_MASK ? "mask" : "letters",
			 off_cpu->states);
	buf_addf(text, "least: %" PRIu64 " ns\n", off_cpu->min_ns);
	if (off_cpu->max_ns != UINT64_MAX)
		buf_addf(text, "most: %" PRIu64 " ns\n", off_cpu->max_ns);
	if (off_cpu->unfinished)
		buf_adds(text, "unfinished: yes\n");
	if (off_cpu->by_duration)
		buf_adds(text, "histogram: yes\n");
	if (off_cpu->by_time)
		buf_adds(text, "times: yes\n");
	if (off_cpu->locks)
		buf_adds(text, "only: waits for locks\n");
}

const struct probe_kind probe_scheduler = {
	.name = "scheduler",
	.counts_time = true,
	.nothing = "no off-CPU interval completed during the run",
	.describe = describe,
	.resolve = resolve,
};

const struct probe_kind probe_lock = {
	.name = "lock",
	.counts_time = true,
	.nothing = "no thread waited for a lock during the run",
	.describe = describe,
	.resolve = resolve,
};
