/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <stdio.h>

#include "core/resolve/attach_plan.h"
#include "core/resolve/probe_kinds.h"

static int resolve(const struct plan *plan, struct symbolizer *symbolizer, struct attach_plan *attach)
{
	int err = sampling_choose(plan, &attach->sample);

	if (err)
		return err;
	attach->program = PROGRAM_SAMPLE;
	attach->mechanism = MECHANISM_PERF_EVENT;
	if (attach->sample.why[0])
		snprintf(attach->why, sizeof(attach->why), "%s: %s", attach->sample.name, attach->sample.why);
	else
		snprintf(attach->why, sizeof(attach->why), "%s", attach->sample.name);
	return 0;
}

static void describe(const struct plan *plan, struct buf *text)
{
	const char *event = sample_event_name(plan->event);

	buf_addf(text, "event: %s\n", event ? event : "cpu-cycles, or cpu-clock without a PMU");
	if (plan->period)
		buf_addf(text, "sample: every %" PRIu64 " events\n", plan->period);
	else
		buf_addf(text, "sample: %" PRIu64 " times a second\n", plan->frequency_hz);
}

const struct probe_kind probe_sample = {
	.name = "sample",
	.is_timer = true,
	.counts_time = true,
	.nothing = "it was never on a CPU",
	.describe = describe,
	.resolve = resolve,
};
