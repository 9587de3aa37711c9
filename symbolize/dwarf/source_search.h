/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source lines and inlined calls of all places of one file, by passes through its debug information in the order of the file.
 *
 * Lines need only .debug_line. Line programs before DWARF 5 do not have the directory of the unit: for relative paths, the first entries of
 * units in .debug_info are read too. Inlined calls need all entries of the units that cover a place. References to other units, and
 * strings, are collected and read later in order, because going back in a compressed section is slow.
 */
#pragma once

#include "symbolize/dwarf/dwarf_files.h"
#include "symbolize/dwarf/source_batch.h"

/*
 * Answers the places of a sorted batch. Skips unreadable data; places that need it get no answer, or are left to libdw (batch->left).
 * Returns 0, -ENOMEM, or -ETIME after batch->deadline_ns.
 */
int source_search(struct dwarf *dwarf, struct source_batch *batch, bool inlines);
