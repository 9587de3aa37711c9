/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/formats/text_read.h"

#include <string.h>

bool slice_is(struct slice slice, const char *word)
{
	return slice.nr == strlen(word) && !memcmp(slice.text, word, slice.nr);
}

bool slice_ends_in(struct slice slice, const char *end)
{
	size_t nr = strlen(end);

	return slice.nr >= nr && !memcmp(slice.text + slice.nr - nr, end, nr);
}

struct slice slice_take(struct slice *text, char end)
{
	const char *at = memchr(text->text, end, text->nr);
	struct slice part = { text->text, at ? (size_t)(at - text->text) : text->nr };
	size_t taken = part.nr + (at != NULL);

	text->text += taken;
	text->nr -= taken;
	return part;
}

struct slice slice_take_line(struct slice *text)
{
	struct slice line = slice_take(text, '\n');

	line.nr -= slice_ends_in(line, "\r");
	return line;
}

bool slice_take_char(struct slice *text, char c)
{
	if (!text->nr || *text->text != c)
		return false;
	text->text++;
	text->nr--;
	return true;
}

bool slice_take_number(struct slice *text, uint64_t *ret_number)
{
	if (!text->nr || !is_digit(*text->text))
		return false;
	*ret_number = 0;
	for (; text->nr && is_digit(*text->text); text->text++, text->nr--)
		if (__builtin_mul_overflow(*ret_number, 10, ret_number) ||
		    __builtin_add_overflow(*ret_number, (uint64_t)(*text->text - '0'), ret_number))
			return false;
	return true;
}

bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool is_space(char c)
{
	return c == ' ' || c == '\t';
}

int hex_digit(char c)
{
	if (is_digit(c))
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

uint32_t text_add_frame(struct profile *profile, struct slice name, bool is_kernel)
{
	string_id id = strtab_addn(&profile->strings, name.text, name.nr);
	const struct profile_frame frame = {
		.kind = FRAME_TEXT,
		.reason = id ? REASON_NAMED : REASON_NO_SYMBOL,
		.exact = true,
		.is_kernel = is_kernel,
		.name = id,
		.where = id,
	};

	return profile_add_frame(profile, &frame);
}

void text_add_warning(struct buf *notes, uint64_t number, const char *words)
{
	if (!number)
		return;
	buf_adds(notes, "WARNING: ");
	buf_addu(notes, number);
	buf_add_counted(notes, number, words);
}
