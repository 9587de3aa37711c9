/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Describes a run in its profile. run.c adds the header line, which needs the number of attached places. */
#pragma once

#include "core/cli/applet.h"
#include "core/plan/plan.h"
#include "core/profile/profile.h"
#include "core/resolve/resolve.h"

/* Initialises the profile: view, event and unit, host, time zone. */
void run_describe(struct profile *profile, const struct applet *applet, const struct plan *plan,
		  const struct attach_plan *attach);

/* To be called at the end: sets the run's exit status, without the command's. `lost`: incomplete; `cut`: ended by the guard. */
void run_describe_status(struct profile *profile, const struct plan *plan, bool lost, bool cut);

/*
 * --explain: prints what would be attached, and sets *ret_stop. --debug: prints that and the programs' configuration to stderr. 0 or a
 * negative errno.
 */
int run_explain(const struct plan *plan, const struct attach_plan *attach, bool *ret_stop);
