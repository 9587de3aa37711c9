/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unwind tables as text. */
#pragma once

#include "symbolize/cfi/unwind_table.h"

/*
 * The rules for the code that cfi_writer.h makes, and for a page after it, each place counted from its start (extents.h):
 *
 *	"100-100 sp+8, 101-103 sp+16 bp@cfa-16, 104-11f bp+16"    where the CFA is, and the caller's rbp if it was saved
 *	"0-f *(sp+56)+8, 10-1f plt+8:11, 20-20 r10+0"             through memory, in a PLT, by a register (DWARF's number)
 *	"0-1f sp+8 ra=r5 bp lost"                                 the return address is in a register
 *	"0-9 signal+40, 10-1f stop, 20-2f unsupported"
 */
void expect_rules(const struct unwind_table *table, const char *expected);

/* The rule for one place, "" for none; valid until the next call. */
const char *rule_text(const struct unwind_table *table, uint64_t place);
