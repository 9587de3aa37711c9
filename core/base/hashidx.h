/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A hash index: finds the position of an element in an array of the caller.
 *
 * It stores pairs of hash and position. The caller's `same` function compares the element at a position with the key. Elements cannot be
 * removed. Each process has its own hash seed, because others choose the keys (symbol names, comms).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hashidx {
	struct hashidx_slot {
		uint64_t hash;
		uint32_t position; /* + 1; 0 is a free slot */
	} *slots;
	size_t nr, room;
};

typedef bool hashidx_same(const void *context, uint32_t position, const void *key);

#define HASHIDX_NONE UINT32_MAX

void hashidx_done(struct hashidx *index);

/* The position of the element that equals `key`, or HASHIDX_NONE. */
uint32_t hashidx_find(const struct hashidx *index, uint64_t hash, hashidx_same *same, const void *context,
		      const void *key);

/* Prefetches the slot that hashidx_find() reads first. */
static inline void hashidx_prefetch(const struct hashidx *index, uint64_t hash)
{
	if (index->room)
		__builtin_prefetch(&index->slots[hash & (index->room - 1)]);
}

/* As hashidx_find(). If no element matches, adds position `next` and returns it; the caller then stores the element there. */
uint32_t hashidx_find_or_add(struct hashidx *index, uint64_t hash, hashidx_same *same, const void *context,
			     const void *key, size_t next);

/* Add a position; the key must be new. hashidx_try_add() returns -ENOMEM, hashidx_add() ends the program. */
void hashidx_add(struct hashidx *index, uint64_t hash, uint32_t position);
int hashidx_try_add(struct hashidx *index, uint64_t hash, uint32_t position);

/* Makes room for `nr` elements. */
void hashidx_reserve(struct hashidx *index, size_t nr);

uint64_t hash_bytes(const void *bytes, size_t nr_bytes);
/* A hash that also depends on an earlier hash. */
uint64_t hash_more(uint64_t hash, const void *bytes, size_t nr_bytes);
