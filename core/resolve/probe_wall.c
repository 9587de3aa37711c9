/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All time of threads: the scheduler's tracepoints, and timed samples of threads on a CPU. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/host/host.h"
#include "core/resolve/attach_plan.h"
#include "core/resolve/probe_kinds.h"

static void add_point(struct attach_plan *attach, const char *name, const char *program)
{
	vec_push(&attach->places, (struct probe_place){ .name = xstrdup(name), .program = program });
}

static int resolve(const struct plan *plan, struct symbolizer *symbolizer, struct attach_plan *attach)
{
	bool tells_end = false;
	int err = host_scheduler_events(&attach->switch_order, &tells_end) ?: sampling_choose(plan, &attach->sample);

	if (err)
		return err;
	if (plan->waits == WAITS_SAMPLED && !tells_end)
		return fail_host(-EOPNOTSUPP,
				 "--waits: the kernel does not report when a thread is back: it has no tracepoint "
				 "sched_exit_tp");
	attach->samples_waits = tells_end && plan->waits != WAITS_ALL;
	attach->program = PROGRAM_RAW_TRACEPOINT;
	attach->mechanism = MECHANISM_WALL;
	add_point(attach, "sched:sched_switch", "on_wall_switch");
	add_point(attach, "sched:sched_wakeup", "on_wall_wakeup");
	add_point(attach, "sched:sched_wakeup_new", "on_wall_wakeup_new");
	if (attach->samples_waits)
		add_point(attach, "sched:sched_exit_tp", "on_wall_back");
	snprintf(attach->why, sizeof(attach->why), "the scheduler's tracepoints, and samples by %s",
		 attach->sample.name);
	return 0;
}

static void describe(const struct plan *plan, struct buf *text)
{
	buf_addf(text, "measure: all time of threads\nsample: %" PRIu64 " times a second\n", plan->frequency_hz);
}

const struct probe_kind probe_wall = {
	.name = "wall",
	.counts_time = true,
	.nothing = "it had no thread",
	.describe = describe,
	.resolve = resolve,
};
