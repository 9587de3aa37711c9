/* SPDX-License-Identifier: GPL-2.0-or-later */
/* "Mini debug info": .gnu_debugdata, a packed ELF file inside the file. Its .symtab has the functions that .dynsym lacks. */
#pragma once

#include "symbolize/elf/symtab.h"

/* Adds these to the table of the file, unless that is complete. A bad packed file is ignored: 0, or -ENOMEM. */
int mini_debug_add(struct symtab *table, const struct elf_file *elf);

/*
 * Unpacks the xz stream in this range of the file, such as .gnu_debugdata. 300 KB of hostile input can stand for
 * gigabytes. So neither the stream nor its output may have more than `room` bytes, and the decoder's memory is limited.
 * *ret_bytes is malloc()ed. -EBADMSG for anything but one whole stream, -EFBIG if the output is too large, -ENOMEM.
 */
int xz_unpack(const struct elf_file *elf, uint64_t offset, uint64_t nr_bytes, size_t room, unsigned char **ret_bytes,
	      size_t *ret_nr);
