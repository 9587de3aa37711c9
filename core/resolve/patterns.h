/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Patterns as regular expressions, and the limit on matches. */
#pragma once

#include "core/base/match.h"
#include "core/plan/plan.h"

/* The regular expression of a pattern, malloc()ed. A wildcard must match the whole name; an expression only the start (re.match). */
char *pattern_expression(const char *pattern, bool regex);

/* Compiles an expression. 0, or a usage error if it is invalid. */
int pattern_compile(const struct plan *plan, const char *expression, struct match **ret_match);

/* 0, or a usage error if there are more places than the plan allows. */
int pattern_check_limit(const struct plan *plan, size_t nr);
