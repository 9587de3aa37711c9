/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interned strings: equal texts get equal ids, so that names are compared and hashed as numbers.
 *
 * Id 0 is the empty string. Strings are kept whole, also with control characters: escaping is the renderer's work.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/base/hashidx.h"
#include "core/base/vec.h"

struct strtab {
	VEC(char) bytes;
	VEC(uint32_t) offsets; /* of string id i + 1 in bytes */
	struct hashidx index;
};

void strtab_done(struct strtab *table);

/* The id of the text, which is copied when new and may be a part of the table itself. An embedded NUL ends it. */
uint32_t strtab_add(struct strtab *table, const char *text);
uint32_t strtab_addn(struct strtab *table, const char *text, size_t length);

/* The id of the text, or 0 when it is not there (or empty). */
uint32_t strtab_find(const struct strtab *table, const char *text);

/* The string of an id; valid until the next strtab_add. An id that was never given out is the empty string. */
const char *strtab_get(const struct strtab *table, uint32_t id);
