/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A progress line on standard error, if that is a terminal. The next line overwrites it, and the last one is erased. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/plan/plan.h"
#include "core/profile/profile.h"
#include "core/session/drain.h"

struct run_progress {
	bool wanted, has_stacks;
	uint64_t begun_ns, shown_ns;
	unsigned int width; /* columns of the current line; 0: none */
};

/* Call at the start of the run: decides whether there is a progress line. The plan is borrowed. */
void run_progress_begin(struct run_progress *progress, const struct plan *plan);

/* Writes the line, from the third second on, if it was erased or is half a second old. */
void run_progress_show(struct run_progress *progress, const struct drain *drain, const struct profile *profile);

/* Erases the line. Call it before anything else is printed. */
void run_progress_erase(struct run_progress *progress);
