/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One line on standard error that shows how far a run is, only on a terminal. It is overwritten by the next one and erased at
 * the end.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/plan/plan.h"
#include "core/profile/profile.h"
#include "core/session/drain.h"

struct run_progress {
	bool wanted, has_stacks;
	uint64_t begun_ns;
	unsigned int width; /* columns of what is on the screen; 0: nothing */
};

/* The run begins; whether there is a line at all is decided here. The plan is borrowed. */
void run_progress_begin(struct run_progress *progress, const struct plan *plan);

/* Writes the line, from the third second on. One that is there already has to be erased first. */
void run_progress_show(struct run_progress *progress, const struct drain *drain, const struct profile *profile);

/* Erases it, before anything else is printed. */
void run_progress_erase(struct run_progress *progress);
