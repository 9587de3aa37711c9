/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source lines and inlined calls by libdw, for what symbolize/dwarf leaves: all units of a kernel module, and those in
 * batch->left. docs/design.md has the reasons for two readers.
 * The only place that calls libdw and libelf.
 *
 * libdw gets a debug_image.h and never a path, so it opens nothing. Of a skeleton it would look for the split file: such
 * a unit is passed over before libdw sees its ranges or lines. When libdw finds no memory, the process ends.
 */
#pragma once

#include "symbolize/dwarf/source_batch.h"
#include "symbolize/elf/elf_file.h"

/*
 * Answers the places of those units: file, line, `by_libdw`, and with `inlines` the calls. A file that was laid out is a
 * module, of which all units are read. 0, -ENODATA, -EBADMSG, -ENOMEM, -ETIME.
 */
int libdw_sources_find(const struct elf_file *elf, struct source_batch *batch, bool inlines);
