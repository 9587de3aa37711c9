/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "core/base/err.h"
#include "core/resolve/attach_plan.h"

/*
 * Moves the places found for one of several patterns to the attach plan of the run; `attach` is empty for the first pattern. Places that an
 * earlier pattern has stay in `part`, so that each event counts once. All patterns have the same kind. 0 or a recorded failure.
 */
_must_check_ int attach_plan_merge(struct attach_plan *attach, struct attach_plan *part);
