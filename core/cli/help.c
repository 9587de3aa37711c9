/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/cli/help.h"

#include <inttypes.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/cli/option_groups.h"

#define WIDTH 80
#define OPTION_COLUMN 30 /* column of the explanations */
#define BRIEF_EXAMPLES 3

void help_usage(const struct option_list *list, struct buf *ret_text)
{
	buf_adds(ret_text, "[option...]");
	for (size_t i = 0; i < list->nr; i++) {
		const struct option_spec *spec = list->data[i].spec;

		if (spec->kind == OPTION_KIND_COMMAND)
			buf_addf(ret_text, " [-- %s [argument...]]", spec->name);
		else if (spec->kind == OPTION_KIND_WORDS)
			buf_addf(ret_text, spec->required ? " %s..." : " [%s...]", spec->name);
		else if (spec->operand)
			buf_addf(ret_text, spec->required ? " %s" : " [%s]", spec->name);
	}
}

static uint64_t default_number(const struct option_spec *spec, const char *field)
{
	switch (spec->kind) {
	case OPTION_KIND_U32:
		return *(const uint32_t *)field;
	case OPTION_KIND_U64:
	case OPTION_KIND_MICROSECONDS:
		return *(const uint64_t *)field;
	default:
		return 0;
	}
}

void help_default(const struct applet *applet, const struct option_entry *entry, struct buf *ret_text)
{
	uint64_t number = 0;

	if (applet->defaults && !entry->spec->parse)
		number = default_number(entry->spec, (const char *)applet->defaults + entry->offset);
	if (number && number != UINT64_MAX) /* UINT64_MAX: no limit */
		buf_addf(ret_text, " (default %" PRIu64 ")", number);
}

static size_t column_of(const struct buf *text)
{
	size_t start = text->nr;

	while (start && text->data[start - 1] != '\n')
		start--;
	return text->nr - start;
}

static void add_spaces(struct buf *text, size_t nr)
{
	while (nr--)
		buf_addc(text, ' ');
}

/* Adds one paragraph, wrapped; its first line continues the last line of `text`. Returns the rest of `words`. */
static const char *add_wrapped(struct buf *text, const char *words, size_t indent)
{
	bool first = true;

	while (*words && *words != '\n') {
		size_t length = strcspn(words, " \n");

		if (!first && column_of(text) + 1 + length > WIDTH) {
			buf_addc(text, '\n');
			add_spaces(text, indent);
		} else if (!first) {
			buf_addc(text, ' ');
		}
		buf_add(text, words, length);
		words += length;
		words += *words != '\0';
		first = false;
	}
	buf_addc(text, '\n');
	return words;
}

static void add_paragraphs(struct buf *text, const char *words)
{
	while (*words) {
		words = add_wrapped(text, words, 0);
		buf_addc(text, '\n');
		words += strspn(words, "\n");
	}
}

/* "  -F, --frequency=HZ", "  -L, -t, --tid=TID", "      --save=FILE", "  pattern" */
static void add_option_name(struct buf *text, const struct option_spec *spec)
{
	if (spec->operand) {
		buf_addf(text, "  %s", spec->name);
		return;
	}
	if (spec->letter && spec->also)
		buf_addf(text, "  -%c, -%c, --%s", spec->letter, spec->also, spec->name);
	else if (spec->letter)
		buf_addf(text, "  -%c, --%s", spec->letter, spec->name);
	else
		buf_addf(text, "      --%s", spec->name);
	if (option_takes_value(spec))
		buf_addf(text, "=%s", spec->metavar);
	else if (spec->kind == OPTION_KIND_HELP)
		buf_addf(text, "[=%s]", spec->metavar);
}

/* The text up to the first ';', ':' or bracket or, if that is longer than a line, up to its last comma within the line. */
static size_t brief_length(const char *words)
{
	size_t nr = strcspn(words, ";:"), room = WIDTH - OPTION_COLUMN, comma = 0;
	const char *bracket = strstr(words, " (");

	if (bracket && (size_t)(bracket - words) < nr)
		nr = (size_t)(bracket - words);
	for (size_t i = 0; nr > room && i <= room; i++)
		if (words[i] == ',')
			comma = i;
	return comma ? comma : nr;
}

