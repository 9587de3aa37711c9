/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Relocations of the debug sections of an object file, such as a kernel module: what a linker would put into them. */
#pragma once

#include "symbolize/elf/elf_file.h"

/*
 * Applies those of the section of this name, whose unpacked bytes these are. Symbols have the addresses of
 * elf_file_lay_out(). x86-64 and aarch64. 0, -EBADMSG for one that is out of bounds or not known, -ENOMEM.
 */
int relocations_apply(const struct elf_file *elf, const char *name, unsigned char *bytes, uint64_t nr_bytes);
