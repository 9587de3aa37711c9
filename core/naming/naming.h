/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Gives every frame of a profile its name, module and reason, through the symbol worker. */
#pragma once

#include <stdbool.h>

#include "core/files/debuginfod.h"
#include "core/profile/profile.h"
#include "core/spaces/spaces.h"
#include "symbolize/symbolize.h"

struct naming {
	bool no_demangle;
	bool lines;      /* source lines will be needed */
	bool identify_only;            /* files get build ids, no names */
	const char *debug_directories; /* --debug-dir, as in debug_files.h */
	const char *host_root;         /* --host-root, as in opener.h; NULL: none */
	struct debuginfod *debuginfod; /* servers for debug files that this host does not have; NULL: none */
	const char *path;              /* of the file, if no frames have it; NULL: unknown */
	struct buf *why; /* gets the paths searched for debug files (core/base/why.h); NULL: not wanted */
	struct spaces *const *spaces; /* has the files of frames; NULL, or *spaces NULL: there are none */
};

/*
 * Starts the symbol worker of a run. It gets separate debug files (debug_files.h), and after the loss of a worker files
 * of frames are opened again. `naming` is borrowed until symbolizer_free(). 0 or a recorded failure.
 */
int naming_start(const struct naming *naming, struct symbolizer **ret_symbolizer);

/* Waits until the worker runs. 0 or a recorded failure, of kind ERR_HOST if no process can be started. */
int naming_await(struct symbolizer *symbolizer);

/*
 * Prints messages to stderr at the end: if a worker died or could not be restarted, and, unless `quiet`, if perf maps
 * were not trusted. `spaces` may be NULL.
 */
void naming_warn(struct symbolizer *symbolizer, const struct spaces *spaces, bool quiet);

/*
 * For a profile that will be named on another host: adds the modules and build ids of the files of frames, from a
 * symbolizer that was started with identify_only. Frames stay REASON_NOT_TRIED, except those of the kernel, which only
 * this host can name.
 */
void identify_frames(struct profile *profile, struct symbolizer *symbolizer, struct symbolizer *identifier);

/*
 * Names the frames of a saved profile that have not been tried. `numbers`: the symbolizer's number of each file of the
 * profile; frames of a file with PROFILE_NONE stay as they are.
 */
void name_saved_frames(struct profile *profile, struct symbolizer *symbolizer, const uint32_t *numbers);

/*
 * Names the frames that have not been tried yet, with one request for each file and one for the kernel. The kernel and
 * the host's files come first, because no user can make these slow. A frame without a name gets a reason; that is no
 * failure. Generated code is named by the maps that `spaces` has opened; NULL: not at all.
 */
void name_frames(struct profile *profile, struct symbolizer *symbolizer, struct spaces *spaces);
