/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where to begin a search in a sorted array of 100,000 places: a binary search goes to 17 of them, all over the memory;
 * with pages it goes to one number, and then to some elements that lie together.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct pages {
	uint32_t *before; /* elements before each page of 2^shift bytes, and all; NULL: too few to be worth it */
	size_t nr;
	unsigned int shift;
};

/*
 * For `nr` elements of `element_bytes`, sorted by the uint32_t that they begin with. Pages are a convenience: without
 * memory for them there are none, and the search is the long one.
 */
void pages_make(struct pages *pages, const void *elements, size_t nr, size_t element_bytes);
void pages_done(struct pages *pages);

/*
 * Narrows [*first, *first + *nr), at the call all elements: those before it begin at or before the place, those behind
 * it later.
 */
void pages_narrow(const struct pages *pages, uint64_t place, size_t *first, size_t *nr);

/* How many elements of a vector begin (`start`) at or before the place. */
#define pages_nr_until(pages, v, place)                                               \
	({                                                                            \
		struct {                                                              \
			__typeof__(*(v)->data) *data;                                 \
			size_t nr;                                                    \
		} there_ = { (v)->data, (v)->nr };                                    \
		size_t first_ = 0;                                                    \
		pages_narrow((pages), (place), &first_, &there_.nr);                  \
		if (first_) /* an empty vector has no elements to point to */         \
			there_.data += first_;                                        \
		first_ + vec_nr_first(&there_, element_, element_->start <= (place)); \
	})
