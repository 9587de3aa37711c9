/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Strings and line tables of code objects. The bytes come from a process: every length is checked. */
#include <string.h>

#include "symbolize/python.h"

/* Bits of the state of a string. */
enum {
	STATE_KIND_SHIFT = 2,
	STATE_KIND_MASK = 7,
	STATE_COMPACT = 1 << 5, /* the characters follow the head */
	STATE_ASCII = 1 << 6,
};

bool python_text_read(const struct python_layout *layout, uint16_t compact, const uint8_t head[PYTHON_TEXT_HEAD],
		      struct python_text *ret_text)
{
	uint64_t length;
	uint32_t state;
	unsigned int kind;

	if (layout->text_length > PYTHON_TEXT_HEAD - sizeof(length) ||
	    layout->text_state > PYTHON_TEXT_HEAD - sizeof(state))
		return false;
	memcpy(&length, head + layout->text_length, sizeof(length));
	memcpy(&state, head + layout->text_state, sizeof(state));
	kind = state >> STATE_KIND_SHIFT & STATE_KIND_MASK;
	if (!(state & STATE_COMPACT) || (kind != 1 && kind != 2 && kind != 4) || length > INT32_MAX)
		return false;
	ret_text->is_cut = length > PYTHON_TEXT_MAX;
	ret_text->nr = ret_text->is_cut ? PYTHON_TEXT_MAX : (uint32_t)length;
	ret_text->width = (uint8_t)kind;
	ret_text->at = state & STATE_ASCII ? layout->text_ascii : compact;
	return true;
}

static void add_character(struct buf *to, uint32_t character)
{
	if (!character || character > 0x10ffff || (character >= 0xd800 && character < 0xe000))
		character = 0xfffd;
	if (character < 0x80) {
		buf_addc(to, (char)character);
		return;
	}
	if (character < 0x800) {
		buf_addc(to, (char)(0xc0 | character >> 6));
	} else {
		if (character < 0x10000) {
			buf_addc(to, (char)(0xe0 | character >> 12));
		} else {
			buf_addc(to, (char)(0xf0 | character >> 18));
			buf_addc(to, (char)(0x80 | (character >> 12 & 63)));
		}
		buf_addc(to, (char)(0x80 | (character >> 6 & 63)));
	}
	buf_addc(to, (char)(0x80 | (character & 63)));
}

void python_text_add(struct buf *to, const struct python_text *text, const uint8_t *characters)
{
	for (uint32_t i = 0; i < text->nr; i++) {
		uint32_t character = 0;

		memcpy(&character, characters + (size_t)i * text->width, text->width);
		add_character(to, character);
	}
	if (text->is_cut)
		buf_adds(to, "...");
}

/* ---- lines ---- */

/* Entries of the table (Objects/locations.md of CPython): a byte 1cccclll (code and length), then bytes that depend on the code. */
enum {
	ENTRY_ONE_LINE = 10, /* codes 10 to 12: the line increases by code - 10; two more bytes */
	ENTRY_NO_COLUMNS = 13, /* the change of the line */
	ENTRY_LONG = 14, /* the change of the line, and three more numbers */
	ENTRY_NONE = 15, /* no line */
};

struct line_reader {
	const uint8_t *at, *end;
};

/* A varint: six bits per byte, lowest first; bit 6: another byte follows. */
static uint32_t take_number(struct line_reader *reader)
{
	uint32_t number = 0;

	for (unsigned int shift = 0; reader->at < reader->end; shift += 6) {
		uint8_t byte = *reader->at++;

		if (shift < 30)
			number |= (uint32_t)(byte & 63) << shift;
		if (!(byte & 64))
			break;
	}
	return number;
}

/* A signed varint: the sign is in the lowest bit. */
static int32_t take_signed(struct line_reader *reader)
{
	uint32_t number = take_number(reader);

	return number & 1 ? -(int32_t)(number >> 1) : (int32_t)(number >> 1);
}

/* The change of the line by an entry. The rest of the entry is skipped: the next one begins at a byte whose highest bit is set. */
static int32_t take_entry(struct line_reader *reader, unsigned int code)
{
	int32_t change = 0;

	if (code == ENTRY_NO_COLUMNS || code == ENTRY_LONG)
		change = take_signed(reader);
	else if (code >= ENTRY_ONE_LINE && code < ENTRY_NO_COLUMNS)
		change = (int32_t)(code - ENTRY_ONE_LINE);
	while (reader->at < reader->end && !(*reader->at & 0x80))
		reader->at++;
	return change;
}

uint32_t python_line(const uint8_t *table, size_t nr, uint32_t first_line, int64_t offset)
{
	struct line_reader reader = { table, table + nr };
	uint32_t line = first_line;
	int64_t end = 0;

	if (offset < 0 || !nr)
		return first_line;
	while (reader.at < reader.end) {
		uint8_t head = *reader.at++;

		line += (uint32_t)take_entry(&reader, head >> 3 & 15);
		end += 2 * ((head & 7) + 1);
		if (offset < end)
			break;
	}
	return line;
}

uint64_t python_lines_bytes(const uint8_t *table, size_t nr)
{
	struct line_reader reader = { table, table + nr };
	uint64_t bytes = 0;

	while (reader.at < reader.end) {
		uint8_t head = *reader.at++;

		take_entry(&reader, head >> 3 & 15);
		bytes += 2 * ((head & 7) + 1);
	}
	return bytes;
}
