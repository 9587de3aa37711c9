/* SPDX-License-Identifier: GPL-2.0-or-later */
/* "Mini debug info": .gnu_debugdata, a packed ELF file inside the file, whose .symtab has functions that .dynsym lacks. */
#pragma once

#include "symbolize/elf/symtab.h"

/* Adds these functions to the table of the file, unless it is complete. Ignores a bad packed file. Returns 0 or -ENOMEM. */
int mini_debug_add(struct symtab *table, const struct elf_file *elf);

/*
 * Unpacks the xz stream in this range of the file. Because 300 KB of hostile input can unpack to gigabytes, neither the stream nor the
 * output may exceed `room` bytes, and the decoder's memory is limited. *ret_bytes is malloc()ed. Returns 0, -EBADMSG for anything but one
 * whole stream, -EFBIG if the output is too large, or -ENOMEM.
 */
int xz_unpack(const struct elf_file *elf, uint64_t offset, uint64_t nr_bytes, size_t room, unsigned char **ret_bytes,
	      size_t *ret_nr);
