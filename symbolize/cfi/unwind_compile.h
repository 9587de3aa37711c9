/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compiles the unwind table of an x86_64 file, from .eh_frame and Go's .gopclntab; without both, from .debug_frame. Code without
 * information gets rows from its instructions (unwind_synthesis.h), but not in Go programs.
 *
 * Returns 0; -ENODATA if the file has no information, no code, or code of another machine; -E2BIG above the limits of unwind_table.h; else
 * as elf_file.h. The caller frees *ret_table with unwind_table_done().
 */
#pragma once

#include "symbolize/cfi/unwind_table.h"
#include "symbolize/elf/elf_file.h"

int unwind_compile(const struct elf_file *elf, struct unwind_table *ret_table);

/* The same without the rows of unwind_synthesis.h. */
int unwind_compile_information(const struct elf_file *elf, struct unwind_table *ret_table);
