/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads compressed sections (zlib, zstd) piece by piece, at any place of what they unpack to, without holding all of
 * it: debug information of a large program unpacks to half a gigabyte.
 *
 * Going forward costs no more than unpacking. To go back, zlib starts again at the nearest of some dozen states that
 * were kept on the way, zstd at the beginning; reading in order of place costs neither.
 */
#pragma once

#include "symbolize/elf/elf_file.h"

struct section_unpacker;

/*
 * `kind` is ELFCOMPRESS_ZLIB or ELFCOMPRESS_ZSTD; the packed bytes are at this range of the file, which must outlive
 * the unpacker, and stand for `nr_unpacked`. 0, -EBADMSG for another kind or an implausible size, -ENOMEM.
 */
int section_unpacker_new(const struct elf_file *elf, uint32_t kind, uint64_t offset, uint64_t nr_packed,
			 uint64_t nr_unpacked, struct section_unpacker **ret_unpacker);
void section_unpacker_free(struct section_unpacker *unpacker);

/* Unpacks exactly these bytes. 0, -EBADMSG when there are fewer or the stream is damaged, -ENOMEM. */
int section_unpacker_read(struct section_unpacker *unpacker, uint64_t position, void *ret_bytes, size_t nr_bytes);
