/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads compressed sections (zlib, zstd) piece by piece, from any place, without unpacking all into memory: debug
 * information of a large program has half a gigabyte.
 *
 * Going forward costs only the unpacking. To go back, zlib restarts at the nearest of some dozen saved states, zstd at
 * the beginning. Reading in order of place costs neither.
 */
#pragma once

#include "symbolize/elf/elf_file.h"

struct section_unpacker;

/*
 * `kind` is ELFCOMPRESS_ZLIB or ELFCOMPRESS_ZSTD. The packed bytes are in this range of the file, which must outlive
 * the unpacker; unpacked they are `nr_unpacked`. 0, -EBADMSG for another kind or an implausible size, -ENOMEM.
 */
int section_unpacker_new(const struct elf_file *elf, uint32_t kind, uint64_t offset, uint64_t nr_packed,
			 uint64_t nr_unpacked, struct section_unpacker **ret_unpacker);
void section_unpacker_free(struct section_unpacker *unpacker);

/* Unpacks exactly these bytes. 0, -EBADMSG if there are fewer or the stream is damaged, -ENOMEM. */
int section_unpacker_read(struct section_unpacker *unpacker, uint64_t position, void *ret_bytes, size_t nr_bytes);
