/* SPDX-License-Identifier: GPL-2.0-or-later */
/* applets/dispatch.c and the help that follows from the tables. */

#include "applets/dispatch.h"
#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/cli/help.h"
#include "core/cli/man.h"
#include "core/cli/option_groups.h"
#include "tests/harness.h"

static void expect_applet(const char *name, const char *applet, bool as_bcc)
{
	bool is_bcc = !as_bcc;
	const struct applet *found = applet_find(name, &is_bcc);

	if (!found)
		fail_msg("'%s' finds no applet", name);
	assert_string_equal(found->name, applet);
	assert_int_equal(is_bcc, as_bcc);
}

TEST(every_name_of_the_field_finds_its_applet)
{
	static const char *const forms[] = {
		"%s", "%s.py", "%s-bpfcc", "bpf-%s", "/sbin/%s-bpfcc", "/usr/share/bcc/tools/%s", "./tools/%s.py",
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		_cleanup_(buf_done) struct buf profile = {};
		_cleanup_(buf_done) struct buf stackcount = {};
		_cleanup_(buf_done) struct buf count = {};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		buf_addf(&profile, forms[i], "profile");
		buf_addf(&stackcount, forms[i], "stackcount");
		buf_addf(&count, forms[i], "count");
#pragma GCC diagnostic pop
		expect_applet(buf_text(&profile), "profile", true);
		expect_applet(buf_text(&stackcount), "count", true);
		expect_applet(buf_text(&count), "count", false);
	}
}

TEST(other_names_find_nothing)
{
	static const char *const names[] = { "",     "stacktool", ".py",           "-bpfcc",
					     "bpf-", "profil",    "profile.py.py", "profile/" };
	bool as_bcc;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_null(applet_find(names[i], &as_bcc));
}

TEST(a_mistyped_applet_is_guessed)
{
	err_clear();
	assert_true(fail_no_applet("porfile") < 0);
	assert_string_equal(err_cause(), "'porfile': no such applet: did you mean 'profile'?");
	assert_non_null(strstr(err_hint(), "there are profile, count, "));
	err_clear();
	assert_true(fail_no_applet("stackcuont") < 0);
	assert_non_null(strstr(err_cause(), "'stackcount'"));
}

static size_t occurrences(const char *text, const char *word)
{
	size_t nr = 0;

	for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
		nr++;
	return nr;
}

/* Whether the line is the one of this option: "  -p, --pid=PID" or "      --both"; texts name other options too. */
static bool is_line_of(const char *line, const char *name)
{
	size_t length = strlen(name);

	if (strncmp(line, "  -", 3) == 0 && line[4] == ',')
		line += strlen("  -p, ");
	if (line[0] == '-' && line[2] == ',') /* a second letter */
		line += strlen("-t, ");
	else if (strncmp(line, "      --", 8) == 0)
		line += strlen("      ");
	return !strncmp(line, "--", 2) && !strncmp(line + 2, name, length) && strchr(" =[\n", line[2 + length]);
}

#define SCREEN_LINES 50

static size_t in_help(const char *text, const struct option_spec *spec)
{
	size_t nr = 0;

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		nr += is_line_of(line, spec->name);
	}
	return nr;
}

static void add_help(const struct applet *applet, bool all, struct buf *text)
{
	_cleanup_(freep) char *command = xasprintf("stacktool %s", applet->name);

	help_text(applet, command, applet->options, all, text);
}

TEST(help_has_every_option_once)
{
	for (const struct applet *const *applet = applets; *applet; applet++) {
		_cleanup_(option_list_done) struct option_list list;
		_cleanup_(buf_done) struct buf text = {};
		char *examples;

		add_help(*applet, true, &text);
		examples = strstr(text.data, "\nExamples:");
		if (examples)
			*examples = '\0';
		option_list_init(&list, (*applet)->options);
		for (size_t i = 0; i < list.nr; i++) {
			const struct option_spec *spec = list.data[i].spec;
			size_t wanted = list.data[i].hidden ? 0 : 1;

			if (!spec->operand && in_help(buf_text(&text), spec) != wanted)
				fail_msg("%s: --%s is not %zu times in the help", (*applet)->name, spec->name, wanted);
		}
	}
}

