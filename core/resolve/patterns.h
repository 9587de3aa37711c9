/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Patterns of probes: as regular expressions, and the limit on their matches. */
#pragma once

#include "core/base/match.h"
#include "core/plan/plan.h"

/*
 * The regular expression for a pattern, malloc()ed. A wildcard pattern must match the whole name; a regular expression is anchored at
 * the start only, like Python's re.match.
 */
char *pattern_expression(const char *pattern, bool regex);

/* Compiles an expression. 0, or a usage error if it is invalid. */
int pattern_compile(const struct plan *plan, const char *expression, struct match **ret_match);

/* A usage error if there are more places than the plan allows; else 0. */
int pattern_check_limit(const struct plan *plan, size_t nr);
