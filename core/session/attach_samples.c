/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Timed samples: core/resolve/sampling.h. */
#include "core/session/attach_ways.h"

static int attach_samples(struct attachment *attachment, const struct plan *plan)
{
	int err = sampling_new(plan, &attachment->plan->sample, bpf_program__fd(attachment->loaded->program),
			       &attachment->sampling);

	return err ? err : sampling_start(attachment->sampling);
}

const struct attach_way way_perf_event = { .all = attach_samples, .has_no_places = true };
