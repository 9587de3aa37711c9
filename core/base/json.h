/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one writer of JSON. Values are added as they come: commas and quotes are its work, whether the brackets close is the
 * caller's. Numbers are whole numbers of 64 bits, which jansson's are not, and nothing is kept of what was written.
 *
 * `key` is NULL for an element of an array. Strings are ASCII only and without what HTML could take for markup, so that a
 * document may stand in a page; bytes that are not UTF-8 become U+FFFD.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base/buf.h"

struct json {
	struct buf *text; /* which may be emptied between two values */
	unsigned int depth; /* brackets that are open */
	bool follows; /* the next value stands after another one of the same object or array */
};

/* Opens an object, '{', or an array, '['. As an element of an array it begins a line. */
void json_begin(struct json *json, const char *key, char bracket);
void json_end(struct json *json, char bracket); /* '}' or ']' */

void json_text(struct json *json, const char *key, const char *text); /* NULL: null */
void json_number(struct json *json, const char *key, uint64_t number);
void json_bool(struct json *json, const char *key, bool value);

/* What goes before a value that the caller then adds to `text`: another number, or a long string. */
void json_key(struct json *json, const char *key);
