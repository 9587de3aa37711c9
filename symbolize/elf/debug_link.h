/* SPDX-License-Identifier: GPL-2.0-or-later */
/* .gnu_debuglink: the name of the file that has the symbols of this one, and its checksum (gdb manual, "Separate Debug Files"). */
#pragma once

#include "symbolize/elf/elf_file.h"
#include "symbolize/symbolize.h"

#define DEBUG_LINK_NAME_SIZE 256

struct debug_link {
	char name[DEBUG_LINK_NAME_SIZE]; /* a plain file name; "" none */
	uint32_t checksum;
};

/* Whether it is a plain file name: not empty, no slash, neither "." nor "..", at most 255 bytes. */
bool debug_link_is_plain(const char *name);

/* Whether it is a path to an alternate file (dwz) below a directory of debug files: ".dwz/", and nothing that leads out of it. */
#define DEBUG_LINK_ALTERNATE ".dwz/"
bool debug_link_is_alternate(const char *name);

/*
 * Whether it is a path to split debug information: an absolute path to a file named .dwo; or the package, which stands
 * for a place beside the program (dwarf_splits.h).
 */
#define DEBUG_LINK_PATH_SIZE 4096
bool debug_link_is_split(const char *name);

/* -ENODATA if there is none, -EBADMSG if it is malformed. */
int debug_link_read(const struct elf_file *elf, struct debug_link *ret_link);

/* Whether the checksum of a whole file is this one. Files of more than 4 GB are not read. */
bool debug_link_matches(const struct debug_link *link, const struct elf_file *debug);
