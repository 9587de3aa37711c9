/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/base/radix_sort.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "core/base/cleanup.h"

enum {
	DIGIT_BITS = 11,
	DIGITS = 1 << DIGIT_BITS,
};

struct key {
	size_t offset, size;
};

static uint64_t key_of(const char *element, struct key key)
{
	uint64_t wide;
	uint32_t narrow;

	if (key.size == sizeof(wide)) {
		memcpy(&wide, element + key.offset, sizeof(wide));
		return wide;
	}
	memcpy(&narrow, element + key.offset, sizeof(narrow));
	return narrow;
}

/* The number of leading elements that are in place. Often only the end of a list is out of order. */
static size_t nr_in_place(const char *elements, size_t nr, struct key key)
{
	uint64_t before = 0, least = UINT64_MAX;
	size_t ordered;

	for (ordered = 0; ordered < nr; ordered++) {
		uint64_t current = key_of(elements + ordered * RADIX_ELEMENT_BYTES, key);

		if (current < before)
			break;
		before = current;
	}
	for (size_t i = ordered; i < nr; i++) {
		uint64_t current = key_of(elements + i * RADIX_ELEMENT_BYTES, key);

		least = current < least ? current : least;
	}
	while (ordered && key_of(elements + (ordered - 1) * RADIX_ELEMENT_BYTES, key) > least)
		ordered--;
	return ordered;
}

static uint64_t differing_bits(const char *elements, size_t nr, struct key key)
{
	uint64_t bits = 0;

	for (size_t i = 1; i < nr; i++)
		bits |= key_of(elements + i * RADIX_ELEMENT_BYTES, key) ^ key_of(elements, key);
	return bits;
}

static void sort_by_digit(const char *from, char *to, size_t nr, struct key key, int shift)
{
	size_t places[DIGITS] = {}, place = 0;

	for (size_t i = 0; i < nr; i++)
		places[key_of(from + i * RADIX_ELEMENT_BYTES, key) >> shift & (DIGITS - 1)]++;
	for (int digit = 0; digit < DIGITS; digit++) {
		size_t count = places[digit];

		places[digit] = place;
		place += count;
	}
	for (size_t i = 0; i < nr; i++) {
		const char *element = from + i * RADIX_ELEMENT_BYTES;
		size_t to_place = places[key_of(element, key) >> shift & (DIGITS - 1)]++;

		memcpy(to + to_place * RADIX_ELEMENT_BYTES, element, RADIX_ELEMENT_BYTES);
	}
}

int radix_sort_by(void *elements, size_t nr, size_t key_offset, size_t key_size)
{
	const struct key key = { key_offset, key_size };
	size_t skipped = nr_in_place(elements, nr, key);
	char *begin = (char *)elements + skipped * RADIX_ELEMENT_BYTES, *from = begin, *to;
	_cleanup_(freep) char *spare = NULL;
	uint64_t bits;

	nr -= skipped;
	if (!nr)
		return 0;
	bits = differing_bits(begin, nr, key);
	spare = reallocarray(NULL, nr, RADIX_ELEMENT_BYTES);
	if (!spare)
		return -ENOMEM;
	to = spare;
	for (int shift = 0; shift < 64; shift += DIGIT_BITS) {
		char *sorted = to;

		if (!(bits >> shift & (DIGITS - 1)))
			continue;
		sort_by_digit(from, to, nr, key, shift);
		to = from;
		from = sorted;
	}
	if (from != begin)
		memcpy(begin, from, nr * RADIX_ELEMENT_BYTES);
	return 0;
}
