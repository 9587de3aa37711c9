/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The debug sections of one file. */
#pragma once

#include "symbolize/elf/elf_section.h"

struct dwarf {
	struct elf_section info, abbrev, line, str, line_str, ranges, rnglists, addr, str_offsets, cu_index;
	struct dwarf *alternate; /* what dwz moved out of several files (.gnu_debugaltlink); borrowed, NULL: not there */
	struct dwarf_splits *splits; /* opens the split files of its skeleton units; borrowed, NULL: there are none */
	struct dwarf *skeletons; /* of a split file: the one with its skeletons, and with its addresses; borrowed */
};

/*
 * Opens those that the file has; the file must outlive them. Those of up to `small_max` bytes are held whole (see
 * whole_max in elf_section.h), tables of up to 32 times that: DWARF_SMALL_MAX, or 0 for windows that move as often as they
 * can.
 * 0, -ENODATA when it has no line table and no information about units, or as in elf_section.h for one of these two.
 */
#define DWARF_SMALL_MAX (1u << 20)
int dwarf_open(struct dwarf *dwarf, const struct elf_file *elf, uint64_t small_max);
/*
 * The same for a split file or a package, whose sections are named .dwo, of a file with skeletons. -ENODATA when it has no
 * information about units.
 */
int dwarf_open_split(struct dwarf *dwarf, const struct elf_file *elf, struct dwarf *skeletons, uint64_t small_max);
void dwarf_close(struct dwarf *dwarf);

/*
 * Where the alternate file is, as dwz wrote it, and its build id; -ENODATA when there is none, -EBADMSG when the
 * section makes no sense.
 */
#define ALTERNATE_PATH_SIZE 256
int dwarf_alternate(const struct elf_file *elf, char ret_path[ALTERNATE_PATH_SIZE], struct build_id *ret_id);

/* Whether the file has .debug_info or .debug_line. */
bool dwarf_is_in(const struct elf_file *elf);
