/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/elf/mini_debug.h"

#include <lzma.h>

#include "core/base/cleanup.h"

enum {
	MINI_DEBUG_MAX_BYTES = 64 << 20, /* unpacked; those of distributions have 1 to 4 MB */
	MEMORY_MAX = 72 << 20,           /* for the 64 MB dictionary of `xz -9` */
	FIRST_BYTES = 65536,             /* initial size of the output */
};

static int grow(lzma_stream *stream, unsigned char **bytes, size_t room)
{
	size_t nr = (size_t)stream->total_out, wanted = nr ? 2 * nr : FIRST_BYTES;
	unsigned char *grown;

	if (wanted > room)
		wanted = room;
	if (wanted == nr)
		return -EFBIG;
	grown = realloc(*bytes, wanted);
	if (!grown)
		return -ENOMEM;
	*bytes = grown;
	stream->next_out = grown + nr;
	stream->avail_out = wanted - nr;
	return 0;
}

int xz_unpack(const struct elf_file *elf, uint64_t offset, uint64_t nr_bytes, size_t room, unsigned char **ret_bytes,
	      size_t *ret_nr)
{
	int err;
	_cleanup_(freep) unsigned char *packed = elf_file_copy(elf, offset, nr_bytes, room, &err);
	_cleanup_(freep) unsigned char *bytes = NULL;
	_cleanup_(lzma_end) lzma_stream stream = LZMA_STREAM_INIT;
	lzma_ret status;

	if (!packed)
		return err;
	stream.next_in = packed;
	stream.avail_in = (size_t)nr_bytes;
	status = lzma_stream_decoder(&stream, MEMORY_MAX, 0);
	while (status == LZMA_OK) {
		err = stream.avail_out ? 0 : grow(&stream, &bytes, room);
		if (err)
			return err;
		status = lzma_code(&stream, LZMA_FINISH);
	}
	if (status != LZMA_STREAM_END)
		return status == LZMA_MEM_ERROR || status == LZMA_MEMLIMIT_ERROR ? -ENOMEM : -EBADMSG;
	*ret_nr = (size_t)stream.total_out;
	*ret_bytes = bytes;
	bytes = NULL;
	return 0;
}

int mini_debug_add(struct symtab *table, const struct elf_file *elf)
{
	const Elf64_Shdr *section = table->complete ? NULL : elf_file_section(elf, ".gnu_debugdata");
	_cleanup_(freep) unsigned char *bytes = NULL;
	struct elf_file mini;
	size_t nr;
	int err;

	if (!section || section->sh_type == SHT_NOBITS || !elf_file_holds(elf, section->sh_offset, section->sh_size))
		return 0;
	err = xz_unpack(elf, section->sh_offset, section->sh_size, MINI_DEBUG_MAX_BYTES, &bytes, &nr);
	if (err || elf_file_open_memory(&mini, bytes, nr))
		return 0;
	err = symtab_add(table, &mini);
	elf_file_done(&mini);
	return err == -ENOMEM ? err : 0;
}
