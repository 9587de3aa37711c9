/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers out of bytes that nobody vouches for: a read behind the end gives 0 and sets `bad`, which stays set. The
 * encodings are DWARF 5's, 7.6 (LEB128), and those of the Linux Standard Base, "DWARF Exception Header Encoding".
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct unwind_bytes {
	const uint8_t *at, *end;
	bool bad;
};

static inline size_t bytes_left(const struct unwind_bytes *bytes)
{
	return (size_t)(bytes->end - bytes->at);
}

static inline uint64_t bytes_fail(struct unwind_bytes *bytes)
{
	bytes->at = bytes->end;
	bytes->bad = true;
	return 0;
}

/* An unsigned number of 1 to 8 bytes, in our byte order (elf_file.h refuses files of the other). */
static inline uint64_t bytes_number(struct unwind_bytes *bytes, size_t nr)
{
	uint64_t value = 0;

	if (bytes_left(bytes) < nr)
		return bytes_fail(bytes);
	memcpy(&value, bytes->at, nr);
	bytes->at += nr;
	return value;
}

static inline uint8_t bytes_byte(struct unwind_bytes *bytes)
{
	return bytes->at < bytes->end ? *bytes->at++ : (uint8_t)bytes_fail(bytes);
}

static inline void bytes_skip(struct unwind_bytes *bytes, uint64_t nr)
{
	if (bytes_left(bytes) < nr)
		bytes_fail(bytes);
	else
		bytes->at += nr;
}

/* The next `nr` bytes as something to read on its own. */
static inline struct unwind_bytes bytes_part(struct unwind_bytes *bytes, uint64_t nr)
{
	struct unwind_bytes part = { .at = bytes->at };

	bytes_skip(bytes, nr);
	part.end = bytes->bad ? part.at : bytes->at;
	part.bad = bytes->bad;
	return part;
}

/* LEB128; bits beyond 64 are dropped. *ret_shift is where the last byte ended, *ret_last that byte. */
static inline uint64_t bytes_leb(struct unwind_bytes *bytes, unsigned int *ret_shift, uint8_t *ret_last)
{
	uint64_t value = 0;
	unsigned int shift = 0;
	uint8_t byte;

	do {
		byte = bytes_byte(bytes);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80 && !bytes->bad);
	*ret_shift = shift;
	*ret_last = byte;
	return value;
}

static inline uint64_t bytes_uleb(struct unwind_bytes *bytes)
{
	unsigned int shift;
	uint8_t last;

	return bytes_leb(bytes, &shift, &last);
}

static inline int64_t bytes_sleb(struct unwind_bytes *bytes)
{
	unsigned int shift;
	uint8_t last;
	uint64_t value = bytes_leb(bytes, &shift, &last);

	if (shift < 64 && last & 0x40)
		value |= ~0ull << shift;
	return (int64_t)value;
}
