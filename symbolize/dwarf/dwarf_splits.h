/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Split debug information (-gsplit-dwarf; DWARF 5, 7.3.5, and GNU's DebugFission). The file has only a skeleton of each
 * unit, with addresses and lines. The rest, the split unit, is in a file of its own (.dwo), or in the package (.dwp) of the
 * whole program. A skeleton and its split unit have the same 64-bit id.
 */
#pragma once

#include "symbolize/dwarf/dwarf_unit.h"
#include "symbolize/elf/debug_link.h"

struct dwarf_splits {
	/*
	 * Opens the next file that may be the split file of this path or, for SYMBOL_PACKAGE, the package. *candidate
	 * is 0 for the first one. A split file is valid until the next call. NULL if there are no more.
	 */
	struct dwarf *(*open)(struct dwarf_splits *splits, const char *path, uint32_t *candidate);
};

/*
 * Opens the split unit of a skeleton, and reads its first entry. Addresses, line program and low address are those of the
 * skeleton. 0, -ENODATA if it is not in the file, -ENOMEM, or as dwarf_unit_read_root().
 */
int dwarf_splits_find(struct dwarf *split, const struct dwarf_unit *skeleton, struct abbrevs *abbrevs,
		      struct dwarf_unit *ret_unit);
