/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * .gnu_debugdata from anyone, in a program that is otherwise valid. The first byte says what the rest is: the section, or the
 * object file in it, which is packed first, because random bytes never pass the checksums of xz.
 */
#include <lzma.h>

#include "symbolize/elf/mini_debug.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/image.h"

static void must(lzma_ret result)
{
	if (result != LZMA_OK)
		abort();
}

/* A stream of one block as it is: to compress it would take a millisecond for each input. */
static uint8_t *pack(const uint8_t *content, size_t size, size_t *ret_nr)
{
	lzma_stream_flags flags = { .check = LZMA_CHECK_CRC32 };
	lzma_filter filters[LZMA_FILTERS_MAX + 1] = { { LZMA_VLI_UNKNOWN, NULL } };
	lzma_block block = { .check = LZMA_CHECK_CRC32, .filters = filters };
	size_t room = lzma_stream_buffer_bound(size), at = LZMA_STREAM_HEADER_SIZE;
	uint8_t *packed = malloc(room);
	lzma_index *blocks = lzma_index_init(NULL);

	if (!packed || !blocks)
		abort();
	must(lzma_stream_header_encode(&flags, packed));
	must(lzma_block_uncomp_encode(&block, content, size, packed, &at, room));
	must(lzma_index_append(blocks, NULL, lzma_block_unpadded_size(&block), block.uncompressed_size));
	must(lzma_index_buffer_encode(blocks, packed, &at, room));
	flags.backward_size = lzma_index_size(blocks);
	must(lzma_stream_footer_encode(&flags, packed + at));
	lzma_index_end(blocks, NULL);
	*ret_nr = at + LZMA_STREAM_HEADER_SIZE;
	return packed;
}

static void read_symbols(const struct elf_file *elf)
{
	struct symtab table;

	if (symtab_init(&table, elf))
		__builtin_trap();
	if (mini_debug_add(&table, elf) || symtab_finish(&table))
		abort();
	image_check_symbols(&table);
	symtab_done(&table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct image_section section = { .name = ".gnu_debugdata", .type = SHT_PROGBITS, .content = data + 1 };
	uint8_t *packed = NULL;
	unsigned char *bytes;
	struct elf_file elf;
	size_t nr;

	if (!size || size > IMAGE_CONTENT_MAX_BYTES)
		return 0;
	section.size = size - 1;
	if (data[0] & 1)
		section.content = packed = pack(data + 1, size - 1, &section.size);
	bytes = image_make(&section, &nr);
	if (elf_file_open_memory(&elf, bytes, nr))
		__builtin_trap();
	read_symbols(&elf);
	elf_file_done(&elf);
	free(bytes);
	free(packed);
	return 0;
}
