/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where separate debug files are: below the directories for debug files by build id, and where a debug link says,
 * beside the program or below those directories by the program's path (gdb manual, "Separate Debug Files").
 *
 * Each place is looked at in our root, in that of the host where it is mounted somewhere, and in the root of a process that has
 * another one. Nothing is believed: whoever
 * reads the file compares its build id or checksum, and asks for the next one if it is another's.
 */
#pragma once

#include <stdint.h>

#include "symbolize/symbolize.h"

struct buf;

struct debug_search {
	const char *directories; /* of debug files, colons between them; searched before /usr/lib/debug; NULL none */
	const char *path;        /* of the file that wants it, as its process sees it; NULL unknown */
	struct buf *why;         /* is told of every place (core/base/why.h); NULL */
	const char *host_root;   /* where the host's file system is mounted (opener.h); NULL: it is ours */
	uint32_t tgid;           /* a process that has mapped it; 0: one on the host */
};

/*
 * The next file from wish->candidate on, which is moved past it: a descriptor for reading, or -ENOENT when none is
 * left.
 */
int debug_files_open(const struct debug_search *search, struct symbol_debug_wish *wish);
