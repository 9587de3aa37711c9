/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel functions that a probe may be put on, by pattern: one pass over /proc/kallsyms.
 *
 * Left out are the functions that bcc leaves out (init text, interrupt entry, perf's own, static call trampolines, the
 * kprobe blacklist) and, where tracefs shows available_filter_functions, what ftrace cannot reach: it lists one name of each
 * address, and the other names mean the same function. A list that cannot be read is unknown, not empty. Functions that are
 * known to hang or slow a host to a stop when every call is traced are left out, and counted; `force` takes them all the same.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/base/match.h"
#include "core/resolve/attach_plan.h"

/* What was found beside the functions that can be probed. */
struct kernel_functions_left_out {
	size_t nr_candidates;  /* functions looked at */
	size_t nr_unreachable; /* matched, but ftrace or kprobes cannot reach them */
	size_t nr_dangerous;   /* matched, but known to hang hosts */
	char *unreachable, *dangerous; /* the first of each, or NULL */
	bool hidden;           /* kallsyms shows no addresses */
};

/*
 * Adds a place for each function that matches, by address, with one name per address. The plan has no place yet. 0, or a recorded
 * failure of reading kallsyms.
 */
int kernel_functions_find(const struct match *match, bool force, struct attach_plan *attach,
			  struct kernel_functions_left_out *ret_left_out);
void kernel_functions_left_out_done(struct kernel_functions_left_out *left_out);

/* A function name near `name`, malloc()ed, or NULL. */
char *kernel_functions_suggest(const char *name);
