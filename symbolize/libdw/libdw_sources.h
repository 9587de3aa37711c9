/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source lines and inlined calls by libdw, for units that symbolize/dwarf does not read: all units of a kernel module, and those in
 * batch->left. docs/design.md has the reasons for two readers. Only this directory calls libdw and libelf.
 *
 * libdw reads a debug image (debug_image.h) and opens no file. Skeleton units are skipped before libdw reads their ranges or lines, because
 * it would look for their split files. If libdw runs out of memory, the process ends.
 */
#pragma once

#include "symbolize/dwarf/source_batch.h"
#include "symbolize/elf/elf_file.h"

/*
 * Sets file, line and `by_libdw` of the places in those units and, with `inlines`, their inlined calls. Reads all units if the file was
 * laid out by elf_file_lay_out(). Returns 0, -ENODATA without .debug_info, -EBADMSG for unusable sections, -ENOMEM, or -ETIME after
 * batch->deadline_ns.
 */
int libdw_sources_find(const struct elf_file *elf, struct source_batch *batch, bool inlines);
