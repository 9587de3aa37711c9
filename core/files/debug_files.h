/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where separate debug files are: below the directories for debug files by build id, and where a debug link says,
 * beside the program or below those directories by the program's path (gdb manual, "Separate Debug Files").
 *
 * The directories are looked for in our root, in that of the host where it is mounted somewhere, and in the root that the program
 * is from, if that is another. Places that the program itself names, beside it or where split debug information was made, are
 * looked for in the root that it is in. A file there is used only if it belongs to the program's owner or to root: anybody can write
 * a file that claims a build id. The reader of the file compares that, or the checksum, and asks for the next one if it is another's.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "symbolize/symbolize.h"

struct buf;

/* Where the file that wants it lies. */
struct debug_home {
	int root;          /* O_PATH descriptor of a root */
	const char *where; /* which one, for `why` */
	char *path;        /* below it; NULL: it is not there any more */
	uint32_t owner;    /* of the file: user id */
	bool is_foreign; /* the root is not ours: a file in it is believed if root, the file's owner or the root's owner owns it */
	uint32_t root_owner; /* user id */
};

void debug_home_done(struct debug_home *home);

/*
 * The next directory of debug files and its length: those of a list with colons between them, then /usr/lib/debug, then NULL. *rest
 * is the list at first, "" for none.
 */
const char *debug_directory_next(const char **rest, int *ret_length);

/* Whether it is one of some length: the id comes from strangers and becomes part of a path. */
bool build_id_is_plain(const char *text);

struct debug_search {
	const char *directories; /* of debug files, colons between them; searched before /usr/lib/debug; NULL none */
	const struct debug_home *home; /* NULL unknown */
	struct buf *why; /* gets a line for every place (core/base/why.h); NULL: none */
	const char *host_root; /* where the host's file system is mounted (opener.h); NULL: it is ours */
};

/* The next file from request->candidate on, which is moved past it: a descriptor for reading, or -ENOENT when none is left. */
int debug_files_open(const struct debug_search *search, struct symbol_debug_request *request);
