/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Gives every frame of a profile its name, module and reason, with the symbol worker. */
#pragma once

#include <stdbool.h>

#include "core/files/debuginfod.h"
#include "core/profile/profile.h"
#include "core/spaces/spaces.h"
#include "symbolize/symbolize.h"

struct naming {
	bool no_demangle;
	bool lines;      /* source lines will be needed */
	bool data; /* there are places in data */
	bool identify_only; /* files only get build ids, no names */
	const char *debug_directories; /* --debug-dir, as in debug_files.h */
	const char *host_root;         /* --host-root, as in opener.h; NULL: none */
	struct debuginfod *debuginfod; /* queries servers for missing debug files; NULL: none */
	const char *path; /* of the only file, if there are no spaces; NULL: unknown */
	struct buf *why; /* gets the paths searched for debug files (core/base/why.h); may be NULL */
	struct spaces *const *spaces; /* have the files of frames; NULL, or *spaces NULL: none */
};

/*
 * Starts the symbol worker of a run. It gets separate debug files (debug_files.h); after a worker has died, the next one gets the files of
 * frames again. `naming` is borrowed until symbolizer_free(). 0 or a recorded failure.
 */
int naming_start(const struct naming *naming, struct symbolizer **ret_symbolizer);

/* Waits until the worker runs. 0, or a recorded failure: ERR_HOST if no process can be started. */
int naming_await(struct symbolizer *symbolizer);

/*
 * Prints messages to stderr at the end: whether a worker died or could not be restarted, and, unless `quiet`, whether perf maps were not
 * trusted and the worker had no system call filter. `spaces` may be NULL.
 */
void naming_warn(struct symbolizer *symbolizer, const struct spaces *spaces, bool quiet);

/*
 * For a profile that will be named on another host: adds the modules and build ids of the files of frames, from a symbolizer started with
 * identify_only. User frames stay REASON_NOT_TRIED; kernel frames get names, because only this host can name them.
 */
void identify_frames(struct profile *profile, struct symbolizer *symbolizer, struct symbolizer *identifier);

/* Names the frames of a saved profile. `numbers`: the symbolizer's number of each file, or PROFILE_NONE, which leaves its frames. */
void name_saved_frames(struct profile *profile, struct symbolizer *symbolizer, const uint32_t *numbers);

/*
 * Names the frames that were not tried yet, with one request per file and one for the kernel. The kernel and the host's files come first,
 * because no user can make these slow. A frame without a name gets a reason, which is no failure. Generated code is named by the maps that
 * `spaces` has opened; NULL: not at all.
 */
void name_frames(struct profile *profile, struct symbolizer *symbolizer, struct spaces *spaces);
