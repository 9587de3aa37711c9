/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Debug files from debuginfod servers, through the program debuginfod-find of elfutils.
 *
 * Servers are queried only if DEBUGINFOD_URLS is set, as by every debuginfod client: setting it is the user's consent to tell these servers
 * what runs here. debuginfod-find has the protocol, the cache and the other variables (debuginfod-find(1)). It runs below a process without
 * privileges (debuginfod_asker.h). The reader of a file compares the build id.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct buf;

struct debuginfod {
	int socket; /* to the process that runs debuginfod-find; 0: not started, or ended */
	pid_t pid;
	int64_t spent_ms; /* waiting for all files so far */
	bool is_missing; /* debuginfod-find is not installed */
};

/*
 * Forks the process that runs debuginfod-find, if DEBUGINFOD_URLS is set. Call it before anything privileged is open. If it cannot be
 * started, no server is queried, which is not an error. debuginfod_done() ends it.
 */
void debuginfod_start(struct debuginfod *debuginfod);
void debuginfod_done(struct debuginfod *debuginfod);

/*
 * Queries the debug file of a build id (lower-case hex). Waits at most 15 s for one file and 60 s for all; then debuginfod-find is ended.
 * Returns a descriptor of a regular file, or a negative errno: -ENOENT if there is no file or no server. `why` gets a line with the result
 * (core/base/why.h); it may be NULL.
 */
int debuginfod_open(struct debuginfod *debuginfod, const char *build_id, struct buf *why);
