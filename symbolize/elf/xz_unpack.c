/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/elf/xz_unpack.h"

#include <lzma.h>

#include "core/base/cleanup.h"

enum {
	INPUT_BYTES = 16384,            /* read at once */
	XZ_MEMORY_BYTES = 72 << 20,     /* for a dictionary of 64 MB, which `xz -9` uses */
	FIRST_BYTES = 65536,            /* of output; doubled as needed */
};

struct unpacked {
	VEC(unsigned char) bytes;
	size_t limit;
};

/* Room for more output. */
static int grow(struct unpacked *unpacked, lzma_stream *stream)
{
	size_t wanted = unpacked->bytes.nr ? 2 * unpacked->bytes.nr : FIRST_BYTES;
	int err;

	if (unpacked->bytes.nr >= unpacked->limit)
		return -EFBIG;
	if (wanted > unpacked->limit)
		wanted = unpacked->limit;
	err = vec_grow((void **)&unpacked->bytes.data, &unpacked->bytes.room, wanted, 1);
	if (err)
		return err;
	stream->next_out = unpacked->bytes.data + unpacked->bytes.nr;
	stream->avail_out = wanted - unpacked->bytes.nr;
	unpacked->bytes.nr = wanted;
	return 0;
}

static int errno_of(lzma_ret status)
{
	switch (status) {
	case LZMA_OK:
	case LZMA_STREAM_END:
		return 0;
	case LZMA_MEM_ERROR:
	case LZMA_MEMLIMIT_ERROR:
		return -ENOMEM;
	default:
		return -EBADMSG;
	}
}

static int unpack(const struct elf_file *elf, uint64_t offset, uint64_t nr_bytes, lzma_stream *stream,
		  struct unpacked *unpacked)
{
	unsigned char input[INPUT_BYTES];
	uint64_t done = 0;
	lzma_ret status = LZMA_OK;
	int err = 0;

	while (!err && status != LZMA_STREAM_END) {
		if (!stream->avail_in && done < nr_bytes) {
			size_t nr = nr_bytes - done < sizeof(input) ? (size_t)(nr_bytes - done) : sizeof(input);

			err = elf_file_read(elf, offset + done, input, nr);
			stream->next_in = input;
			stream->avail_in = nr;
			done += nr;
		}
		if (!err && !stream->avail_out)
			err = grow(unpacked, stream);
		if (!err) {
			status = lzma_code(stream, done < nr_bytes ? LZMA_RUN : LZMA_FINISH);
			err = errno_of(status);
		}
	}
	unpacked->bytes.nr -= stream->avail_out;
	return err;
}

int xz_unpack(const struct elf_file *elf, uint64_t offset, uint64_t nr_bytes, size_t room, unsigned char **ret_bytes,
	      size_t *ret_nr)
{
	struct unpacked unpacked = { .limit = room };
	lzma_stream stream = LZMA_STREAM_INIT;
	int err = errno_of(lzma_stream_decoder(&stream, XZ_MEMORY_BYTES, 0));

	err = err ?: unpack(elf, offset, nr_bytes, &stream, &unpacked);
	lzma_end(&stream);
	if (err) {
		vec_done(&unpacked.bytes);
		return err;
	}
	*ret_bytes = unpacked.bytes.data;
	*ret_nr = unpacked.bytes.nr;
	return 0;
}
