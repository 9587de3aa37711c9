/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "core/plan/plan.h"

/*
 * Removes rows and intervals from a profile before it is reported. Losses and accounts of the other intervals stay. 0, or a usage error for
 * an invalid expression. For a profile without times of events, since_ns keeps the intervals that end later. -ENODATA with a recorded
 * cause: the profile lacks what a filter needs (times or several intervals, or process ids).
 */
int filter_apply(const struct filter *filter, struct profile *profile);
