/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a profile records about its run, except the header line, which needs the number of attached places. */
#pragma once

#include "core/cli/applet.h"
#include "core/plan/plan.h"
#include "core/profile/profile.h"
#include "core/resolve/resolve.h"

/* Makes the profile: how it is shown, the event and its unit, the host, the time zone. */
void run_describe(struct profile *profile, const struct applet *applet, const struct plan *plan,
		  const struct attach_plan *attach);
