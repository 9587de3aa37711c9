/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "symbolize/elf/elf_section.h"

struct dwarf {
	struct elf_section info, abbrev, line, str, line_str, ranges, rnglists, addr, str_offsets, cu_index;
	struct dwarf *
		alternate; /* the file with the data that dwz shares among files (.gnu_debugaltlink); borrowed, or NULL */
	struct dwarf_splits *splits; /* opens the split files of skeleton units; borrowed, or NULL */
	struct dwarf *skeletons; /* of a split file: the file with its skeletons and addresses; borrowed */
};

/*
 * Opens the debug sections of a file, which must outlive them. Sections up to `small_max` bytes are held whole (whole_max in
 * elf_section.h), tables that are read out of order up to 32 times that. `small_max`: DWARF_SMALL_MAX; 0 in tests, so that windows move as
 * often as possible. Returns 0, -ENODATA without .debug_line and .debug_info, -ENOMEM, or an error of elf_section.h for these two.
 */
#define DWARF_SMALL_MAX (1u << 20)
int dwarf_open(struct dwarf *dwarf, const struct elf_file *elf, uint64_t small_max);
/*
 * The same for a split file or package, whose sections are named .dwo. `skeletons`: the file with the skeletons. -ENODATA without
 * .debug_info.dwo.
 */
int dwarf_open_split(struct dwarf *dwarf, const struct elf_file *elf, struct dwarf *skeletons, uint64_t small_max);
void dwarf_close(struct dwarf *dwarf);

/* Path and build id of the alternate file, as written by dwz. Returns 0, -ENODATA if there is none, or -EBADMSG for a malformed section. */
#define ALTERNATE_PATH_SIZE 256
int dwarf_alternate(const struct elf_file *elf, char ret_path[ALTERNATE_PATH_SIZE], struct build_id *ret_id);

/* Whether the file has .debug_info or .debug_line. */
bool dwarf_is_in(const struct elf_file *elf);
