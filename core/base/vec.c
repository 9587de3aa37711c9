/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/base/vec.h"

#include "core/base/alloc.h"

int vec_grow(void **data, size_t *room, size_t wanted, size_t element_size)
{
	size_t grown = *room < 8 ? 8 : *room + *room / 2;
	void *moved;

	if (wanted <= *room)
		return 0;
	if (grown < wanted)
		grown = wanted;
	moved = reallocarray(*data, grown, element_size);
	if (!moved)
		return -ENOMEM;
	*data = moved;
	*room = grown;
	return 0;
}

void vec_grow_or_die(void **data, size_t *room, size_t wanted, size_t element_size)
{
	if (vec_grow(data, room, wanted, element_size))
		xcheck(NULL);
}
