/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads compressed sections (zlib, zstd) piece by piece, from any place: the debug information of a large program has half a gigabyte.
 *
 * Going forward unpacks what is between. Going back restarts at the nearest of up to 64 kept states (zlib), or at the beginning (zstd).
 */
#pragma once

#include "symbolize/elf/elf_file.h"

struct section_unpacker;

/*
 * `kind`: ELFCOMPRESS_ZLIB or ELFCOMPRESS_ZSTD. The packed bytes are in this range of the file, which must outlive the unpacker. Returns 0,
 * -EBADMSG for another kind or an implausible size, or -ENOMEM.
 */
int section_unpacker_new(const struct elf_file *elf, uint32_t kind, uint64_t offset, uint64_t nr_packed,
			 uint64_t nr_unpacked, struct section_unpacker **ret_unpacker);
void section_unpacker_free(struct section_unpacker *unpacker);

/* Unpacks exactly these bytes. Returns 0, -EBADMSG if the stream is shorter or damaged, or -ENOMEM. */
int section_unpacker_read(struct section_unpacker *unpacker, uint64_t position, void *ret_bytes, size_t nr_bytes);
