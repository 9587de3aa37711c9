/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an ELF file needs to be loaded: dynamic loader, libraries, and their search paths. */
#pragma once

#include "symbolize/elf/elf_file.h"
#include "symbolize/symbolize.h"

typedef VEC(char) elf_needs; /* strings: NEEDS_… of symbolize.h */

/*
 * Lists valid names: at most 256 libraries, 4095 bytes each; nothing for a static program. Returns 0, or an error of elf_file.h, with the
 * names found before it. The caller always frees the list.
 */
int elf_needs_read(const struct elf_file *elf, elf_needs *ret_needs);

/* Whether it needs no library but the dynamic loader: a static program, a C library, or a dynamic loader. */
bool elf_needs_is_alone(const struct elf_file *elf);

/* Whether the header's entry starts a program or the dynamic loader. In libraries, some linkers set it to the first byte of code. */
bool elf_needs_is_program(const struct elf_file *elf);
