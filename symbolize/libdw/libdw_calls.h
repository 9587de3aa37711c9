/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inlined calls of one unit by libdw: what symbolize/dwarf/search_inlines.c does, by the same rules. */
#pragma once

#include <elfutils/libdw.h>

#include "symbolize/dwarf/source_batch.h"

typedef bool libdw_range_visit(void *context, uint64_t low, uint64_t high);

/* Calls `visit` for each range of an entry, until it returns false; 1 M at most. Returns how many it has read. */
uint32_t libdw_ranges(Dwarf_Die *die, libdw_range_visit *visit, void *context);

/*
 * Finds the calls of the places of this unit; what was known of them before is forgotten. Their files are in the line
 * program, if that may be read. 0, -ENOMEM, -ETIME.
 */
int libdw_calls_find(struct source_batch *batch, Dwarf_Die *root, uint32_t unit, bool with_files);
