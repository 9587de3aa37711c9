/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Resolution finds the places for a plan on this host, and chooses the best mechanism that the host has. It loads nothing. --explain
 * prints the result.
 */
#pragma once

#include "core/plan/plan.h"
#include "core/resolve/attach_plan.h"
#include "symbolize/symbolize.h"

/*
 * Fills the attach plan. The symbol worker looks up user functions. 0, a usage error, ERR_NO_MATCH with a similar name if nothing
 * matches, or ERR_HOST if the host lacks something.
 */
int resolve_plan(const struct plan *plan, struct symbolizer *symbolizer, struct attach_plan *ret_attach);
