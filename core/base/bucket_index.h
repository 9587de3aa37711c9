/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An index for searches in a sorted array. A binary search among 100,000 elements reads 17 of them, far apart in memory; with buckets it
 * reads two numbers and a few neighbouring elements.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct bucket_index {
	uint32_t *before; /* number of elements before each bucket of 2^shift places, and then of all elements; NULL: no buckets */
	size_t nr;
	unsigned int shift;
};

/*
 * Indexes `nr` elements of `element_bytes`, sorted by the uint32_t at their start. Replaces an earlier index. With few elements, or without
 * memory, makes no buckets: searches then work without them.
 */
void bucket_index_make(struct bucket_index *index, const void *elements, size_t nr, size_t element_bytes);
void bucket_index_done(struct bucket_index *index);

/*
 * Narrows the range that starts at *first (initially 0) and has *nr elements. Elements before the result start at or before `place`,
 * elements after it start later.
 */
void bucket_index_narrow(const struct bucket_index *index, uint64_t place, size_t *first, size_t *nr);

/* The number of elements of a vector whose `start` is <= `place`. */
#define bucket_index_nr_until(index, v, place)                                        \
	({                                                                            \
		struct {                                                              \
			__typeof__(*(v)->data) *data;                                 \
			size_t nr;                                                    \
		} there_ = { (v)->data, (v)->nr };                                    \
		size_t first_ = 0;                                                    \
		bucket_index_narrow((index), (place), &first_, &there_.nr);           \
		if (first_) /* data is NULL for an empty vector */                    \
			there_.data += first_;                                        \
		first_ + vec_nr_first(&there_, element_, element_->start <= (place)); \
	})
