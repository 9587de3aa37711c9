/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sorting symbols by address. qsort(3) is several times slower and asks the system for its memory size. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum {
	RADIX_ELEMENT_BYTES = 16
};

typedef uint64_t radix_key(const void *element);

/*
 * Stable sort of `nr` elements of 16 bytes by key; free when they are in order already, else it needs a second array
 * for the time of the call. 0 or -ENOMEM, and then nothing has moved.
 */
int radix_sort(void *elements, size_t nr, radix_key *key);
