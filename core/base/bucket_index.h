/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where to begin a search in a sorted array of 100,000 places: a binary search goes to 17 of them, all over the memory;
 * with buckets it goes to one number, and then to some elements that lie together.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct bucket_index {
	uint32_t *before; /* elements before each bucket of 2^shift bytes, and all; NULL: too few to be worth it */
	size_t nr;
	unsigned int shift;
};

/*
 * For `nr` elements of `element_bytes`, sorted by the uint32_t that they begin with. Buckets are a convenience: without
 * memory for them there are none, and the search is the long one.
 */
void bucket_index_make(struct bucket_index *index, const void *elements, size_t nr, size_t element_bytes);
void bucket_index_done(struct bucket_index *index);

/*
 * Narrows [*first, *first + *nr), at the call all elements: those before it begin at or before the place, those behind
 * it later.
 */
void bucket_index_narrow(const struct bucket_index *index, uint64_t place, size_t *first, size_t *nr);

/* How many elements of a vector begin (`start`) at or before the place. */
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
