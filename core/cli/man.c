/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Plain man(7) macros that groff and mandoc both know. */
#include "core/cli/man.h"

#include "core/base/cleanup.h"
#include "core/cli/help.h"
#include "core/cli/man_words.h"
#include "core/cli/status.h"
#include "core/cli/version.h"

/*
 * Text as it is to be read: backslashes and dashes keep their look, a line that begins with a control character of
 * roff stays text.
 */
static void add_text(struct buf *page, const char *text)
{
	for (const char *c = text; *c; c++) {
		bool line_start = !page->nr || page->data[page->nr - 1] == '\n';

		if (line_start && (*c == '.' || *c == '\''))
			buf_adds(page, "\\&");
		if (*c == '\\')
			buf_adds(page, "\\e");
		else if (*c == '-')
			buf_adds(page, "\\-");
		else if (*c == '\'')
			buf_adds(page, "\\(aq");
		else if (*c == '\n' && c[1] == '\n')
			buf_adds(page, "\n.PP");
		else
			buf_addc(page, *c);
	}
}

#define COMMANDS 8
#define MISCELLANEOUS 7

static void add_head(struct buf *page, const char *title, int section, const char *summary)
{
	buf_addf(page, ".TH %s %d \"\" \"stacktool %s\"\n.SH NAME\n", title, section, version_number());
	add_text(page, title);
	buf_adds(page, " \\- ");
	add_text(page, summary);
	buf_addc(page, '\n');
}

static void add_option_name(struct buf *page, const struct option_spec *spec)
{
	if (spec->operand) {
		buf_addf(page, "\\fI%s\\fR\n", spec->name);
		return;
	}
	buf_adds(page, "\\fB");
	if (spec->letter) {
		buf_addf(page, "\\-%c", spec->letter);
		buf_adds(page, "\\fR, \\fB");
	}
	add_text(page, "--");
	add_text(page, spec->name);
	buf_adds(page, "\\fR");
	if (option_takes_value(spec))
		buf_addf(page, "=\\fI%s\\fR", spec->metavar);
	else if (spec->otherwise)
		buf_addf(page, "[=\\fI%s\\fR]", spec->metavar);
	buf_addc(page, '\n');
}

static void add_options(struct buf *page, const struct applet *applet, const struct option_list *list, bool operands)
{
	for (size_t i = 0; i < list->entries.nr; i++) {
		const struct option_entry *entry = &list->entries.data[i];
		_cleanup_(buf_done) struct buf words = {};

		if (entry->spec->operand != operands || entry->spec->hidden)
			continue;
		buf_adds(page, ".TP\n");
		add_option_name(page, entry->spec);
		buf_adds(&words, entry->spec->help);
		help_default(applet, entry, &words);
		add_text(page, buf_text(&words));
		buf_addc(page, '\n');
	}
}

static void add_examples(struct buf *page, const struct applet *applet)
{
	if (!applet->examples || !applet->examples->arguments)
		return;
	buf_adds(page, ".SH EXAMPLES\n");
	for (const struct applet_example *example = applet->examples; example->arguments; example++) {
		buf_adds(page, ".TP\n\\fB");
		add_text(page, "stacktool ");
		add_text(page, applet->name);
		if (*example->arguments) {
			buf_addc(page, ' ');
			add_text(page, example->arguments);
		}
		buf_adds(page, "\\fR\n");
		add_text(page, example->meaning);
		buf_addc(page, '\n');
	}
}

static void add_statuses(struct buf *page)
{
	static const struct {
		int status;
		const char *text;
	} statuses[] = {
#define X(name, status, text) { status, text },
		EXIT_STATUSES(X)
#undef X
	};

	buf_adds(page, ".SH EXIT STATUS\n");
	for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++)
		buf_addf(page, ".TP\n%d\n%s\n", statuses[i].status, statuses[i].text);
}

