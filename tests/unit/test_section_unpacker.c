/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compressed sections, read at any place of what they stand for. */
#include "symbolize/elf/section_unpacker.h"

#include <zlib.h>
#include <zstd.h>

#include "tests/harness.h"

enum {
	BYTES = 5 << 20, /* several of the states that are kept to go back to */
	ZLIB = 1,
	ZSTD = 2,
};

static unsigned char plain[BYTES], packed[BYTES + 65536], got[BYTES];

static size_t pack(uint32_t kind)
{
	uLongf nr = sizeof(packed);

	for (uint32_t i = 0, x = 1; i < BYTES; i++) {
		x = x * 1103515245 + 12345;
		plain[i] = (unsigned char)(x >> 28 | (i >> 12 & 0xf0));
	}
	if (kind == ZSTD)
		return ZSTD_compress(packed, sizeof(packed), plain, BYTES, 1);
	assert_int_equal(compress2(packed, &nr, plain, BYTES, 1), Z_OK);
	return nr;
}

static struct section_unpacker *unpack(const struct elf_file *file, uint32_t kind)
{
	struct section_unpacker *unpacker;

	assert_int_equal(section_unpacker_new(file, kind, 0, file->size, BYTES, &unpacker), 0);
	return unpacker;
}

static void expect(struct section_unpacker *unpacker, uint64_t position, size_t nr)
{
	assert_int_equal(section_unpacker_read(unpacker, position, got, nr), 0);
	assert_memory_equal(got, plain + position, nr);
}

TEST(any_place_can_be_read_in_any_order)
{
	for (uint32_t kind = ZLIB; kind <= ZSTD; kind++) {
		struct elf_file file = { .fd = -1, .memory = packed, .size = pack(kind) };
		struct section_unpacker *unpacker = unpack(&file, kind);

		expect(unpacker, 0, 1);
		expect(unpacker, BYTES - 1, 1);
		for (uint32_t i = 0, x = 7; i < 24; i++) {
			x = x * 1664525 + 1013904223;
			expect(unpacker, x % (BYTES - 100000), 1 + x % 99999);
		}
		expect(unpacker, 0, BYTES);
		assert_int_equal(section_unpacker_read(unpacker, BYTES, got, 1), -EBADMSG);
		expect(unpacker, 3, 70000);
		section_unpacker_free(unpacker);
	}
}

TEST(a_stream_that_ends_early_or_is_damaged_is_an_error)
{
	for (uint32_t kind = ZLIB; kind <= ZSTD; kind++) {
		struct elf_file file = { .fd = -1, .memory = packed, .size = pack(kind) / 2 };
		struct section_unpacker *unpacker = unpack(&file, kind);

		assert_int_equal(section_unpacker_read(unpacker, 0, got, BYTES), -EBADMSG);
		expect(unpacker, 0, 1000); /* what is there is still there */
		section_unpacker_free(unpacker);
		packed[0] = 0;
		unpacker = unpack(&file, kind);
		assert_int_equal(section_unpacker_read(unpacker, 0, got, 1), -EBADMSG);
		section_unpacker_free(unpacker);
	}
}

TEST(what_cannot_be_is_refused)
{
	struct elf_file file = { .fd = -1, .memory = packed, .size = 1000 };
	struct section_unpacker *unpacker;

	assert_int_equal(section_unpacker_new(&file, 3, 0, 1000, 10, &unpacker), -EBADMSG);
	assert_int_equal(section_unpacker_new(&file, ZLIB, 1, 1000, 10, &unpacker), -EBADMSG);
	assert_int_equal(section_unpacker_new(&file, ZLIB, 0, 1000, 1ull << 40, &unpacker), -EBADMSG);
}
