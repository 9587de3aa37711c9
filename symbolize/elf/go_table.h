/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Go's table of functions (.gopclntab), from which Go's run time prints stack traces: debug/gosym/pclntab.go and struct
 * _func of runtime/runtime2.go. Stripped programs have it too, and no other symbols. Four forms are known: Go 1.2,
 * 1.16, 1.18 and 1.20. unwind_go.h reads unwind rows from it.
 */
#pragma once

#include "symbolize/elf/symtab.h"

/* Places are offsets in the file. */
struct go_table {
	uint64_t start, nr_bytes;
	uint64_t nr;               /* of functions */
	uint64_t text;             /* address that entries count from; 0 before 1.18 */
	uint64_t names, names_end; /* NUL-terminated, one after the other */
	uint64_t functions; /* {entry, offset of the function's record} each; at the end, the common end of all */
	uint64_t records; /* base of these offsets */
	uint64_t programs; /* start of the pc tables; 0 before 1.16 */
	size_t word; /* size of a number in the list of functions, and of the entry at the start of a record */
	uint32_t flags; /* place of the function's id in a record, followed by its flags; 0 before 1.16 */
	uint8_t quantum; /* size of the smallest step in code */
	uint8_t pointer_bytes; /* of the processor: 4 or 8 */
};

/*
 * Finds the table by its section, or else in the segments, and checks that all of it is in the file. -ENODATA if there
 * is none of a known form, -ENOMEM.
 */
int go_table_find(const struct elf_file *elf, struct go_table *ret_go);

/*
 * Adds the functions to a table that is not finished yet, each from its start to that of the next. Adds nothing if
 * there is no table of a known form; -EBADMSG for a malformed one, -ENOMEM.
 */
int go_functions_add(struct symtab *table, const struct elf_file *elf);
