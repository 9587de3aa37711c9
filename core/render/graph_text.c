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

void change_add(struct buf *buf, uint64_t now, uint64_t before)
{
	if (now != before)
		buf_addc(buf, now > before ? '+' : '-');
	buf_add_grouped(buf, now > before ? now - before : before - now);
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

	buf_add_grouped(buf, gone);
	buf_addf(buf, " %s before (", unit);
	percent_add(buf, gone, tree->nodes.data[0].total[TREE_BEFORE]);
	buf_adds(buf, ") are in stacks that no longer occur");
}
