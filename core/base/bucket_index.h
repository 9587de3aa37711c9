/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An index for searches in a sorted array. A binary search among 100,000 elements reads 17 of them, far apart in memory; with
 * buckets it reads two numbers and a few neighbouring elements.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct bucket_index {
	uint32_t *before; /* how many elements come before each bucket of 2^shift places; then their number. NULL: no buckets */
	size_t nr;
	unsigned int shift;
};

/*
 * Indexes `nr` elements of `element_bytes`, sorted by the uint32_t that they begin with. Replaces an earlier index. For few
 * elements, and without memory, it makes no buckets.
 */
void bucket_index_make(struct bucket_index *index, const void *elements, size_t nr, size_t element_bytes);
void bucket_index_done(struct bucket_index *index);

/*
 * Narrows the range of *nr elements from *first on, which is 0 at the call: elements before the narrowed range begin at or
 * before the place, elements after it begin later.
 */
void bucket_index_narrow(const struct bucket_index *index, uint64_t place, size_t *first, size_t *nr);

/* How many elements of a vector have a `start` at or before the place. */
#define bucket_index_nr_until(index, v, place)                                        \
	({                                                                            \
		struct {                                                              \
			__typeof__(*(v)->data) *data;                                 \
			size_t nr;                                                    \
		} there_ = { (v)->data, (v)->nr };                                    \
		size_t first_ = 0;                                                    \
		bucket_index_narrow((index), (place), &first_, &there_.nr);           \
		if (first_) /* an empty vector has no elements to point to */         \
			there_.data += first_;                                        \
		first_ + vec_nr_first(&there_, element_, element_->start <= (place)); \
	})
