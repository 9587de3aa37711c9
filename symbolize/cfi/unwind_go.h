/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of Go programs, from Go 1.16 on. Go code has no .eh_frame, but .gopclntab, by which Go's runtime unwinds, has the distance from rsp
 * to the return address for every instruction.
 */
#pragma once

#include "symbolize/cfi/unwind_cfi.h"
#include "symbolize/elf/go_table.h"

struct unwind_go {
	struct go_table table;
	uint8_t *bytes; /* of the whole table; unwind_go_done() frees them */
};

/* Reads the table. Returns 0, -ENODATA if there is none of a known form, else as elf_file.h. */
int unwind_go_read(struct unwind_go *go, const struct elf_file *elf);
void unwind_go_done(struct unwind_go *go);

/* Start address of function `number`. For table.nr: the end of the last function. */
uint64_t unwind_go_start(const struct unwind_go *go, uint64_t number);

/* Replaces `rows` by those of a function. Returns as unwind_cfi_run(). */
int unwind_go_run(const struct unwind_go *go, const struct elf_file *elf, uint64_t number, struct cfi_rows *rows);
