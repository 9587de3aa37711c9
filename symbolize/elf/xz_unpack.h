/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compressed parts of object files, unpacked into memory.
 *
 * 300 KB of hostile input can stand for gigabytes, so that both the result and the memory of the decoder are bounded:
 * what does not fit is an error, never half a result.
 */
#pragma once

#include "symbolize/elf/elf_file.h"

/*
 * Unpacks the xz stream at this range of the file, as .gnu_debugdata is one, up to `room` bytes. *ret_bytes is
 * malloc()ed. -EBADMSG for anything that is not one whole stream, -EFBIG when it needs more, -ENOMEM.
 */
int xz_unpack(const struct elf_file *elf, uint64_t offset, uint64_t nr_bytes, size_t room, unsigned char **ret_bytes,
	      size_t *ret_nr);
