/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of Go programs, from the table that Go's own run time prints stack traces with (pclntab). It is there
 * in stripped programs too, which have no other symbols.
 *
 * Four forms are known: Go 1.2, 1.16, 1.18 and 1.20 (src/debug/gosym/pclntab.go, src/internal/abi/symtab.go of Go).
 */
#pragma once

#include "symbolize/elf/symtab.h"

/*
 * Adds the functions to a table that is not finished yet, each from its start to that of the next. What is no table of
 * a known form adds nothing; -EBADMSG for one that contradicts itself, -ENOMEM.
 */
int go_functions_add(struct symtab *table, const struct elf_file *elf);
