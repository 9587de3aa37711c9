/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Split debug information (-gsplit-dwarf; DWARF 5, 7.3.5, and before that GNU's DebugFission): of a unit only a
 * skeleton is in the file, with its addresses and lines. What else there is to say about it is in a file of its own
 * (.dwo), or in the package (.dwp) that those of a whole program were put together to. The two belong together by a
 * number of 64 bits.
 */
#pragma once

#include "symbolize/dwarf/dwarf_unit.h"
#include "symbolize/elf/debug_link.h"

struct dwarf_splits {
	/*
	 * Opens the next file from *candidate on, 0 at first, that may be the split file of this path, or with
	 * SYMBOL_PACKAGE the package. Valid
	 * until the next call, but for the package. NULL when there are no more.
	 */
	struct dwarf *(*open)(struct dwarf_splits *splits, const char *path, uint32_t *candidate);
};

/*
 * Opens the unit that a skeleton stands for, and reads its first entry. Its bases and its line program are those of the
 * skeleton where it has none of its own. 0, -ENODATA when it is not in the file, -ENOMEM.
 */
int dwarf_splits_find(struct dwarf *split, const struct dwarf_unit *skeleton, struct abbrevs *abbrevs,
		      struct dwarf_unit *ret_unit);
