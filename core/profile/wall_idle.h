/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waiting for work: which of the waits in the rows of `wall` are those of a thread's own base loop. docs/use/wall.md has the rules. */
#pragma once

#include "core/profile/profile.h"

/* What the user says of idle time. Regular expressions; NULL: nothing. */
struct idle_plan {
	const char *function; /* waits in state S below such a function are idle, too */
	const char
		*under; /* nothing below such a function is idle, and all waits in state S that are not below one are */
};

/*
 * Puts [idle] in place of [blocked S] into the stacks of the interval that wait for work. Call it after wait_reasons_settle(). Then,
 * unless view.by_thread is set, gives threads whose names differ only in digits one name: "worker-*". A second call for the same rows changes nothing.
 * `interval` NULL: it only checks the expressions. 0 or a recorded failure.
 */
int wall_idle_settle(struct profile *profile, const struct profile_interval *interval, const struct idle_plan *plan);
