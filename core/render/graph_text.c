/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by pictures and documents: captions, escaped text, numbers. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/clock.h"
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

/* The header without "Hit Ctrl-C to end.". */
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

static void add_host(struct buf *text, const struct profile *profile)
{
	const char *release = profile_string(profile, profile->kernel_release);

	buf_adds(text, profile_string(profile, profile->hostname));
	if (*release)
		buf_addf(text, "%sLinux %s %s", text->nr ? ", " : "", release,
			 profile_string(profile, profile->host.machine));
	if (profile->host.nr_cpus)
		buf_addf(text, ", %u CPU%s", profile->host.nr_cpus, profile->host.nr_cpus == 1 ? "" : "s");
}

/* The host's local time at the start, and the duration. */
static void add_when(struct buf *text, const struct profile *profile, const struct profile_interval *first,
		     const struct profile_interval *last)
{
	const uint64_t ns = first->end_ns - first->start_ns;
	time_t seconds = (time_t)((first->wall_end_ns - ns) / NSEC_PER_SEC) + (int32_t)profile->utc_offset_s;
	struct tm parts = {};
	char date[32];

	if (first->start_ns >= first->end_ns || first->wall_end_ns <= ns || last->end_ns <= first->start_ns)
		return;
	if (gmtime_r(&seconds, &parts) && strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S", &parts))
		buf_addf(text, "%s%s, %.1f s", text->nr ? "; " : "", date,
			 (double)(last->end_ns - first->start_ns) / (double)NSEC_PER_SEC);
}

void caption_add_about(struct buf *text, const struct profile *profile, const struct profile_interval *intervals,
		       size_t nr)
{
	const char *version = profile_string(profile, profile->tool_version);

	add_host(text, profile);
	if (nr)
		add_when(text, profile, &intervals[0], &intervals[nr - 1]);
	if (*version)
		buf_addf(text, "%sstacktool %s", text->nr ? "; " : "", version);
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
		case '\xef': /* U+FFFE and U+FFFF are not allowed in XML */
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

uint32_t text_width(const char *text)
{
	uint32_t nr = 0;

	for (; *text; text++)
		nr += ((unsigned char)*text & 0xc0) != 0x80;
	return nr;
}

void text_cut_add(struct buf *buf, const char *text, uint32_t room, const char *left_out)
{
	const uint32_t width = text_width(text), dots = (uint32_t)strlen(left_out);
	uint32_t head;

	if (width <= room) {
		buf_adds(buf, text);
		return;
	}
	head = room > dots ? (room - dots) / 2 : 0;
	buf_add(buf, text, text_prefix(text, head));
	buf_adds(buf, left_out);
	buf_adds(buf, text + text_prefix(text, room > dots ? width - (room - dots - head) : width));
}

void gone_add(struct buf *buf, const struct tree *tree, const char *unit)
{
	uint64_t gone = tree_gone(tree);

	buf_add_grouped(buf, gone);
	buf_addf(buf, " %s before (", unit);
	percent_add(buf, gone, tree->nodes.data[0].total[TREE_BEFORE], 0);
	buf_adds(buf, ") are in stacks that no longer occur");
}

const char *terminal_color(uint8_t kind)
{
	static const char *const colors[TREE_NR_KINDS] = {
		[TREE_KERNEL] = "\x1b[33m", [TREE_JIT] = "\x1b[32m",    [TREE_INLINED] = "\x1b[36m",
		[TREE_WAKER] = "\x1b[35m",  [TREE_PROCESS] = "\x1b[1m", [TREE_LABEL] = "\x1b[2m",
	};

	return colors[kind] ? colors[kind] : "";
}
