/* SPDX-License-Identifier: GPL-2.0-or-later */
/* "Mini debug info": a packed file in the file, .gnu_debugdata, whose .symtab has the functions that .dynsym lacks. */
#pragma once

#include "symbolize/elf/symtab.h"

/*
 * Adds them to the table of this file, unless that is complete. What is wrong with the packed file is no reason to do
 * without the rest: 0, or -ENOMEM.
 */
int mini_debug_add(struct symtab *table, const struct elf_file *elf);
