/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes JSON value by value, with commas and quotes; the caller closes the brackets. Numbers are unsigned 64-bit.
 *
 * `key` is NULL for an element of an array. Strings become ASCII without the special characters of HTML, so that a page may contain a
 * document; bytes that are not UTF-8 become U+FFFD.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base/buf.h"

struct json {
	struct buf *text; /* the caller may empty it between two values */
	unsigned int depth; /* open brackets */
	bool follows; /* the next value needs a comma before it */
};

/* Opens an object '{' or an array '['. An element of an array begins a new line. */
void json_begin(struct json *json, const char *key, char bracket);
void json_end(struct json *json, char bracket); /* '}' or ']' */

void json_text(struct json *json, const char *key, const char *text); /* NULL: null */
void json_number(struct json *json, const char *key, uint64_t number);
void json_bool(struct json *json, const char *key, bool value);

/* Adds the comma and key before a value. The caller adds the value itself to `text`: another type of number, or a long string. */
void json_key(struct json *json, const char *key);
