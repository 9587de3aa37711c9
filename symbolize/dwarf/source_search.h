/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source lines and inlined calls of all places of one file, by passes over its debug information in the order of the file.
 *
 * Lines need .debug_line only. But line programs before DWARF 5 do not have the directory of the unit: for a relative path,
 * the first entries of the units in .debug_info are read too. Inlined calls need all entries of the units that cover a
 * place, which are read once. References to other units, and strings, are collected and read later, in order, because going
 * back in a compressed section is slow.
 */
#pragma once

#include "symbolize/dwarf/dwarf_files.h"
#include "symbolize/dwarf/source_batch.h"

/*
 * Answers the places of a sorted batch. Data that cannot be read is skipped; the places that need it get no answer, or are
 * left to libdw (batch->left). 0, -ENOMEM, or -ETIME after batch->deadline_ns.
 */
int source_search(struct dwarf *dwarf, struct source_batch *batch, bool inlines);
