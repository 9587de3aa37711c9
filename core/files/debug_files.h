/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds separate debug files: by build id below the directories for debug files, and by debug link beside the program or below those
 * directories by the program's path (gdb manual, "Separate Debug Files").
 *
 * The directories are searched in our root, in the host's root if that is mounted somewhere, and in the root of the program if that is
 * another one. Paths that the program itself names, or that are beside it, are searched in the program's root. There a file is used only if
 * the program's owner or root owns it, because any user can write a file that claims a build id. The reader compares the build id or
 * checksum, and requests the next file if it differs.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "symbolize/symbolize.h"

struct buf;

/* Where the program is that needs a debug file. */
struct debug_home {
	int root; /* O_PATH descriptor of its root */
	const char *where; /* the name of that root, for `why` */
	char *path; /* below `root`; NULL: the program has been deleted */
	uint32_t owner; /* user id */
	bool is_foreign; /* `root` is not ours: debug files in it may also belong to its owner */
	uint32_t root_owner; /* user id */
};

void debug_home_done(struct debug_home *home);

/* The next directory of the list *rest, which is separated by colons ("" for none); then /usr/lib/debug, then NULL. */
const char *debug_directory_next(const char **rest, int *ret_length);

/* Whether it is lower-case hex of some length. The id is untrusted and becomes part of a path. */
bool build_id_is_plain(const char *text);

struct debug_search {
	const char *directories; /* for debug files, separated by colons; searched before /usr/lib/debug; NULL: none */
	const struct debug_home *home; /* NULL: unknown */
	struct buf *why; /* gets a line for every place (core/base/why.h); may be NULL */
	const char *host_root; /* where the host's file system is mounted (opener.h); NULL: our root is the host's */
};

/* Opens the next file from request->candidate on, and advances that. A descriptor for reading, or -ENOENT: there are no more files. */
int debug_files_open(const struct debug_search *search, struct symbol_debug_request *request);
