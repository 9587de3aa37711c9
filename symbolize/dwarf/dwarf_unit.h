/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Units of .debug_info: their headers and first entries (DWARF 2 to 5, chapters 3.1 and 7.5). */
#pragma once

#include "symbolize/dwarf/dwarf_values.h"

/*
 * Reads the header of the unit at an offset, and *ret_next, where the following one begins. 0, -ENODATA for one that
 * cannot be understood but skipped, -EBADMSG when there is nothing more to read.
 */
int dwarf_unit_open(struct dwarf *dwarf, uint64_t offset, struct dwarf_unit *ret_unit, uint64_t *ret_next);

/*
 * Reads its first entry, and the abbreviations for that. 0, -ENODATA when it makes no sense, -E2BIG when there are too
 * many abbreviations or the entry is too long, -ENOMEM.
 */
int dwarf_unit_read_root(struct dwarf *dwarf, struct dwarf_unit *unit, struct abbrevs *abbrevs);
