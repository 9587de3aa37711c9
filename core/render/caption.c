/* SPDX-License-Identifier: GPL-2.0-or-later */
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
