/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Takes rows out of a profile, so that every form of report shows the rest. Losses and the account stay as they are. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/profile/profile.h"

struct filter {
	const char *include; /* only stacks with a function that matches; NULL = all */
	const char *exclude; /* no stacks with a function that matches */
	const char *comm; /* only commands that match */
	const uint32_t *tgids; /* only these processes */
	size_t nr_tgids; /* 0 = all */
	uint64_t since_ns; /* only from so long after the start on; 0 = all */
	uint32_t max_depth; /* for the presentation; 0 leaves it as it is */
};

/*
 * 0, or a usage error for an expression that is none. Without the times of events, since_ns keeps the intervals that end
 * later; -ENODATA with a recorded cause when the profile has neither times nor several intervals.
 */
int filter_apply(const struct filter *filter, struct profile *profile);
