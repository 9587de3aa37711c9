/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Searches files for places of user probes, each file once. */
#pragma once

#include "core/base/buf.h"
#include "core/base/vec.h"
#include "core/files/same_file.h"
#include "core/plan/plan.h"
#include "core/resolve/attach_plan.h"
#include "symbolize/symbolize.h"

/*
 * A file to probe, which several processes may have. It is searched and probed by one descriptor: the path may later lead to another file,
 * and a container's path leads to another file for us.
 */
struct probed_file {
	uint32_t number; /* for the symbol worker */
	char *path; /* as seen by us, for messages */
	int fd; /* owned by the attach plan; -1: closed, because nothing in the file is probed */
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
 * Adds a file of process `tgid` (0: none), unless the search has it, and passes it to the symbol worker. Takes ownership of `fd` and
 * `path`. Sets the index; returns 1 for a new file, 0 for a known one, or a recorded failure.
 */
int file_search_add(struct file_search *search, int fd, char *path, uint32_t tgid, size_t *ret_index);

/* Closes a file in which nothing is probed. It keeps its index, with fd -1. */
void file_search_close(struct file_search *search, size_t index);

/* Adds an escaped line about something not probed. file_search_finish() adds the first lines and a count to the attach plan. */
__attribute__((format(printf, 2, 3))) void file_search_miss(struct file_search *search, const char *format, ...);
void file_search_finish(struct file_search *search);

/* Adds the places of one file to the attach plan. 0 or a recorded failure. */
typedef int find_places(struct file_search *search, const struct probed_file *file, void *context);

/*
 * Finds the file of the plan's target, for each process of -p as that process sees it, and calls `find` for each file. For a library that
 * is now part of the C library it uses the C library, with a note. 0 if there are places; then processes of a file that failed are noted as
 * misses. Else the recorded failure of the first file.
 */
int file_search_targets(struct file_search *search, find_places *find, void *context);

/*
 * Converts the path of an open file from the view of process `tgid` to ours, for messages: prefixes /proc/PID/root, unless the path leads
 * us to the same file. Takes ownership of `path`, and returns a malloc()ed one.
 */
char *path_from_here(char *path, uint32_t tgid, int fd);
