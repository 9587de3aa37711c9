/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which waits in the rows of `wall` are waits for work, in a thread's own base loop. docs/use/wall.md has the rules. */
#pragma once

#include "core/profile/profile.h"

/* The user's patterns of idle time: regular expressions, or NULL. */
struct idle_plan {
	const char *function; /* waits in state S below such a function are idle too */
	const char *under; /* waits in state S are idle unless they are below such a function */
};

/*
 * Replaces [blocked S] by [idle] in the stacks that wait for work. Call it after wait_reasons_settle(). Unless view.by_thread is set, also
 * gives threads whose names differ only in digits one name: "worker-*". A second call for the same rows changes nothing. If `interval` is
 * NULL, only checks the expressions. Returns 0 or a recorded failure.
 */
int wall_idle_settle(struct profile *profile, const struct profile_interval *interval, const struct idle_plan *plan);
