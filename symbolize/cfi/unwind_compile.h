/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compiles the unwind table of an x86_64 file from .eh_frame and Go's .gopclntab. Without both, it uses .debug_frame. Code that none of
 * them covers gets rows from its instructions (unwind_synthesis.h), but not in Go programs.
 *
 * 0; -ENODATA if the file has none of them, no code, or code of another machine; -E2BIG if the table would exceed the limits
 * of unwind_table.h; else as in elf_file.h. The caller frees *ret_table with unwind_table_done().
 */
#pragma once

#include "symbolize/cfi/unwind_table.h"
#include "symbolize/elf/elf_file.h"

int unwind_compile(const struct elf_file *elf, struct unwind_table *ret_table);

/* The same without rows for code that has no information: what unwind_synthesis.h adds is left out. */
int unwind_compile_information(const struct elf_file *elf, struct unwind_table *ret_table);
