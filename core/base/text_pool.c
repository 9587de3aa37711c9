/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/base/text_pool.h"

#include <string.h>

enum {
	CHUNK_BYTES = 32768
};

void text_pool_done(struct text_pool *pool)
{
	for (size_t i = 0; i < pool->chunks.nr; i++)
		free(pool->chunks.data[i]);
	vec_done(&pool->chunks);
	vec_done(&pool->texts);
	hashidx_done(&pool->index);
	*pool = (struct text_pool){};
}

static bool is_text(const void *context, uint32_t position, const void *key)
{
	const struct text_pool *pool = context;

	return !strcmp(pool->texts.data[position], key);
}

/* Takes `nr_bytes` from the last chunk or a new one; NULL without memory. */
static char *take_room(struct text_pool *pool, size_t nr_bytes)
{
	char *room;

	if (pool->chunk_room - pool->chunk_used < nr_bytes) {
		size_t chunk_room = nr_bytes > CHUNK_BYTES ? nr_bytes : CHUNK_BYTES;
		char *chunk = malloc(chunk_room);
		int err = chunk ? vec_try_push(&pool->chunks, chunk) : -ENOMEM;

		if (err) {
			free(chunk);
			return NULL;
		}
		pool->chunk_room = chunk_room;
		pool->chunk_used = 0;
	}
	room = vec_last(&pool->chunks) + pool->chunk_used;
	pool->chunk_used += nr_bytes;
	pool->nr_bytes += nr_bytes;
	return room;
}

const char *text_pool_add(struct text_pool *pool, const char *text)
{
	size_t nr_bytes = strlen(text) + 1;
	uint64_t hash = hash_bytes(text, nr_bytes);
	uint32_t position = hashidx_find(&pool->index, hash, is_text, pool, text);
	char *copy;

	if (position != HASHIDX_NONE)
		return pool->texts.data[position];
	copy = take_room(pool, nr_bytes);
	if (!copy)
		return NULL;
	memcpy(copy, text, nr_bytes);
	if (vec_try_push(&pool->texts, copy) || hashidx_try_add(&pool->index, hash, (uint32_t)pool->texts.nr - 1))
		return NULL;
	return copy;
}