static void add_synopsis(struct buf *page, const struct applet *applet, const struct option_list *list)
{
	_cleanup_(buf_done) struct buf usage = {};

	buf_adds(page, ".SH SYNOPSIS\n\\fB");
	add_text(page, "stacktool ");
	add_text(page, applet->name);
	buf_adds(page, "\\fR ");
	help_usage(list, &usage);
	add_text(page, buf_text(&usage));
	buf_adds(page, "\n.SH DESCRIPTION\n");
	add_text(page, applet->description);
	buf_addc(page, '\n');
}

/* What bcc's pages have of each tool; the rest is the same for all and stands in stacktool(8). */
static void add_cost(struct buf *page, const struct applet *applet)
{
	if (!applet->overhead)
		return;
	buf_adds(page, ".SH DEBUGGING\n");
	add_text(page, man_debugging_elsewhere);
	buf_adds(page, "\n.SH OVERHEAD\n");
	add_text(page, applet->overhead);
	buf_adds(page, "\n.PP\n");
	add_text(page, man_overhead_of_run);
	buf_addc(page, '\n');
}

void man_page(const struct applet *applet, struct buf *ret_text)
{
	_cleanup_(option_list_done) struct option_list list;
	_cleanup_(buf_done) struct buf title = {};

	option_list_init(&list, applet->options);
	buf_addf(&title, "stacktool-%s", applet->name);
	add_head(ret_text, buf_text(&title), COMMANDS, applet->summary);
	add_synopsis(ret_text, applet, &list);
	buf_adds(ret_text, ".SH OPTIONS\n");
	add_options(ret_text, applet, &list, true);
	add_options(ret_text, applet, &list, false);
	add_examples(ret_text, applet);
	add_cost(ret_text, applet);
	add_statuses(ret_text);
	buf_adds(ret_text, ".SH SEE ALSO\n\\fBstacktool\\fR(8), \\fBstacktool\\-probes\\fR(7)\n");
}

static void add_words(struct buf *page, const char *section, const struct man_paragraph *paragraphs)
{
	const struct man_paragraph *first = paragraphs;

	buf_addf(page, ".SH %s\n", section);
	for (; paragraphs->text; paragraphs++) {
		if (paragraphs->title) {
			buf_adds(page, ".TP\n\\fB");
			add_text(page, paragraphs->title);
			buf_adds(page, "\\fR\n");
		} else if (paragraphs != first) {
			buf_adds(page, ".PP\n");
		}
		add_text(page, paragraphs->text);
		buf_addc(page, '\n');
	}
}

void man_probes(struct buf *ret_text)
{
	add_head(ret_text, "stacktool-probes", MISCELLANEOUS, "patterns that select events");
	add_words(ret_text, "PATTERNS", man_patterns);
	add_words(ret_text, "WILDCARDS AND REGULAR EXPRESSIONS", man_wildcards);
	add_words(ret_text, "COLONS", man_colons);
	buf_adds(ret_text, ".SH SEE ALSO\n\\fBstacktool\\fR(8), \\fBstacktool\\-list\\fR(8)\n");
}

void man_overview(const struct applet *const *applets, struct buf *ret_text)
{
	add_head(ret_text, "stacktool", COMMANDS, "count, time and sample stack traces");
	buf_adds(ret_text, ".SH SYNOPSIS\n\\fBstacktool\\fR \\fIapplet\\fR [argument...]\n");
	add_words(ret_text, "DESCRIPTION", man_description);
	add_words(ret_text, "OPTIONS", man_commands);
	buf_adds(ret_text, ".SH APPLETS\n");
	for (; *applets; applets++) {
		buf_adds(ret_text, ".TP\n\\fB");
		add_text(ret_text, "stacktool-");
		add_text(ret_text, (*applets)->name);
		buf_adds(ret_text, "\\fR(8)\n");
		add_text(ret_text, (*applets)->summary);
		buf_addc(ret_text, '\n');
	}
	add_statuses(ret_text);
	add_words(ret_text, "DEBUGGING", man_debugging);
	add_words(ret_text, "OVERHEAD", man_overhead);
	add_words(ret_text, "ENVIRONMENT", man_environment);
	buf_adds(ret_text, ".SH SEE ALSO\n\\fBstacktool\\-probes\\fR(7)\n");
}
