/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The small change of pictures and documents: text and numbers. */
#include <stdint.h>

#include "core/render/graph.h"

void xml_add(struct buf *buf, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '&':
			buf_adds(buf, "&amp;");
			break;
		case '<':
			buf_adds(buf, "&lt;");
			break;
		case '>':
			buf_adds(buf, "&gt;");
			break;
		case '"':
			buf_adds(buf, "&quot;");
			break;
		case '\'':
			buf_adds(buf, "&#39;");
			break;
		case '\xef': /* U+FFFE and U+FFFF, which XML has no place for */
			if (text[1] == '\xbf' && (text[2] == '\xbe' || text[2] == '\xbf')) {
				buf_adds(buf, "\xef\xbf\xbd");
				text += 2;
				break;
			}
			/* fall through */
		default:
			buf_addc(buf, *text);
		}
	}
}

void number_add_grouped(struct buf *buf, uint64_t number)
{
	char digits[32];
	size_t at = sizeof(digits), nr = 0;

	do {
		if (nr && nr % 3 == 0)
			digits[--at] = ',';
		digits[--at] = (char)('0' + number % 10);
		number /= 10;
		nr++;
	} while (number);
	buf_add(buf, digits + at, sizeof(digits) - at);
}

void change_add(struct buf *buf, uint64_t now, uint64_t before)
{
	if (now != before)
		buf_addc(buf, now > before ? '+' : '-');
	number_add_grouped(buf, now > before ? now - before : before - now);
}

void percent_add(struct buf *buf, uint64_t part, uint64_t whole)
{
	double percent = whole ? 100.0 * (double)part / (double)whole : 0;
	uint64_t hundredths = (uint64_t)(percent * 100 + 0.5);

	buf_addu(buf, hundredths / 100);
	buf_addc(buf, '.');
	buf_addc(buf, (char)('0' + hundredths / 10 % 10));
	buf_addc(buf, (char)('0' + hundredths % 10));
	buf_addc(buf, '%');
}

void gone_add(struct buf *buf, const struct tree *tree, const char *unit)
{
	uint64_t gone = tree_gone(tree);

	number_add_grouped(buf, gone);
	buf_addf(buf, " %s before (", unit);
	percent_add(buf, gone, tree->nodes.data[0].total[TREE_BEFORE]);
	buf_adds(buf, ") are in stacks that no longer occur");
}

/* ---- JSON ---- */

/* The character at `text` and its length; U+FFFD and 1 for bytes that are not UTF-8. */
static uint32_t decode(const unsigned char *text, size_t *ret_length)
{
	static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t length = text[0] >= 0xf0 && text[0] < 0xf8 ? 4 : text[0] >= 0xe0 ? 3 : text[0] >= 0xc0 ? 2 : 0;
	uint32_t code = length ? text[0] & (0x7fu >> length) : 0;

	*ret_length = 1;
	if (!length || text[0] >= 0xf8)
		return 0xfffd;
	for (size_t i = 1; i < length; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0xfffd;
		code = code << 6 | (text[i] & 0x3f);
	}
	if (code < smallest[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
		return 0xfffd;
	*ret_length = length;
	return code;
}

static void add_unit(struct buf *buf, uint32_t unit)
{
	static const char digits[] = "0123456789abcdef";
	char text[6] = {
		'\\', 'u', digits[unit >> 12 & 15], digits[unit >> 8 & 15], digits[unit >> 4 & 15], digits[unit & 15]
	};

	buf_add(buf, text, sizeof(text));
}

static bool is_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x7f && c != '"' && c != '\\' && c != '<' && c != '>' && c != '&' && c != '\'';
}

void json_add_string(struct buf *buf, const char *text)
{
	const unsigned char *at = (const unsigned char *)text;

	buf_addc(buf, '"');
	while (*at) {
		const unsigned char *start = at;
		size_t length = 1;
		uint32_t code;

		while (is_plain(*at))
			at++;
		buf_add(buf, start, (size_t)(at - start));
		if (!*at)
			break;
		code = *at < 0x80 ? *at : decode(at, &length);
		at += length;
		if (code == '"' || code == '\\') {
			buf_addc(buf, '\\');
			buf_addc(buf, (char)code);
		} else if (code >= 0x10000) {
			add_unit(buf, 0xd800 + ((code - 0x10000) >> 10));
			add_unit(buf, 0xdc00 + ((code - 0x10000) & 0x3ff));
		} else {
			add_unit(buf, code);
		}
	}
	buf_addc(buf, '"');
}
