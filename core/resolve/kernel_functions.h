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
#include <stdint.h>

#include "core/base/match.h"
#include "core/base/vec.h"

struct kernel_function_entry {
	char *name;
	char *module; /* NULL: the kernel itself */
	uint64_t address;
};

struct kernel_function_list {
	VEC(struct kernel_function_entry) functions; /* by address, one name per address */
	size_t nr_candidates;  /* functions looked at */
	size_t nr_unreachable; /* matched, but ftrace or kprobes cannot reach them */
	size_t nr_dangerous;   /* matched, but known to hang hosts */
	char *unreachable, *dangerous; /* the first of each, or NULL */
	bool hidden;           /* kallsyms shows no addresses */
};

/* Fills the list. 0, or a recorded failure of reading kallsyms. */
int kernel_functions_find(const struct match *match, bool force, struct kernel_function_list *ret_list);
void kernel_functions_done(struct kernel_function_list *list);

/* A function name near `name`, malloc()ed, or NULL. */
char *kernel_functions_suggest(const char *name);