static void add_option(struct buf *text, const struct applet *applet, const struct option_entry *entry, bool brief)
{
	_cleanup_(buf_done) struct buf words = {};

	add_option_name(text, entry->spec);
	if (column_of(text) + 2 > OPTION_COLUMN) {
		buf_addc(text, '\n');
		add_spaces(text, OPTION_COLUMN);
	} else {
		add_spaces(text, OPTION_COLUMN - column_of(text));
	}
	buf_add(&words, entry->spec->help, brief ? brief_length(entry->spec->help) : strlen(entry->spec->help));
	if (!brief)
		help_default(applet, entry, &words);
	add_wrapped(text, buf_text(&words), OPTION_COLUMN);
}

static void add_list(struct buf *text, const struct applet *applet, const struct option_list *list, bool operands)
{
	bool any = false;

	for (size_t i = 0; i < list->nr; i++) {
		const struct option_entry *entry = &list->data[i];

		if (entry->spec->operand != operands || entry->hidden)
			continue;
		if (!any)
			buf_adds(text, operands ? "Operands:\n" : "Options:\n");
		add_option(text, applet, entry, false);
		any = true;
	}
	if (any)
		buf_addc(text, '\n');
}

static void add_groups(struct buf *text, const struct applet *applet, const struct option_list *list, bool brief)
{
	for (const struct option_group *group = option_groups; group->title; group++) {
		entry_list entries = {};

		option_group_pick(group, list, brief, &entries);
		if (entries.nr)
			buf_addf(text, "%s:\n", group->title);
		for (size_t i = 0; i < entries.nr; i++)
			add_option(text, applet, entries.data[i], brief);
		if (entries.nr && !brief)
			buf_addc(text, '\n');
		vec_done(&entries);
	}
	if (brief)
		buf_addc(text, '\n');
}

static void add_examples(struct buf *text, const struct applet *applet, const char *command, bool brief)
{
	size_t nr_left = brief ? BRIEF_EXAMPLES : SIZE_MAX;

	if (!applet->examples || !applet->examples->arguments)
		return;
	buf_adds(text, "Examples:\n");
	for (const struct applet_example *example = applet->examples; example->arguments && nr_left; example++) {
		if (brief && !example->is_first)
			continue;
		nr_left--;
		buf_addf(text, "  %s%s%s\n", command, *example->arguments ? " " : "", example->arguments);
		buf_addf(text, "      %s\n", example->meaning);
	}
}

/* The short help of an applet with many options. */
static void add_brief(struct buf *text, const struct applet *applet, const char *command,
		      const struct option_list *list)
{
	buf_addf(text, "%s: %s\n\n", applet->name, applet->summary);
	add_list(text, applet, list, true);
	add_groups(text, applet, list, true);
	add_examples(text, applet, command, true);
	buf_addf(text, "\n--help=all prints all options, 'stacktool help --man %s' the man page\n", applet->name);
}

void help_text(const struct applet *applet, const char *command, const struct option_spec *table, bool all,
	       struct buf *ret_text)
{
	_cleanup_(option_list_done) struct option_list list;
	bool grouped;

	option_list_init(&list, table);
	grouped = option_list_is_long(&list);
	buf_addf(ret_text, "Usage: %s ", command);
	help_usage(&list, ret_text);
	buf_adds(ret_text, "\n\n");
	if (grouped && !all) {
		add_brief(ret_text, applet, command, &list);
		return;
	}
	add_paragraphs(ret_text, applet->description);
	add_list(ret_text, applet, &list, true);
	if (grouped)
		add_groups(ret_text, applet, &list, false);
	else
		add_list(ret_text, applet, &list, false);
	add_examples(ret_text, applet, command, false);
}
