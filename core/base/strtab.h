/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interned strings: equal texts have equal ids, so that names are compared and hashed as numbers.
 *
 * Strings are stored unchanged, also control characters; the renderer escapes them.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/base/hashidx.h"
#include "core/base/vec.h"

typedef uint32_t string_id; /* a string of one table; 0: the empty string */

#define STRTAB_BYTES_MAX ((size_t)UINT32_MAX) /* of all strings */

struct strtab {
	VEC(char) bytes;
	VEC(uint32_t) offsets; /* of string i + 1 */
	struct hashidx index;
};

void strtab_done(struct strtab *table);

/*
 * Return the id of the text, and add a copy if it is new. The text may be a part of the table; a NUL ends it. Return 0, the id of the empty
 * text, if the strings would exceed STRTAB_BYTES_MAX.
 */
string_id strtab_add(struct strtab *table, const char *text);
string_id strtab_addn(struct strtab *table, const char *text, size_t length);

/* The id of the text; 0 if it is empty or not in the table. */
string_id strtab_find(const struct strtab *table, const char *text);

/* The string of an id; "" if the id is unknown. Valid until the next strtab_add. */
const char *strtab_get(const struct strtab *table, string_id id);
