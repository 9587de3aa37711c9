/* SPDX-License-Identifier: GPL-2.0-or-later */
/* "Mini debug info": a packed file in the file, .gnu_debugdata, whose .symtab has the functions that .dynsym lacks. */
#pragma once

#include "symbolize/elf/symtab.h"

/*
 * Adds them to the table of this file, unless that is complete. What is wrong with the packed file is no reason to do
 * without the rest: 0, or -ENOMEM.
 */
int mini_debug_add(struct symtab *table, const struct elf_file *elf);

/*
 * Unpacks the xz stream at this range of the file, as .gnu_debugdata is one. 300 KB of hostile input can stand for gigabytes:
 * neither the stream nor what it unpacks to may have more than `room` bytes, and the decoder's memory is bounded too.
 * *ret_bytes is malloc()ed. -EBADMSG for anything that is not one whole stream, -EFBIG when it unpacks to more, -ENOMEM.
 */
int xz_unpack(const struct elf_file *elf, uint64_t offset, uint64_t nr_bytes, size_t room, unsigned char **ret_bytes,
	      size_t *ret_nr);
