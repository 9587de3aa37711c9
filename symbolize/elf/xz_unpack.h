/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compressed parts of object files, unpacked into memory. */
#pragma once

#include "symbolize/elf/elf_file.h"

/*
 * Unpacks the xz stream at this range of the file, as .gnu_debugdata is one. 300 KB of hostile input can stand for gigabytes:
 * neither the stream nor what it unpacks to may have more than `room` bytes, and the decoder's memory is bounded too.
 * *ret_bytes is malloc()ed. -EBADMSG for anything that is not one whole stream, -EFBIG when it unpacks to more, -ENOMEM.
 */
int xz_unpack(const struct elf_file *elf, uint64_t offset, uint64_t nr_bytes, size_t room, unsigned char **ret_bytes,
	      size_t *ret_nr);
