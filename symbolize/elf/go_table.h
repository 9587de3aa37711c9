/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Go's table of functions (.gopclntab), from which the runtime prints stack traces: debug/gosym/pclntab.go, and struct _func in
 * runtime/runtime2.go. Stripped programs have it too, as their only symbols. Known forms: Go 1.2, 1.16, 1.18, 1.20. unwind_go.h reads
 * unwind rows from it.
 */
#pragma once

#include "symbolize/elf/symtab.h"

/* Places are file offsets. */
struct go_table {
	uint64_t start, nr_bytes;
	uint64_t nr;               /* number of functions */
	uint64_t text;             /* address from which entries count; 0 before 1.18 */
	uint64_t names, names_end; /* NUL-terminated strings */
	uint64_t functions; /* entry address and offset of the record, for each function; then the end address of the last */
	uint64_t records; /* base of the offsets of records */
	uint64_t programs; /* start of the pc tables; unused before 1.16 */
	size_t word; /* size of a number in the list of functions, and of the entry address in a record */
	uint32_t flags; /* place in a record of the function's id, followed by its flags; 0 before 1.16 */
	uint8_t quantum; /* smallest step in code, in bytes */
	uint8_t pointer_bytes; /* 4 or 8 */
};

/*
 * Finds the table by its section, else in the segments, and checks that it is inside the file. Returns 0, -ENODATA if none has a known
 * form, or -ENOMEM.
 */
int go_table_find(const struct elf_file *elf, struct go_table *ret_go);

/*
 * Adds the functions to an unfinished table, each from its start to that of the next; none if no table has a known form. Returns 0,
 * -EBADMSG for a malformed table, or -ENOMEM.
 */
int go_functions_add(struct symtab *table, const struct elf_file *elf);
