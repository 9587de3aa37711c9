/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/elf/xz_unpack.h"

#include <lzma.h>

#include "core/base/cleanup.h"

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
