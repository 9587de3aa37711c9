/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "core/plan/plan.h"
#include "core/resolve/attach_plan.h"

/*
 * Whether user stacks can be walked by unwind tables in the programs of this attach plan, and why not. A failure only where
 * they were asked for by name.
 */
int unwind_choose(const struct plan *plan, struct attach_plan *attach);
