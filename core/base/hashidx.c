/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/base/hashidx.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/base/alloc.h"

void hashidx_done(struct hashidx *index)
{
	free(index->slots);
	*index = (struct hashidx){};
}

uint32_t hashidx_find(const struct hashidx *index, uint64_t hash, hashidx_same *same, const void *context,
		      const void *key)
{
	size_t mask = index->room - 1;

	if (!index->room)
		return HASHIDX_NONE;
	for (size_t i = hash & mask; index->slots[i].position; i = (i + 1) & mask) {
		uint32_t position = index->slots[i].position - 1;

		if (index->slots[i].hash == hash && same(context, position, key))
			return position;
	}
	return HASHIDX_NONE;
}

static void put(struct hashidx_slot *slots, size_t room, struct hashidx_slot slot)
{
	size_t i = slot.hash & (room - 1);

	while (slots[i].position)
		i = (i + 1) & (room - 1);
	slots[i] = slot;
}

static int grow(struct hashidx *index, size_t room)
{
	struct hashidx_slot *slots = calloc(room, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	for (size_t i = 0; i < index->room; i++)
		if (index->slots[i].position)
			put(slots, room, index->slots[i]);
	free(index->slots);
	index->slots = slots;
	index->room = room;
	return 0;
}

int hashidx_try_add(struct hashidx *index, uint64_t hash, uint32_t position)
{
	if (index->nr * 4 >= index->room * 3) {
		int err = grow(index, index->room ? index->room * 2 : 64);

		if (err)
			return err;
	}
	put(index->slots, index->room, (struct hashidx_slot){ .hash = hash, .position = position + 1 });
	index->nr++;
	return 0;
}

void hashidx_add(struct hashidx *index, uint64_t hash, uint32_t position)
{
	if (hashidx_try_add(index, hash, position))
		xcheck(NULL);
}

uint32_t hashidx_find_or_add(struct hashidx *index, uint64_t hash, hashidx_same *same, const void *context,
			     const void *key, size_t next)
{
	uint32_t position = hashidx_find(index, hash, same, context, key);

	if (position != HASHIDX_NONE)
		return position;
	hashidx_add(index, hash, (uint32_t)next);
	return (uint32_t)next;
}

void hashidx_reserve(struct hashidx *index, size_t nr)
{
	size_t room = 64;

	while (nr * 4 > room * 3)
		room *= 2;
	if (room > index->room && grow(index, room))
		xcheck(NULL);
}

/* The 16 random bytes that the kernel gives each process (getauxval(3), AT_RANDOM). */
static uint64_t seed(void)
{
	static uint64_t value;

	if (!value) {
		const void *random = (const void *)getauxval(AT_RANDOM);

		value = 0x9e3779b97f4a7c15;
		if (random)
			memcpy(&value, random, sizeof(value));
	}
	return value;
}

uint64_t hash_bytes(const void *bytes, size_t nr_bytes)
{
	return XXH3_64bits_withSeed(bytes, nr_bytes, seed());
}

uint64_t hash_more(uint64_t hash, const void *bytes, size_t nr_bytes)
{
	return XXH3_64bits_withSeed(bytes, nr_bytes, hash);
}
