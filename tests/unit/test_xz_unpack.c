/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unpacking, of good streams and of hostile ones. */
#include "symbolize/elf/mini_debug.h"

#include <lzma.h>

#include "tests/harness.h"

enum {
	BYTES = 1 << 20
};

static unsigned char packed[BYTES], plain[BYTES];

/* Packs `nr` bytes of `plain`, and returns how many bytes of `packed` that makes. */
static size_t pack(size_t nr)
{
	size_t at = 0;

	assert_int_equal(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC32, NULL, plain, nr, packed, &at, sizeof(packed)),
			 LZMA_OK);
	return at;
}

static int unpack(size_t nr_packed, size_t room, unsigned char **ret_bytes, size_t *ret_nr)
{
	struct elf_file file = { .fd = -1, .memory = packed, .size = nr_packed };

	return xz_unpack(&file, 0, nr_packed, room, ret_bytes, ret_nr);
}

TEST(a_stream_comes_back_as_it_was)
{
	static const size_t sizes[] = { 0, 1, 65535, 65536, 65537, 300000 };
	unsigned char *bytes;
	size_t nr;

	for (size_t i = 0; i < sizeof(plain); i++)
		plain[i] = (unsigned char)(i * i >> 7);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		assert_int_equal(unpack(pack(sizes[i]), sizeof(plain), &bytes, &nr), 0);
		assert_int_equal(nr, sizes[i]);
		assert_memory_equal(bytes, plain, nr);
		free(bytes);
	}
}

TEST(a_bomb_is_refused)
{
	size_t nr_packed, nr;
	_cleanup_(freep) unsigned char *bytes;

	memset(plain, 0, sizeof(plain));
	nr_packed = pack(sizeof(plain));
	assert_true(nr_packed < 1000);
	assert_int_equal(unpack(nr_packed, sizeof(plain) - 1, &bytes, &nr), -EFBIG);
	assert_int_equal(unpack(nr_packed, sizeof(plain), &bytes, &nr), 0);
}

TEST(broken_streams_are_refused)
{
	size_t nr_packed = pack(5000), nr;
	unsigned char *bytes;

	for (size_t cut = 0; cut < nr_packed; cut++)
		assert_int_equal(unpack(cut, sizeof(plain), &bytes, &nr), -EBADMSG);
	packed[nr_packed / 2] ^= 0x55;
	assert_int_equal(unpack(nr_packed, sizeof(plain), &bytes, &nr), -EBADMSG);
}
