/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source lines and inlined calls by libdw, for units that symbolize/dwarf does not read: all units of a kernel module, and
 * those in batch->left. docs/design.md has the reasons for two readers. Only this room calls libdw and libelf.
 *
 * libdw gets a debug image (debug_image.h) and never a path, so it opens no file. For a skeleton unit it would look for the
 * split file, so skeletons are skipped before libdw sees their ranges or lines. If libdw runs out of memory, the process ends.
 */
#pragma once

#include "symbolize/dwarf/source_batch.h"
#include "symbolize/elf/elf_file.h"

/*
 * Answers the places of those units: file, line, `by_libdw`, and with `inlines` the calls. If the file was laid out
 * (elf_file_lay_out()), all units are read. 0, -ENODATA without .debug_info, -EBADMSG for sections that cannot be used,
 * -ENOMEM, -ETIME after batch->deadline_ns.
 */
int libdw_sources_find(const struct elf_file *elf, struct source_batch *batch, bool inlines);
