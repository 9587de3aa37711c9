/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interned strings: equal texts get equal ids, so that names are compared and hashed as numbers.
 *
 * Strings are kept as they are, also with control characters: the renderer escapes them.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/base/hashidx.h"
#include "core/base/vec.h"

typedef uint32_t string_id; /* a string of one table; 0 = the empty string, which every table has */

#define STRTAB_BYTES_MAX ((size_t)UINT32_MAX) /* of all strings */

struct strtab {
	VEC(char) bytes;
	VEC(uint32_t) offsets; /* of string i + 1 in bytes */
	struct hashidx index;
};

void strtab_done(struct strtab *table);

/*
 * Returns the id of the text, which is copied if it is new. It may be a part of the table. An embedded NUL ends it. 0, as for an
 * empty text, when the strings have STRTAB_BYTES_MAX bytes: no text ever gets another one's id.
 */
string_id strtab_add(struct strtab *table, const char *text);
string_id strtab_addn(struct strtab *table, const char *text, size_t length);

/* Returns the id of the text, or 0 if it is not in the table, or empty. */
string_id strtab_find(const struct strtab *table, const char *text);

/* Returns the string of an id; valid until the next strtab_add. For an unknown id it is empty. */
const char *strtab_get(const struct strtab *table, string_id id);
