/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Resolution: from a plan and this host to the places where programs will be attached, by the best mechanism that the host
 * has. Loads nothing; --explain prints the result.
 */
#pragma once

#include "core/plan/plan.h"
#include "core/resolve/attach_plan.h"
#include "symbolize/symbolize.h"

/*
 * Fills the attach plan. User functions are looked up by the symbol worker. 0; a usage error; ERR_NO_MATCH when nothing
 * matches, with a near name; ERR_HOST when this host cannot.
 */
int resolve_plan(const struct plan *plan, struct symbolizer *symbolizer, struct attach_plan *ret_attach);
