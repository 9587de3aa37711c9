/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Patterns of probes as expressions, and how many matches they may have. */
#pragma once

#include "core/base/match.h"
#include "core/plan/plan.h"

/*
 * A pattern as an expression: a wildcard must match the whole name; a regular expression is anchored at the start only, as
 * Python's re.match. malloc()ed.
 */
char *pattern_expression(const char *pattern, bool regex);

/* Compiles an expression; a usage error when it is none. */
int pattern_compile(const struct plan *plan, const char *expression, struct match **ret_match);

/* A usage error when there are more places than the plan allows. */
int pattern_check_limit(const struct plan *plan, size_t nr);
