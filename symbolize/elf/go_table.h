/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Go's table of functions (.gopclntab), which Go's own run time prints stack traces with: debug/gosym/pclntab.go and struct
 * _func of runtime/runtime2.go. It is there in stripped programs too, which have no other symbols. Four forms are known:
 * Go 1.2, 1.16, 1.18 and 1.20. Unwind rows (unwind_go.h) are read by it, too.
 */
#pragma once

#include "symbolize/elf/symtab.h"

/* Places are offsets in the file. */
struct go_table {
	uint64_t start, nr_bytes;
	uint64_t nr;               /* of functions */
	uint64_t text;             /* address that entries count from; 0 before 1.18 */
	uint64_t names, names_end; /* NUL-terminated, one after the other */
	uint64_t functions; /* {entry, offset of the function's record} each, and a last entry: their common end */
	uint64_t records; /* what these offsets are relative to */
	uint64_t programs; /* where the tables of distances begin; 0 before 1.16 */
	size_t word; /* bytes of a number in the list of functions, and of the entry that a record begins with */
	uint32_t flags; /* place of the function's id in a record, its flags follow; 0 before 1.16 */
	uint8_t quantum; /* bytes of the smallest step in code */
	uint8_t pointer_bytes; /* of the processor: 4 or 8 */
};

/*
 * Finds it by its section, or in the segments of a program that lacks the section, and checks that all of it lies within the
 * file. -ENODATA when there is none that we know, -ENOMEM.
 */
int go_table_find(const struct elf_file *elf, struct go_table *ret_go);

/*
 * Adds the functions to a table that is not finished yet, each from its start to that of the next. What is no table of
 * a known form adds nothing; -EBADMSG for one that contradicts itself, -ENOMEM.
 */
int go_functions_add(struct symtab *table, const struct elf_file *elf);
