/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The search for places of user probes in files. Each file is searched once. */
#pragma once

#include "core/base/buf.h"
#include "core/base/vec.h"
#include "core/files/same_file.h"
#include "core/plan/plan.h"
#include "core/resolve/attach_plan.h"
#include "symbolize/symbolize.h"

/*
 * A file to probe, which several processes may have. It is searched and probed by one descriptor: its path may lead to another file
 * a moment later, and in a container it leads to another file for us.
 */
struct probed_file {
	uint32_t number; /* for the symbol worker */
	char *path; /* as seen from here, for messages */
	int fd; /* the attach plan owns it; -1: closed, because there is nothing to probe in the file */
	struct file_identity identity;
	VEC(uint32_t) tgids; /* the processes of -p that have the file */
};

struct file_search {
	const struct plan *plan; /* this and the next two are borrowed */
	struct symbolizer *symbolizer;
	struct attach_plan *attach;
	VEC(struct probed_file) files;
	struct buf misses; /* lines of file_search_miss() */
	size_t nr_misses;
};

void file_search_done(struct file_search *search);

/*
 * Adds a file that process `tgid` has (0: no process), unless it is in the search already, and passes it to the symbol worker. Takes
 * ownership of `fd` and `path`. Sets the index, and returns 1 for a new file and 0 for a known one. Or a recorded failure.
 */
int file_search_add(struct file_search *search, int fd, char *path, uint32_t tgid, size_t *ret_index);

/* Closes a file in which there is nothing to probe. It keeps its index, with fd -1. */
void file_search_close(struct file_search *search, size_t index);

/*
 * Notes a line, which is escaped, about one of several processes or files that is not probed. file_search_finish() adds these lines to
 * the attach plan: the first few, and the number of the others.
 */
__attribute__((format(printf, 2, 3))) void file_search_miss(struct file_search *search, const char *format, ...);
void file_search_finish(struct file_search *search);

/* Adds the places of one file to the attach plan. 0 or a recorded failure. */
typedef int find_places(struct file_search *search, const struct probed_file *file, void *context);

/*
 * Finds the file that the plan's target names, for each process of -p as that process sees it, and calls `find` for each. The name of a
 * library that is now part of the C library leads to the C library, with a note. 0 if there are places; the processes of a file that
 * failed are then noted as misses. Otherwise a recorded failure, of the first file.
 */
int file_search_targets(struct file_search *search, find_places *find, void *context);

/*
 * Converts the path of an open file from the view of process `tgid` to ours, for messages: below /proc/PID/root, unless the path leads
 * us to the same file. Takes ownership of `path`, returns malloc()ed.
 */
char *path_from_here(char *path, uint32_t tgid, int fd);