TEST(short_help_fits_a_screen)
{
	for (const struct applet *const *applet = applets; *applet; applet++) {
		_cleanup_(option_list_done) struct option_list list;
		_cleanup_(buf_done) struct buf text = {};

		option_list_init(&list, (*applet)->options);
		add_help(*applet, false, &text);
		if (occurrences(buf_text(&text), "\n") > SCREEN_LINES)
			fail_msg("%s: %zu lines", (*applet)->name, occurrences(buf_text(&text), "\n"));
		if (option_list_is_long(&list))
			assert_non_null(strstr(buf_text(&text), "--help=all"));
		assert_non_null(strstr(buf_text(&text), "\nExamples:\n"));
	}
}

/* The last group of the table takes those that no group names. */
TEST(every_option_of_a_long_table_has_a_group)
{
	for (const struct applet *const *applet = applets; *applet; applet++) {
		_cleanup_(option_list_done) struct option_list list;

		option_list_init(&list, (*applet)->options);
		for (size_t i = 0; option_list_is_long(&list) && i < list.nr; i++) {
			const struct option_spec *spec = list.data[i].spec;

			if (!spec->operand && !list.data[i].hidden && !option_has_group(spec->name))
				fail_msg("core/cli/option_groups.c: --%s of %s is in no group", spec->name,
					 (*applet)->name);
		}
	}
}

TEST(help_keeps_within_80_columns)
{
	for (const struct applet *const *applet = applets; *applet; applet++) {
		_cleanup_(buf_done) struct buf text = {};

		add_help(*applet, true, &text);
		add_help(*applet, false, &text);
		for (const char *line = buf_text(&text); *line; line += strcspn(line, "\n") + 1)
			if (strcspn(line, "\n") > 80)
				fail_msg("%s: %.*s", (*applet)->name, (int)strcspn(line, "\n"), line);
	}
}

TEST(tables_have_no_letter_or_name_twice)
{
	for (const struct applet *const *applet = applets; *applet; applet++) {
		_cleanup_(option_list_done) struct option_list list;

		option_list_init(&list, (*applet)->options);
		for (size_t i = 0; i < list.nr; i++) {
			const struct option_spec *a = list.data[i].spec;

			assert_true(a->operand || a->kind == OPTION_KIND_FLAG || a->kind == OPTION_KIND_HELP ||
				    a->metavar);
			for (size_t k = i + 1; k < list.nr; k++) {
				const struct option_spec *b = list.data[k].spec;

				assert_true(!a->letter || (a->letter != b->letter && a->letter != b->also));
				assert_true(!a->also || (a->also != b->letter && a->also != b->also));
				if (a->operand == b->operand) /* a duration may be an option or an operand */
					assert_string_not_equal(a->name, b->name);
			}
		}
	}
}

TEST(help_of_profile_names_every_event)
{
	_cleanup_(buf_done) struct buf text = {};
	bool as_bcc;

	add_help(applet_find("profile", &as_bcc), true, &text);
	for (int i = 1; sample_event_name((enum sample_event)i); i++)
		assert_non_null(strstr(buf_text(&text), sample_event_name((enum sample_event)i)));
}

TEST(defaults_come_from_the_options)
{
	_cleanup_(buf_done) struct buf text = {};
	bool as_bcc;

	add_help(applet_find("offcputime", &as_bcc), true, &text);
	assert_non_null(strstr(buf_text(&text), "(default 1)"));
}

TEST(man_pages_have_their_sections)
{
	static const char *const sections[] = { ".TH stacktool-",    ".SH NAME\n",    ".SH SYNOPSIS\n",
						".SH DESCRIPTION\n", ".SH OPTIONS\n", ".SH EXIT STATUS\n" };

	for (const struct applet *const *applet = applets; *applet; applet++) {
		_cleanup_(buf_done) struct buf page = {};

		man_page(*applet, &page);
		for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
			assert_int_equal(occurrences(buf_text(&page), sections[i]), 1);
	}
}

TEST(man_text_cannot_become_a_macro)
{
	static const struct option_spec table[] = { OPTION_END };
	static const struct applet odd = {
		.name = "odd",
		.summary = "a-b",
		.description = ".so /etc/passwd\n\n'x \\(co",
		.options = table,
	};
	_cleanup_(buf_done) struct buf page = {};

	man_page(&odd, &page);
	assert_non_null(strstr(buf_text(&page), "\n\\&.so /etc/passwd\n.PP\n\\&\\(aqx \\e(co\n"));
	assert_non_null(strstr(buf_text(&page), "a\\-b"));
}
