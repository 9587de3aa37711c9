/* SPDX-License-Identifier: GPL-2.0-or-later */
/* .gnu_debuglink: name and checksum of the file with the symbols of this one (gdb manual, "Separate Debug Files"). */
#pragma once

#include "symbolize/elf/elf_file.h"
#include "symbolize/symbolize.h"

#define DEBUG_LINK_NAME_SIZE 256

struct debug_link {
	char name[DEBUG_LINK_NAME_SIZE]; /* "": none */
	uint32_t checksum;
};

/* Whether it is a file name of at most 255 bytes: not empty, no slash, neither "." nor "..". */
bool debug_link_is_plain(const char *name);

/* Whether it is a path to an alternate file (dwz) in a directory of debug files: it begins with ".dwz/" and stays below that. */
#define DEBUG_LINK_ALTERNATE ".dwz/"
bool debug_link_is_alternate(const char *name);

/*
 * Whether it refers to split debug information: an absolute path of a .dwo file, or SYMBOL_PACKAGE, the package beside the program
 * (dwarf_splits.h).
 */
#define DEBUG_LINK_PATH_SIZE 4096
bool debug_link_is_split(const char *name);

/* -ENODATA: there is none; -EBADMSG: it is malformed. */
int debug_link_read(const struct elf_file *elf, struct debug_link *ret_link);

/* Whether the checksum of the whole file matches. False above 4 GB. */
bool debug_link_matches(const struct debug_link *link, const struct elf_file *debug);
