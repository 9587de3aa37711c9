/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Resolution finds the places for a plan on this host and chooses the mechanism. It loads nothing. --explain prints the result. */
#pragma once

#include "core/host/host.h"
#include "core/plan/plan.h"
#include "core/resolve/attach_plan.h"
#include "symbolize/symbolize.h"

/* Fills the attach plan. 0, a usage error, ERR_NO_MATCH with a similar name, or ERR_HOST if the host lacks something. */
int resolve_plan(const struct plan *plan, struct symbolizer *symbolizer, struct attach_plan *ret_attach);

/* Why BPF programs that can read this cannot walk user stacks by tables; NULL: they can. */
const char *resolve_unwind_obstacle(const struct host_reads *reads);

/* Adds "user stacks: by unwind tables, …": how they are walked, and why. */
void resolve_describe_user_stacks(const struct plan *plan, const struct attach_plan *attach, struct buf *text);
