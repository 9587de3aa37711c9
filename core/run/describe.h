/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Describes a run in its profile, except for the header line, which needs the number of attached places. */
#pragma once

#include "core/cli/applet.h"
#include "core/plan/plan.h"
#include "core/profile/profile.h"
#include "core/resolve/resolve.h"

/* Makes the profile: the view, the event and its unit, the host, the time zone. */
void run_describe(struct profile *profile, const struct applet *applet, const struct plan *plan,
		  const struct attach_plan *attach);

/* At the end, for documents: what the run's own status is, whatever a command returned. lost: something is missing; cut: by the guard. */
void run_describe_status(struct profile *profile, const struct plan *plan, bool lost, bool cut);

/*
 * --explain prints what would be attached, and sets *ret_stop. --debug prints that and the configuration of the
 * programs to stderr. 0 or a negative errno.
 */
int run_explain(const struct plan *plan, const struct attach_plan *attach, bool *ret_stop);
