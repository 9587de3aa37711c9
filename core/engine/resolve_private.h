/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside of resolution: resolve.c chooses by the kind of probe, one resolve_KIND.c each knows how. */
#pragma once

#include <stdbool.h>

#include "core/base/match.h"
#include "core/engine/resolve.h"

int resolve_tracepoints(const struct plan *plan, struct attach_plan *attach);
int resolve_kernel_functions(const struct plan *plan, struct attach_plan *attach);
int resolve_scheduler(const struct plan *plan, struct attach_plan *attach);
int resolve_user_functions(const struct plan *plan, struct symbolizer *symbolizer, struct attach_plan *attach);

/* A usage error when there are more places than the plan allows. */
int resolve_check_limit(const struct plan *plan, size_t nr);

void match_freep(struct match **match);

/*
 * A pattern as an expression: a wildcard must match the whole name; a regular expression is anchored at the start only, as
 * Python's re.match. malloc()ed.
 */
char *resolve_expression(const char *pattern, bool regex);

/* Compiles an expression; a usage error when it is none. */
int resolve_compile(const struct plan *plan, const char *expression, struct match **ret_match);
