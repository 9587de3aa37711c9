/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The scheduler's tracepoints: always sched_switch, and sched_waking where it matters when or by whom a thread is woken. */
#include "core/resolve/resolve_private.h"

#include <stdio.h>

#include "core/base/alloc.h"

static void add_point(struct attach_plan *attach, const char *name, const char *program)
{
	vec_push(&attach->points, (struct attach_point){ .name = xstrdup(name), .program = program });
}

int resolve_scheduler(const struct plan *plan, struct attach_plan *attach)
{
	static const char *const states[] = {
		[SWITCH_PREV_NEXT] = "read from the thread",
		[SWITCH_STATE_PREV_NEXT] = "its second argument",
		[SWITCH_PREV_NEXT_STATE] = "its last argument",
	};
	int err = host_scheduler_events(&attach->switch_order);

	if (err)
		return err;
	attach->program = PROGRAM_RAW_TRACEPOINT;
	attach->mechanism = MECHANISM_TP_BTF;
	add_point(attach, "sched:sched_switch", "on_switch");
	if (plan->off_cpu.measure != MEASURE_OFF_CPU || plan->off_cpu.part != PART_ALL || plan->off_cpu.unfinished) {
		bool tells = host_tells_interrupts(&attach->preempt_count);

		add_point(attach, "sched:sched_waking", tells ? "on_waking" : "on_waking_anywhere");
	}
	snprintf(attach->why, sizeof(attach->why), "the scheduler's tracepoints; the state of a thread is %s",
		 states[attach->switch_order]);
	return 0;
}
