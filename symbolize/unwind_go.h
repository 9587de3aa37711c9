/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of Go programs, whose linker writes no .eh_frame for Go code: .gopclntab, which the runtime itself unwinds by,
 * has the distance from rsp to the return address for every instruction. From Go 1.16 on; debug/gosym/pclntab.go and
 * struct _func of runtime/runtime2.go tell the format, which has changed in 1.18 and 1.20.
 */
#pragma once

#include "symbolize/unwind_cfi.h"

struct unwind_go {
	struct unwind_section section;
	uint64_t text; /* address that functions count from */
	uint64_t functions, nr_functions; /* where their list begins in the section */
	uint64_t programs; /* where the tables of distances begin */
	uint32_t quantum; /* bytes of the smallest step in code */
	uint32_t entry_bytes; /* of a number of the list */
	uint32_t sp_table, flags; /* places in a struct _func */
};

/* -ENODATA when the file has none, or one that we do not know. */
int unwind_go_read(struct unwind_go *go, const struct elf_file *elf);
void unwind_go_done(struct unwind_go *go);

/* Where function `number` starts; those up to nr_functions are functions, and that one is their common end. */
uint64_t unwind_go_start(const struct unwind_go *go, uint64_t number);

/* As unwind_cfi_run(). */
int unwind_go_run(const struct unwind_go *go, const struct elf_file *elf, uint64_t number, struct cfi_rows *rows);
