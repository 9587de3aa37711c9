/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/elf/mini_debug.h"

#include <lzma.h>

#include "core/base/cleanup.h"

enum {
	MINI_DEBUG_MAX_BYTES = 64 << 20, /* unpacked; those of distributions have 1 to 4 MB */
};

int xz_unpack(const struct elf_file *elf, uint64_t offset, uint64_t nr_bytes, size_t room, unsigned char **ret_bytes,
	      size_t *ret_nr)
{
	enum {
		MEMORY_MAX = 72 << 20, /* for a dictionary of 64 MB, which `xz -9` uses */
	};
	int err;
	_cleanup_(freep) unsigned char *packed = elf_file_copy(elf, offset, nr_bytes, room, &err);
	/* Memory that nothing is written to costs nothing, and what is left over is given back. */
	_cleanup_(freep) unsigned char *bytes = err ? NULL : malloc(room);
	lzma_stream stream = LZMA_STREAM_INIT;
	lzma_ret status;

	if (!bytes)
		return err ?: -ENOMEM;
	stream.next_in = packed;
	stream.avail_in = (size_t)nr_bytes;
	stream.next_out = bytes;
	stream.avail_out = room;
	status = lzma_stream_decoder(&stream, MEMORY_MAX, 0);
	if (status == LZMA_OK)
		status = lzma_code(&stream, LZMA_FINISH);
	lzma_end(&stream);
	if (status == LZMA_MEM_ERROR || status == LZMA_MEMLIMIT_ERROR)
		return -ENOMEM;
	if (status != LZMA_STREAM_END)
		return status == LZMA_OK && !stream.avail_out ? -EFBIG : -EBADMSG;
	*ret_nr = room - stream.avail_out;
	*ret_bytes = realloc(bytes, *ret_nr + 1) ?: bytes;
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
