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
	bool lines;      /* there will be questions about source lines */
	bool identify_only;            /* files get build ids, no names */
	const char *debug_directories; /* --debug-dir, as in debug_files.h */
	const char *host_root;         /* --host-root, as in opener.h; NULL */
	struct debuginfod *debuginfod; /* servers are asked for debug files that are not here; NULL: they are not */
	const char *path;              /* of files that are not of frames; NULL unknown */
	struct buf *why;               /* is told where debug files were looked for (core/base/why.h); NULL */
	struct spaces *const *spaces;  /* where the files of frames are from; NULL, also *spaces: there are none */
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
 * At the end, lines on stderr: if a worker died, or could not be started again, and, unless `quiet`, if there were perf maps that
 * are not believed. `spaces` may be NULL.
 */
void naming_warn(struct symbolizer *symbolizer, const struct spaces *spaces, bool quiet);

/*
 * For names that are looked up elsewhere: modules and build ids of the files that frames lie in, from a symbolizer that
 * was started with identify_only. The frames stay REASON_NOT_TRIED. The kernel's are named, because only this host can
 * do it.
 */
void identify_frames(struct profile *profile, struct symbolizer *symbolizer, struct symbolizer *identifier);

/*
 * Names the frames of a saved profile that have not been tried: `numbers` says under which number the symbolizer has
 * each file of the profile, PROFILE_NONE for those that it does not have, whose frames stay as they are.
 */
void name_saved_frames(struct profile *profile, struct symbolizer *symbolizer, const uint32_t *numbers);

/*
 * Names the frames that have not been tried yet, one request per file and one for the kernel. A frame that stays
 * without a name carries a reason; that is no failure. Generated code is named by the maps that `spaces` has opened;
 * NULL: none.
 */
void name_frames(struct profile *profile, struct symbolizer *symbolizer, struct spaces *spaces);
