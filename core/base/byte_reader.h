/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads numbers and strings from bytes that may be hostile. A read past the end returns 0 and sets `bad`, which stays set. LEB128: DWARF 5,
 * 7.6.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are copied from the file");

struct byte_reader {
	const uint8_t *at, *end;
	bool bad;
};

static inline size_t bytes_left(const struct byte_reader *bytes)
{
	return (size_t)(bytes->end - bytes->at);
}

static inline uint64_t bytes_fail(struct byte_reader *bytes)
{
	bytes->at = bytes->end;
	bytes->bad = true;
	return 0;
}

/* An unsigned little-endian number of 1 to 8 bytes (elf_file.h refuses big-endian files). */
static inline uint64_t bytes_number(struct byte_reader *bytes, size_t nr)
{
	uint64_t value = 0;

	if (bytes_left(bytes) < nr)
		return bytes_fail(bytes);
	memcpy(&value, bytes->at, nr);
	bytes->at += nr;
	return value;
}

static inline uint8_t bytes_byte(struct byte_reader *bytes)
{
	return bytes->at < bytes->end ? *bytes->at++ : (uint8_t)bytes_fail(bytes);
}

static inline void bytes_skip(struct byte_reader *bytes, uint64_t nr)
{
	if (bytes_left(bytes) < nr)
		bytes_fail(bytes);
	else
		bytes->at += nr;
}

/* Returns a reader of the next `nr` bytes, and moves this one past them. */
static inline struct byte_reader bytes_part(struct byte_reader *bytes, uint64_t nr)
{
	struct byte_reader part = { .at = bytes->at };

	bytes_skip(bytes, nr);
	part.end = bytes->bad ? part.at : bytes->at;
	part.bad = bytes->bad;
	return part;
}

/* LEB128; bits above 64 are dropped. *ret_shift: number of bits read, 7 per byte. *ret_last: the last byte. */
static inline uint64_t bytes_leb(struct byte_reader *bytes, unsigned int *ret_shift, uint8_t *ret_last)
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

static inline uint64_t bytes_uleb(struct byte_reader *bytes)
{
	unsigned int shift;
	uint8_t last;

	return bytes_leb(bytes, &shift, &last);
}

static inline int64_t bytes_sleb(struct byte_reader *bytes)
{
	unsigned int shift;
	uint8_t last;
	uint64_t value = bytes_leb(bytes, &shift, &last);

	if (shift < 64 && last & 0x40)
		value |= ~0ull << shift;
	return (int64_t)value;
}

/* Returns the string at the reader, and moves past its NUL. Without a NUL: returns NULL and sets `bad`. */
static inline const char *bytes_string(struct byte_reader *bytes)
{
	const uint8_t *start = bytes->at, *end = bytes_left(bytes) ? memchr(start, '\0', bytes_left(bytes)) : NULL;

	if (!end) {
		bytes_fail(bytes);
		return NULL;
	}
	bytes->at = end + 1;
	return (const char *)start;
}
