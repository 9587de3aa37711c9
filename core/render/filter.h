/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Takes rows out of a profile, so that every form of report shows the rest. Losses and the account stay as they are. */
#pragma once

#include "core/plan/plan.h"

/*
 * 0, or a usage error for an expression that is none. Without the times of events, since_ns keeps the intervals that end
 * later; -ENODATA with a recorded cause when the profile has neither times nor several intervals.
 */
int filter_apply(const struct filter *filter, struct profile *profile);
