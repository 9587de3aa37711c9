/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Several patterns of one run: the places of each, as one attach plan. */
#pragma once

#include "core/base/err.h"
#include "core/resolve/attach_plan.h"

/*
 * Moves what resolution found for one pattern to the attach plan of the run; `attach` is empty for the first one. Places that an
 * earlier pattern has are left in `part`: each event counts once. All patterns have the same kind. 0 or a recorded failure.
 */
_must_check_ int attach_plan_merge(struct attach_plan *attach, struct attach_plan *part);
