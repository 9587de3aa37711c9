/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/session/sample_shares.h"

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t beyond(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

void share_missing_samples(const struct sample_counts *counts, int64_t *remainder, struct sample_shares *ret_shares)
{
	int64_t expected = (int64_t)counts->expected + *remainder;
	int64_t missing = expected - (int64_t)counts->taken;
	uint64_t left = missing > 0 ? (uint64_t)missing : 0, rounding;
	struct sample_shares shares = {};

	shares.idle = smaller(beyond(counts->idle_expected, counts->idle_taken), smaller(left, counts->expected));
	shares.late = smaller(counts->late, left - shares.idle);
	left -= shares.idle + shares.late;
	rounding = (shares.idle ? 1 + counts->nr_in_idle_step : 1) * counts->nr_cpus;
	if (missing < -(int64_t)rounding)
		missing = -(int64_t)rounding;
	if (left > rounding)
		shares.skipped = left;
	*remainder = missing < 0 ? missing : (int64_t)(left - shares.skipped);
	shares.expected = expected > *remainder ? (uint64_t)(expected - *remainder) : 0;
	*ret_shares = shares;
}
