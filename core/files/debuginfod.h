/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Debug files from debuginfod servers, through the program debuginfod-find of elfutils.
 *
 * Only when DEBUGINFOD_URLS is set, as for every client of debuginfod: that is the user's consent to tell these servers what
 * runs here. The program knows the protocol, its cache and its other variables (debuginfod-find(1)). It runs below a process
 * without privileges (debuginfod_asker.h). The reader of the file compares its build id.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct buf;

struct debuginfod {
	int socket;          /* to the process that asks; 0: it was not started, or has ended */
	pid_t pid;
	int64_t spent_ms;    /* waiting, over all files */
	bool is_missing;     /* there is no such program */
};

/*
 * Forks the process that asks, if DEBUGINFOD_URLS is set: call it before anything privileged is open. Where it cannot be
 * started, nobody is asked; that is not a failure. debuginfod_done() ends it.
 */
void debuginfod_start(struct debuginfod *debuginfod);
void debuginfod_done(struct debuginfod *debuginfod);

/*
 * Asks for the debug file of a build id (lower-case hex) and waits, 15 s for one file and 60 s for all, after which the
 * program is ended. A descriptor of a regular file, or a negative errno: -ENOENT when there is none, or nobody to ask.
 * `why` gets a line with the result (core/base/why.h); NULL: none.
 */
int debuginfod_open(struct debuginfod *debuginfod, const char *build_id, struct buf *why);
