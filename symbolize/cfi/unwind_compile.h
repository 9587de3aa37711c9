/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compiles the unwind table of a file: from .eh_frame, or without one from Go's .gopclntab or .debug_frame. A vDSO is
 * a file like another, once it is in a descriptor.
 *
 * -ENODATA when the file has nothing of the kind, or nothing for x86_64; -E2BIG when it would be larger than a table may
 * be (unwind_table.h); else as in elf_file.h.
 */
#pragma once

#include "symbolize/cfi/unwind_table.h"
#include "symbolize/elf/elf_file.h"

int unwind_compile(const struct elf_file *elf, struct unwind_table *ret_table);
