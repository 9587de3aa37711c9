/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Split debug information (-gsplit-dwarf; DWARF 5, 7.3.5, and before that GNU's DebugFission): of a unit only a
 * skeleton is in the file, with its addresses and lines. The rest is in a file of its own (.dwo), or in the package
 * (.dwp) of the whole program. A number of 64 bits tells which skeleton and which split unit belong together.
 */
#pragma once

#include "symbolize/dwarf/dwarf_unit.h"
#include "symbolize/elf/debug_link.h"

struct dwarf_splits {
	/*
	 * Opens the next file from *candidate on, 0 at first, that may be the split file of this path, or with
	 * SYMBOL_PACKAGE the package. Valid until the next call, but for the package. NULL when there are no more.
	 */
	struct dwarf *(*open)(struct dwarf_splits *splits, const char *path, uint32_t *candidate);
};

/*
 * Opens the split unit of a skeleton, and reads its first entry. Its bases and its line program are those of the
 * skeleton where it has none of its own. 0, -ENODATA when it is not in the file, -ENOMEM.
 */
int dwarf_splits_find(struct dwarf *split, const struct dwarf_unit *skeleton, struct abbrevs *abbrevs,
		      struct dwarf_unit *ret_unit);
