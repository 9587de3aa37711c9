/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a run would do, in words: --explain and --debug. */
#pragma once

#include <stdio.h>

#include "core/plan/plan.h"
#include "core/resolve/resolve.h"

/* The plan, then program, mechanism, reason and every place that would be attached. 0 or the errno of a failed write. */
int explain_plan(const struct plan *plan, const struct attach_plan *attach, FILE *out);

/* The same, then the configuration of the programs. Opens the object, loads nothing. */
int explain_programs(const struct plan *plan, const struct attach_plan *attach, FILE *out);
