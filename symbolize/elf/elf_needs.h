/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an ELF file wants loaded with it: the dynamic loader, libraries, and where to look for those.
 */
#pragma once

#include "symbolize/elf/elf_file.h"
#include "symbolize/symbolize.h"

typedef VEC(char) elf_needs; /* strings: NEEDS_… of symbolize.h */

/*
 * Lists them one after the other, as many as make sense: 256 libraries, 4095 bytes each. A static program needs
 * nothing. 0, or a negative errno as in elf_file.h, with what was found until then. The list is the caller's in any
 * case.
 */
int elf_needs_read(const struct elf_file *elf, elf_needs *ret_needs);

/*
 * Whether the entry of the file's header is where a program begins, or the dynamic loader. Linkers have given libraries one as
 * well, which is just the first byte of their code.
 */
bool elf_needs_is_program(const struct elf_file *elf);
