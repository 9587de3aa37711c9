/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Most text is plain ASCII: runs of it are found by one table look-up per byte and copied whole. */
#include "core/base/escape.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "core/base/cleanup.h"

enum byte_class {
	PLAIN = 0,
	END,
	CONTROL, /* never printed */
	HIGH,    /* part of a UTF-8 sequence, or not */
	BACKSLASH,
	SEMICOLON,
	BRACKET,
};

static const uint8_t classes[256] = {
	[0] = END,          [1 ... 0x1f] = CONTROL, [0x7f] = CONTROL, [0x80 ... 0xff] = HIGH,
	['\\'] = BACKSLASH, [';'] = SEMICOLON,      [']'] = BRACKET,
};

/* Characters that are invisible and change how terminals or editors show text; ascending. */
static const struct {
	uint32_t first, last;
} hidden[] = {
	{ 0x80, 0x9f },       /* C1 controls */
	{ 0xad, 0xad },       /* soft hyphen */
	{ 0x34f, 0x34f },     /* combining grapheme joiner */
	{ 0x61c, 0x61c },     /* Arabic letter mark: bidirectional */
	{ 0x115f, 0x1160 },   /* Hangul fillers */
	{ 0x17b4, 0x17b5 },   /* Khmer inherent vowels */
	{ 0x180b, 0x180f },   /* Mongolian separators and selectors */
	{ 0x200b, 0x200f },   /* zero width, left-to-right and right-to-left marks */
	{ 0x2028, 0x202e },   /* line and paragraph separator, bidirectional embedding and override */
	{ 0x2060, 0x206f },   /* word joiner, invisible operators, bidirectional isolates */
	{ 0x3164, 0x3164 },   /* Hangul filler */
	{ 0xfe00, 0xfe0f },   /* variation selectors */
	{ 0xfeff, 0xfeff },   /* byte order mark */
	{ 0xffa0, 0xffa0 },   /* halfwidth Hangul filler */
	{ 0xfff0, 0xfffb },   /* unassigned, interlinear annotation */
	{ 0x1bca0, 0x1bca3 }, /* shorthand format controls */
	{ 0x1d173, 0x1d17a }, /* musical format controls */
	{ 0xe0000, 0xe0fff }, /* tags, further variation selectors */
};

static void add_byte(struct buf *buf, unsigned char byte)
{
	static const char digits[] = "0123456789abcdef";
	char text[4] = { '\\', 'x', digits[byte >> 4], digits[byte & 15] };

	buf_add(buf, text, sizeof(text));
}

static void add_bytes(struct buf *buf, const unsigned char *bytes, size_t nr_bytes)
{
	for (size_t i = 0; i < nr_bytes; i++)
		add_byte(buf, bytes[i]);
}

/* The length of a UTF-8 sequence that starts with this byte; 0: none does. */
static size_t sequence_length(unsigned char lead)
{
	if (lead >= 0xc2 && lead <= 0xdf)
		return 2;
	if (lead >= 0xe0 && lead <= 0xef)
		return 3;
	return lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
}

size_t utf8_decode(const unsigned char *text, uint32_t *ret_point)
{
	static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t length = sequence_length(text[0]);
	uint32_t point;

	if (!length)
		return 0;
	point = text[0] & (0xff >> (length + 1));
	for (size_t i = 1; i < length; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		point = point << 6 | (text[i] & 0x3f);
	}
	if (point < smallest[length] || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff))
		return 0;
	*ret_point = point;
	return length;
}

static bool is_hidden(uint32_t point)
{
	if ((point & 0xfffe) == 0xfffe || (point >= 0xfdd0 && point <= 0xfdef))
		return true; /* noncharacters */
	for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++)
		if (point <= hidden[i].last)
			return point >= hidden[i].first;
	return false;
}

/* Adds the character at `text`, which is not ASCII; returns its length. */
static size_t add_high(struct buf *buf, const unsigned char *text)
{
	uint32_t point = 0;
	size_t length = utf8_decode(text, &point);

	if (!length)
		add_byte(buf, text[0]);
	else if (is_hidden(point))
		add_bytes(buf, text, length);
	else
		buf_add(buf, text, length);
	return length ? length : 1;
}

static void add_special(struct buf *buf, const unsigned char *at, bool last, enum escape_form form)
{
	if (classes[*at] == BACKSLASH && form != ESCAPE_LINE)
		buf_add(buf, "\\\\", 2);
	else if (classes[*at] == CONTROL || (classes[*at] == SEMICOLON && form == ESCAPE_FOLDED) ||
		 (classes[*at] == BRACKET && form == ESCAPE_MODULE && !last))
		add_byte(buf, *at);
	else
		buf_add(buf, at, 1);
}

/* Adds the text up to `end`, which is a NUL or a space. */
static void add_middle(struct buf *buf, const unsigned char *text, const unsigned char *end, enum escape_form form)
{
	while (text < end) {
		const unsigned char *run = text;

		while (text < end && classes[*text] == PLAIN)
			text++;
		buf_add(buf, run, (size_t)(text - run));
		if (text == end)
			return;
		if (classes[*text] == HIGH) {
			text += add_high(buf, text);
		} else {
			add_special(buf, text, text + 1 == end, form);
			text++;
		}
	}
}

/* Whether the name looks like a delimiter of the report: one or more '-', and then its end or a space. */
static bool is_delimiter(const unsigned char *text)
{
	size_t nr = strspn((const char *)text, "-");

	return nr && (!text[nr] || text[nr] == ' ');
}

void escape_add(struct buf *buf, const char *text, enum escape_form form)
{
	const unsigned char *at = (const unsigned char *)text, *end = at + strlen(text), *tail = end;

	if (form == ESCAPE_LINE) {
		add_middle(buf, at, end, form);
		return;
	}
	while (tail > at && tail[-1] == ' ')
		tail--;
	while (at < tail && *at == ' ')
		add_byte(buf, *at++);
	if ((*at == '[' && form != ESCAPE_MODULE) || is_delimiter(at))
		add_byte(buf, *at++);
	add_middle(buf, at, tail, form);
	add_bytes(buf, tail, (size_t)(end - tail));
}

/* Escapes the space before `at`. */
static void escape_space_before(struct buf *line, size_t at)
{
	_cleanup_(buf_done) struct buf rest = {};

	buf_add(&rest, line->data + at, line->nr - at);
	line->nr = at - 1;
	add_byte(line, ' ');
	buf_add(line, rest.data, rest.nr);
}

void escape_last_number(struct buf *line, size_t start)
{
	size_t at = line->nr;

	while (at > start && (line->data[at - 1] == '.' || isdigit((unsigned char)line->data[at - 1])))
		at--;
	if (at < line->nr && at > start && line->data[at - 1] == ' ')
		escape_space_before(line, at);
}
