/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Resolution finds the places for a plan on this host, and chooses the best mechanism that the host has. It loads nothing. --explain
 * prints the result.
 */
#pragma once

#include "core/host/host.h"
#include "core/plan/plan.h"
#include "core/resolve/attach_plan.h"
#include "symbolize/symbolize.h"

/*
 * Fills the attach plan. The symbol worker looks up user functions. 0, a usage error, ERR_NO_MATCH with a similar name if nothing
 * matches, or ERR_HOST if the host lacks something.
 */
int resolve_plan(const struct plan *plan, struct symbolizer *symbolizer, struct attach_plan *ret_attach);

/* Why user stacks cannot be unwound by tables where BPF programs may read this; NULL: they can. */
const char *resolve_unwind_obstacle(const struct host_reads *reads);

/* "user stacks: by unwind tables, …": how, and why. */
void resolve_describe_user_stacks(const struct plan *plan, const struct attach_plan *attach, struct buf *text);
