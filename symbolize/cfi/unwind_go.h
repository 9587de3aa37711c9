/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of Go programs. Go's linker writes no .eh_frame for Go code. But .gopclntab, by which Go's runtime unwinds, has the
 * distance from rsp to the return address for every instruction. Go 1.16 and later.
 */
#pragma once

#include "symbolize/cfi/unwind_cfi.h"
#include "symbolize/elf/go_table.h"

struct unwind_go {
	struct go_table table;
	uint8_t *bytes; /* the whole table, freed by unwind_go_done() */
};

/* Reads the table. 0, -ENODATA if the file has none or one of an unknown form, else as in elf_file.h. */
int unwind_go_read(struct unwind_go *go, const struct elf_file *elf);
void unwind_go_done(struct unwind_go *go);

/* Address where function `number` starts. For table.nr, which is not a function, it is the end of the last one. */
uint64_t unwind_go_start(const struct unwind_go *go, uint64_t number);

/* Replaces `rows` by those of a function; returns as unwind_cfi_run(). */
int unwind_go_run(const struct unwind_go *go, const struct elf_file *elf, uint64_t number, struct cfi_rows *rows);
