/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Removes rows from a profile before it is reported in any format. Losses and the account stay as they are. */
#pragma once

#include "core/plan/plan.h"

/*
 * 0, or a usage error for an invalid expression. Without the times of events, since_ns keeps the intervals that end
 * later. -ENODATA with a recorded cause if the profile lacks what a filter needs: times or several intervals, or
 * process ids.
 */
int filter_apply(const struct filter *filter, struct profile *profile);
