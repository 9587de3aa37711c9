/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Units of .debug_info: their headers and first entries (DWARF 2 to 5, chapters 3.1 and 7.5). */
#pragma once

#include "symbolize/dwarf/dwarf_values.h"

/*
 * Reads the header of the unit at an offset; *ret_next: offset of the next unit. Returns 0, -ENODATA for an unknown form, which can be
 * skipped, or -EBADMSG if nothing more can be read (*ret_next is not set).
 */
int dwarf_unit_open(struct dwarf *dwarf, uint64_t offset, struct dwarf_unit *ret_unit, uint64_t *ret_next);

/*
 * Reads the unit's abbreviations and first entry. Returns 0, -ENODATA for malformed data, -E2BIG for too many abbreviations or an entry of
 * more than 16 KB, or -ENOMEM.
 */
int dwarf_unit_read_root(struct dwarf *dwarf, struct dwarf_unit *unit, struct abbrevs *abbrevs);
