/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside of resolution: resolve.c chooses by the kind of probe, one resolve_KIND.c each knows how. */
#pragma once

#include <stdbool.h>

#include "core/base/match.h"
#include "core/engine/resolve.h"

/* A number for the symbol worker that no file of a profile has, and those behind it. */
#define PROBED_FILE 0xf0000000U

int resolve_tracepoints(const struct plan *plan, struct attach_plan *attach);

/* Takes the raw tracepoints when all events are beginnings and ends of system calls; otherwise a note may say what that costs. */
void resolve_prefer_raw_calls(const struct plan *plan, struct attach_plan *attach);

int resolve_kernel_functions(const struct plan *plan, struct attach_plan *attach);
int resolve_scheduler(const struct plan *plan, struct attach_plan *attach);
int resolve_user_functions(const struct plan *plan, struct symbolizer *symbolizer, struct attach_plan *attach);
int resolve_usdt(const struct plan *plan, struct symbolizer *symbolizer, struct attach_plan *attach);

/* The best way to put breakpoints into user code. */
int resolve_choose_uprobe(const struct plan *plan, struct attach_plan *attach);

/*
 * A file to probe. What was looked at and what is probed is one and the same open file: a path may lead elsewhere a moment
 * later, and in a container it leads elsewhere for us.
 */
struct probed_file {
	uint32_t number; /* for the symbol worker */
	char *path; /* for people, as it leads there from here; malloc()ed */
	int fd; /* belongs to the attach plan */
};

/*
 * Finds, opens and hands over the file of a user probe. A name that has become part of the C library leads there, with a
 * note.
 */
int resolve_open_target(const struct plan *plan, struct symbolizer *symbolizer, struct attach_plan *attach,
			struct probed_file *ret_file);

/*
 * Hands a file over to the symbol worker under file->number, and keeps it open for attaching: sets file->fd. Takes
 * ownership of `fd`.
 */
int resolve_add_file(struct symbolizer *symbolizer, struct attach_plan *attach, int fd, struct probed_file *file);

/* The process whose view of the file system counts: that of -p when it is one, else 0. */
uint32_t resolve_single_tgid(const struct plan *plan);

/*
 * The path of an open file that the target sees, as we see it: below the target's root unless both see the same file
 * there. For messages only. Takes ownership of `path`, returns malloc()ed.
 */
char *resolve_path_from_here(char *path, uint32_t tgid, int fd);

/* A usage error when there are more places than the plan allows. */
int resolve_check_limit(const struct plan *plan, size_t nr);

/*
 * A pattern as an expression: a wildcard must match the whole name; a regular expression is anchored at the start only, as
 * Python's re.match. malloc()ed.
 */
char *resolve_expression(const char *pattern, bool regex);

/* Compiles an expression; a usage error when it is none. */
int resolve_compile(const struct plan *plan, const char *expression, struct match **ret_match);

/*
 * Whether user stacks can be walked by unwind tables in the programs of this attach plan, and why not. A failure only where
 * they were asked for by name.
 */
int resolve_unwind(const struct plan *plan, struct attach_plan *attach);
