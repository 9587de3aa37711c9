/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Naming: gives every frame of a profile its name, module and reason, through the symbol worker. */
#pragma once

#include <stdbool.h>

#include "core/files/debuginfod.h"
#include "core/profile/profile.h"
#include "core/spaces/spaces.h"
#include "symbolize/symbolize.h"

struct naming {
	bool no_demangle;
	bool lines;      /* source lines will be asked for */
	bool identify_only;            /* files get build ids, no names */
	const char *debug_directories; /* --debug-dir, as in debug_files.h */
	const char *host_root;         /* --host-root, as in opener.h; NULL */
	struct debuginfod *debuginfod; /* servers are asked for debug files that are not here; NULL: they are not */
	const char *path;              /* of the file, where no frames have it; NULL unknown */
	struct buf *why;               /* is told where debug files were looked for (core/base/why.h); NULL */
	struct spaces *const *spaces;  /* which knows the files of frames; NULL, also *spaces: there are none */
};

/*
 * Starts the symbol worker as every run uses it: separate debug files are looked for (debug_files.h), and files of
 * frames are opened again when a worker was lost. `naming` is borrowed until symbolizer_free(). 0 or a recorded
 * failure.
 */
int naming_start(const struct naming *naming, struct symbolizer **ret_symbolizer);

/* Waits until the worker runs. 0 or a recorded failure, the host's where no process may be started. */
int naming_await(struct symbolizer *symbolizer);

/*
 * Prints lines to stderr at the end: if a worker died, or could not be started again, and, unless `quiet`, if there
 * were perf maps that were not trusted. `spaces` may be NULL.
 */
void naming_warn(struct symbolizer *symbolizer, const struct spaces *spaces, bool quiet);

/*
 * For a profile that is named on another host: adds modules and build ids of the files that frames lie in, from a
 * symbolizer that was started with identify_only. Frames stay REASON_NOT_TRIED, except those of the kernel, which only
 * this host can name.
 */
void identify_frames(struct profile *profile, struct symbolizer *symbolizer, struct symbolizer *identifier);

/*
 * Names the frames of a saved profile that have not been tried. `numbers`: the number that the symbolizer has for each
 * file of the profile, or PROFILE_NONE where it has none; then its frames stay as they are.
 */
void name_saved_frames(struct profile *profile, struct symbolizer *symbolizer, const uint32_t *numbers);

/*
 * Names the frames that have not been tried yet, with one request per file and one for the kernel. The kernel and the
 * host's files come first, for no user can make these slow. A frame that gets no name has a reason; that is no failure. Generated code is named by the maps that `spaces` has opened; NULL: not.
 */
void name_frames(struct profile *profile, struct symbolizer *symbolizer, struct spaces *spaces);
