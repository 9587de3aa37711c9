/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/base/bucket_index.h"

#include <stdlib.h>
#include <string.h>

enum {
	INDEXED_MIN = 64,
	USUAL = 4,        /* average number of elements in a bucket */
};

static uint32_t start_at(const void *elements, size_t i, size_t element_bytes)
{
	uint32_t start;

	memcpy(&start, (const char *)elements + i * element_bytes, sizeof(start));
	return start;
}

void bucket_index_make(struct bucket_index *index, const void *elements, size_t nr, size_t element_bytes)
{
	uint32_t last = nr ? start_at(elements, nr - 1, element_bytes) : 0;
	size_t bucket = 0;

	bucket_index_done(index);
	if (nr < INDEXED_MIN)
		return;
	while (last >> index->shift > nr / USUAL)
		index->shift++;
	index->nr = (last >> index->shift) + 2;
	index->before = reallocarray(NULL, index->nr, sizeof(*index->before));
	for (size_t i = 0; index->before && i < nr; i++)
		while (bucket <= start_at(elements, i, element_bytes) >> index->shift)
			index->before[bucket++] = (uint32_t)i;
	if (index->before)
		index->before[bucket] = (uint32_t)nr;
}

void bucket_index_done(struct bucket_index *index)
{
	free(index->before);
	*index = (struct bucket_index){};
}

void bucket_index_narrow(const struct bucket_index *index, uint64_t place, size_t *first, size_t *nr)
{
	uint64_t bucket = place >> index->shift;

	if (!index->before)
		return;
	*first = bucket < index->nr ? index->before[bucket] : *nr;
	if (bucket < index->nr - 1)
		*nr = index->before[bucket + 1];
	*nr -= *first;
}
