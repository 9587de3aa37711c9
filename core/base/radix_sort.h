/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sorts elements of 16 bytes by a number. qsort(3) is several times slower and calls sysinfo(), which the symbol worker may not. */
#pragma once

#include <stddef.h>

enum {
	RADIX_ELEMENT_BYTES = 16
};

/*
 * Stable sort of `nr` elements by their member `key`, an unsigned number of 4 or 8 bytes. Allocates a second array for the elements that
 * are not in place. Returns 0, or -ENOMEM with all elements unmoved.
 */
#define radix_sort(elements, nr, key)                                                                              \
	({                                                                                                         \
		_Static_assert(sizeof(*(elements)) == RADIX_ELEMENT_BYTES, "radix_sort() takes 16 bytes");         \
		_Static_assert(sizeof((elements)->key) == 4 || sizeof((elements)->key) == 8, "by 4 or 8 of them"); \
		radix_sort_by((elements), (nr), offsetof(__typeof__(*(elements)), key), sizeof((elements)->key));  \
	})

int radix_sort_by(void *elements, size_t nr, size_t key_offset, size_t key_size);
