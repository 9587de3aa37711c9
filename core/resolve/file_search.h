/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files that user probes are searched in: each of them once, and what of them cannot be probed. */
#pragma once

#include "core/base/buf.h"
#include "core/base/vec.h"
#include "core/files/same_file.h"
#include "core/plan/plan.h"
#include "core/resolve/attach_plan.h"
#include "symbolize/symbolize.h"

/*
 * A file to probe, once however many processes have it: a place is an offset in one of these. The descriptor that was searched is
 * the one that is probed: a path may lead elsewhere a moment later, and in a container it leads elsewhere for us.
 */
struct probed_file {
	uint32_t number; /* for the symbol worker */
	char *path; /* for people, as it leads there from here */
	int fd; /* belongs to the attach plan; -1: there is nothing to probe in the file, and it is closed */
	struct file_identity identity;
	VEC(uint32_t) tgids; /* the processes of -p that have it; none without -p */
};

/* The search for places in files. */
struct file_search {
	const struct plan *plan;
	struct symbolizer *symbolizer;
	struct attach_plan *attach;
	VEC(struct probed_file) files;
	struct buf misses; /* lines */
	size_t nr_misses;
};

void file_search_done(struct file_search *search);

/*
 * Adds a file that `tgid` (0: no process) has, and hands it over to the symbol worker, unless it is there already. Takes ownership
 * of `fd` and of `path`. 1 and its index when it is new, 0 and the index when it is not, or a negative errno with a recorded cause.
 */
int file_search_add(struct file_search *search, int fd, char *path, uint32_t tgid, size_t *ret_index);

/* Closes a file in which there is nothing to probe; it keeps its index, with fd -1. */
void file_search_close(struct file_search *search, size_t index);

/*
 * Keeps a line about one of several processes or files that is not probed, escaped. file_search_finish() adds these lines to the
 * attach plan.
 */
__attribute__((format(printf, 2, 3))) void file_search_miss(struct file_search *search, const char *format, ...);
void file_search_finish(struct file_search *search);

/* Adds the places of one file to the attach plan. 0 or a recorded failure. */
typedef int find_places(struct file_search *search, const struct probed_file *file, void *context);

/*
 * Finds, opens and adds the files that the target of the plan means: for each process of -p as that process sees it. A name
 * that has become part of the C library leads there, with a note. A failure when there is none at all. Then calls `find` for
 * each of them: the failure of one of several is a miss of its processes, that of all is the result.
 */
int file_search_targets(struct file_search *search, find_places *find, void *context);

/*
 * The path of an open file that the target sees, as we see it: below the target's root unless both see the same file
 * there. For messages only. Takes ownership of `path`, returns malloc()ed.
 */
char *path_from_here(char *path, uint32_t tgid, int fd);
