/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What pictures and documents share: what they say about themselves, text and numbers. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/escape.h"
#include "core/render/documents.h"

/* "profile: cpu-clock" */
static char *title_of(const struct profile *profile)
{
	const char *applet = profile_string(profile, profile->applet), *event = profile_string(profile, profile->event);

	if (!*event)
		return xstrdup("Flame graph");
	return xasprintf("%s%s%s", applet, *applet ? ": " : "", event);
}

static char *escaped(const char *text)
{
	_cleanup_(buf_done) struct buf safe = {};

	escape_add(&safe, text, ESCAPE_LINE);
	return xstrdup(buf_text(&safe));
}

/* The header is for whoever waits at the terminal; a picture is looked at when nothing can be ended any more. */
static char *subtitle_of(const struct profile *profile)
{
	static const char waiting[] = "... Hit Ctrl-C to end.";
	char *subtitle = escaped(profile_string(profile, profile->header));
	char *end = strstr(subtitle, waiting);

	if (end && !end[sizeof(waiting) - 1])
		end[1] = '\0';
	return subtitle;
}

void caption_init(struct caption *caption, const struct output_options *options, const struct profile *profile)
{
	_cleanup_(freep) char *title = options->title ? xstrdup(options->title) : title_of(profile);

	*caption = (struct caption){
		.title = escaped(title),
		.subtitle = subtitle_of(profile),
		.unit = escaped(tree_unit(profile)),
	};
	caption->graph = (struct graph_caption){
		.title = caption->title,
		.subtitle = caption->subtitle,
		.unit = caption->unit,
	};
}

void caption_done(struct caption *caption)
{
	free(caption->title);
	free(caption->subtitle);
	free(caption->unit);
}

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

void percent_add(struct buf *buf, uint64_t part, uint64_t whole, int width)
{
	double percent = whole ? 100.0 * (double)part / (double)whole : 0;
	uint64_t hundredths = (uint64_t)(percent * 100 + 0.5);

	buf_addf(buf, "%*" PRIu64 ".%02u%%", width > 4 ? width - 4 : 0, hundredths / 100,
		 (unsigned int)(hundredths % 100));
}

size_t text_prefix(const char *text, size_t nr_characters)
{
	size_t nr = 0;

	for (; text[nr]; nr++)
		if (((unsigned char)text[nr] & 0xc0) != 0x80 && !nr_characters--)
			break;
	return nr;
}

void gone_add(struct buf *buf, const struct tree *tree, const char *unit)
{
	uint64_t gone = tree_gone(tree);

	buf_add_grouped(buf, gone);
	buf_addf(buf, " %s before (", unit);
	percent_add(buf, gone, tree->nodes.data[0].total[TREE_BEFORE], 0);
	buf_adds(buf, ") are in stacks that no longer occur");
}
