/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Split debug information (-gsplit-dwarf; DWARF 5, 7.3.5, and GNU's DebugFission). The file has only a skeleton of each unit, with
 * addresses and lines. The split unit has the rest, in its own file (.dwo) or in the package of the program (.dwp). Both have the same
 * 64-bit id.
 */
#pragma once

#include "symbolize/dwarf/dwarf_unit.h"
#include "symbolize/elf/debug_link.h"

struct dwarf_splits {
	/*
	 * Opens the next candidate for the split file of this path or, for SYMBOL_PACKAGE, for the package. *candidate is 0 at first. A
	 * split file is valid until the next call. NULL: no more candidates.
	 */
	struct dwarf *(*open)(struct dwarf_splits *splits, const char *path, uint32_t *candidate);
};

/*
 * Opens the split unit of a skeleton and reads its first entry. Addresses, line program and low address are the skeleton's. Returns 0,
 * -ENODATA if it is not in the file, -ENOMEM, or an error of dwarf_unit_read_root().
 */
int dwarf_splits_find(struct dwarf *split, const struct dwarf_unit *skeleton, struct abbrevs *abbrevs,
		      struct dwarf_unit *ret_unit);
