/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files that an ELF file needs when it is loaded: the dynamic loader and libraries, and where to search for these.
 */
#pragma once

#include "symbolize/elf/elf_file.h"
#include "symbolize/symbolize.h"

typedef VEC(char) elf_needs; /* strings: NEEDS_… of symbolize.h */

/*
 * Lists the valid ones, one after the other: at most 256 libraries, 4095 bytes each. A static program needs nothing. 0,
 * or a negative errno as in elf_file.h, with those found before. The caller frees the list in any case.
 */
int elf_needs_read(const struct elf_file *elf, elf_needs *ret_needs);

/* Whether it needs no library but the dynamic loader: a static program, a C library, a dynamic loader. */
bool elf_needs_is_alone(const struct elf_file *elf);

/*
 * Whether a program, or the dynamic loader, starts at the entry of the file's header. Some linkers set it in libraries
 * too, where it is only the first byte of their code.
 */
bool elf_needs_is_program(const struct elf_file *elf);
