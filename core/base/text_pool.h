/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Strings that never move: equal texts are stored once, and pointers to them are valid as long as the pool. */
#pragma once

#include "core/base/hashidx.h"
#include "core/base/vec.h"

struct text_pool {
	VEC(const char *) texts; /* by position in the index */
	VEC(char *) chunks;
	size_t chunk_used, chunk_room; /* in the last chunk */
	size_t nr_bytes; /* of all texts */
	struct hashidx index;
};

/* Frees the texts. The pool can be used again. */
void text_pool_done(struct text_pool *pool);

/* Returns the pool's copy of the text; NULL without memory. */
const char *text_pool_add(struct text_pool *pool, const char *text);
