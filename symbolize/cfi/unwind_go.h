/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of Go programs, whose linker writes no .eh_frame for Go code: .gopclntab, which the runtime itself unwinds by,
 * has the distance from rsp to the return address for every instruction. From Go 1.16 on.
 */
#pragma once

#include "symbolize/cfi/unwind_cfi.h"
#include "symbolize/elf/go_table.h"

struct unwind_go {
	struct go_table table;
	uint8_t *bytes; /* all of the table; malloc()ed */
};

/* -ENODATA when the file has none, or one that we do not know. */
int unwind_go_read(struct unwind_go *go, const struct elf_file *elf);
void unwind_go_done(struct unwind_go *go);

/* Where function `number` starts; those up to table.nr are functions, and that one is their common end. */
uint64_t unwind_go_start(const struct unwind_go *go, uint64_t number);

/* As unwind_cfi_run(). */
int unwind_go_run(const struct unwind_go *go, const struct elf_file *elf, uint64_t number, struct cfi_rows *rows);
