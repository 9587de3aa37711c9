/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source lines and inlined calls of all places of one file, by passes through its debug information in the order in
 * which it lies in the file.
 *
 * Lines alone need .debug_line only, whose programs tell directories and files themselves; programs before DWARF 5
 * leave the directory of the unit to .debug_info, of which the first entry of each unit is read then. Inlined calls
 * need the entries of the units that cover a place: those are walked once. References to other units, and strings, are
 * collected and read afterwards, in order, because going back in a compressed section is slow.
 */
#pragma once

#include "symbolize/dwarf/dwarf_files.h"
#include "symbolize/dwarf/source_batch.h"

/*
 * Finds them. What cannot be read is skipped, and its places have no answer. 0, -ENOMEM, or -ETIME after
 * batch->deadline_ns.
 */
int source_search(struct dwarf *dwarf, struct source_batch *batch, bool inlines);
