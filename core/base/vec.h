/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A growing array of any type: `VEC(struct row) rows = {};`. Read `rows.data[i]` and `rows.nr`.
 *
 * Without memory, vec_push and vec_reserve end the program. vec_try_push, vec_try_reserve and vec_try_append (`count` elements of another
 * array), for symbolize/, return -ENOMEM and leave the array unchanged. Elements move when the array grows: keep indexes, not pointers.
 */
#pragma once

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define VEC(type)                \
	struct {                 \
		type *data;      \
		size_t nr, room; \
	}

struct u32_list {
	uint32_t *data;
	size_t nr, room;
};

struct word_list {
	const char **data;
	size_t nr, room;
};

/* Only for the macros below. Grow *data to at least `wanted` elements; vec_grow() returns 0 or -ENOMEM. */
int vec_grow(void **data, size_t *room, size_t wanted, size_t element_size);
void vec_grow_or_die(void **data, size_t *room, size_t wanted, size_t element_size);

#define vec_reserve(v, wanted)                                                                          \
	do {                                                                                            \
		if ((wanted) > (v)->room)                                                               \
			vec_grow_or_die((void **)&(v)->data, &(v)->room, (wanted), sizeof(*(v)->data)); \
	} while (0)

#define vec_push(v, ...)                              \
	do {                                          \
		vec_reserve(v, (v)->nr + 1);          \
		(v)->data[(v)->nr++] = (__VA_ARGS__); \
	} while (0)

#define vec_try_push(v, ...)                                                                               \
	({                                                                                                 \
		int err_ = 0;                                                                              \
		if ((v)->nr == (v)->room)                                                                  \
			err_ = vec_grow((void **)&(v)->data, &(v)->room, (v)->nr + 1, sizeof(*(v)->data)); \
		if (!err_)                                                                                 \
			(v)->data[(v)->nr++] = (__VA_ARGS__);                                              \
		err_;                                                                                      \
	})

#define vec_try_reserve(v, wanted) vec_grow((void **)&(v)->data, &(v)->room, (wanted), sizeof(*(v)->data))

#define vec_try_append(v, elements, count)                                                    \
	({                                                                                    \
		size_t count_ = (count);                                                      \
		int failed_ = vec_try_reserve(v, (v)->nr + count_);                           \
		if (!failed_ && count_) {                                                     \
			memcpy((v)->data + (v)->nr, (elements), count_ * sizeof(*(v)->data)); \
			(v)->nr += count_;                                                    \
		}                                                                             \
		failed_;                                                                      \
	})

#define vec_last(v) ((v)->data[(v)->nr - 1])

/*
 * The number of elements that fulfil a condition on `element`, a pointer to one of them. They must come before all others, because this is
 * a binary search.
 */
#define vec_nr_first(v, element, condition)                                          \
	({                                                                           \
		size_t low_ = 0, high_ = (v)->nr;                                    \
		while (low_ < high_) {                                               \
			size_t middle_ = low_ + (high_ - low_) / 2;                  \
			const __typeof__(*(v)->data) *element = &(v)->data[middle_]; \
			if (condition)                                               \
				low_ = middle_ + 1;                                  \
			else                                                         \
				high_ = middle_;                                     \
		}                                                                    \
		low_;                                                                \
	})

#define vec_done(v)                      \
	do {                             \
		free((v)->data);         \
		(v)->data = NULL;        \
		(v)->nr = (v)->room = 0; \
	} while (0)

/* Frees unused room of an array that does not grow any more. */
#define vec_trim(v)                                                                                     \
	do {                                                                                            \
		void *trimmed_ = (v)->nr ? reallocarray((v)->data, (v)->nr, sizeof(*(v)->data)) : NULL; \
		if (trimmed_) {                                                                         \
			(v)->data = trimmed_;                                                           \
			(v)->room = (v)->nr;                                                            \
		}                                                                                       \
	} while (0)
