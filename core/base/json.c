/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/base/json.h"

#include "core/base/escape.h"

static void add_unit(struct buf *text, uint32_t unit)
{
	static const char digits[] = "0123456789abcdef";
	const char unit_text[6] = {
		'\\', 'u', digits[unit >> 12 & 15], digits[unit >> 8 & 15], digits[unit >> 4 & 15], digits[unit & 15]
	};

	buf_add(text, unit_text, sizeof(unit_text));
}

static bool is_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x7f && c != '"' && c != '\\' && c != '<' && c != '>' && c != '&' && c != '\'';
}

/* Adds the character at `at`, which is not plain; returns its length. */
static size_t add_special(struct buf *text, const unsigned char *at)
{
	uint32_t point = *at;
	size_t length = 1;

	if (*at >= 0x80)
		length = utf8_decode(at, &point);
	if (!length) {
		point = 0xfffd;
		length = 1;
	}
	if (point == '"' || point == '\\') {
		buf_addc(text, '\\');
		buf_addc(text, (char)point);
	} else if (point >= 0x10000) {
		add_unit(text, 0xd800 + ((point - 0x10000) >> 10));
		add_unit(text, 0xdc00 + ((point - 0x10000) & 0x3ff));
	} else {
		add_unit(text, point);
	}
	return length;
}

static void add_string(struct buf *text, const char *string)
{
	const unsigned char *at = (const unsigned char *)string;

	buf_addc(text, '"');
	while (*at) {
		const unsigned char *start = at;

		while (is_plain(*at))
			at++;
		buf_add(text, start, (size_t)(at - start));
		if (*at)
			at += add_special(text, at);
	}
	buf_addc(text, '"');
}

void json_key(struct json *json, const char *key)
{
	if (json->follows)
		buf_addc(json->text, ',');
	json->follows = true;
	if (!key)
		return;
	buf_addc(json->text, '"');
	buf_adds(json->text, key);
	buf_adds(json->text, "\":");
}

void json_begin(struct json *json, const char *key, char bracket)
{
	json_key(json, key);
	if (!key && json->depth)
		buf_addc(json->text, '\n');
	buf_addc(json->text, bracket);
	json->depth++;
	json->follows = false;
}

void json_end(struct json *json, char bracket)
{
	buf_addc(json->text, bracket);
	json->depth--;
	json->follows = true;
}

void json_text(struct json *json, const char *key, const char *text)
{
	json_key(json, key);
	if (text)
		add_string(json->text, text);
	else
		buf_adds(json->text, "null");
}

void json_number(struct json *json, const char *key, uint64_t number)
{
	json_key(json, key);
	buf_addu(json->text, number);
}

void json_bool(struct json *json, const char *key, bool value)
{
	json_key(json, key);
	buf_adds(json->text, value ? "true" : "false");
}
