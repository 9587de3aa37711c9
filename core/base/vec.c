/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/base/vec.h"

#include "core/base/alloc.h"

static size_t next_room(size_t room, size_t wanted)
{
	size_t grown = room < 8 ? 8 : room + room / 2;

	return grown < wanted ? wanted : grown;
}

int vec_grow(void **data, size_t *room, size_t wanted, size_t element_size)
{
	size_t grown = next_room(*room, wanted);
	void *moved;

	if (wanted <= *room)
		return 0;
	moved = reallocarray(*data, grown, element_size);
	if (!moved)
		return -ENOMEM;
	*data = moved;
	*room = grown;
	return 0;
}

void vec_grow_or_die(void **data, size_t *room, size_t wanted, size_t element_size)
{
	size_t grown = next_room(*room, wanted);

	if (wanted <= *room)
		return;
	*data = xreallocarray(*data, grown, element_size);
	*room = grown;
}
