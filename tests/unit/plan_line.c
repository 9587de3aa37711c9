/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/unit/plan_line.h"

#include "applets/common.h"
#include "core/base/alloc.h"
#include "tests/harness.h"

#define MAX_WORDS 32

int plan_line(const struct applet *applet, const char *line, struct plan *plan)
{
	static char words[1024]; /* strings of the plan point into it */
	_cleanup_(freep) struct run_options *options = xcalloc(1, applet->options_size);
	char *argv[MAX_WORDS] = { (char *)applet->name };
	int argc = 1, err;

	err_clear();
	assert_true(strlen(line) < sizeof(words));
	memcpy(words, line, strlen(line) + 1);
	for (char *at = words; *at; at += strspn(at, " ")) {
		assert_true(argc < MAX_WORDS - 1);
		argv[argc++] = at;
		at += strcspn(at, " ");
		if (*at)
			*at++ = '\0';
	}
	plan_done(plan);
	memcpy(options, applet->defaults, applet->options_size);
	options->as_link = true; /* as bcc's tools are called */
	err = options_parse(applet->bcc_options ?: applet->options, argc, argv, options) ?: applet->plan(options);
	vec_done(&options->patterns);
	*plan = options->plan;
	return err;
}

void must_plan(const struct applet *applet, const char *line, struct plan *plan)
{
	if (plan_line(applet, line, plan))
		fail_msg("'%s %s' is refused: %s", applet->name, line, err_cause());
}

/* Copies the next of the lines, "" for an empty one; what follows it, NULL for nothing. */
static const char *take_line(const char *lines, char *to, size_t size)
{
	const char *end = strstr(lines, "; ");
	size_t nr = end ? (size_t)(end - lines) : strlen(lines);

	assert_true(nr < size);
	memcpy(to, lines, nr);
	to[nr] = '\0';
	return end ? end + 2 : NULL;
}

void must_plan_each(const struct applet *applet, const struct probe_kind *kind, const char *lines)
{
	_cleanup_(plan_done) struct plan plan = {};
	char line[256];

	while (lines) {
		lines = take_line(lines, line, sizeof(line));
		must_plan(applet, line, &plan);
		if (plan.probe.kind != kind)
			fail_msg("'%s %s' is a %s", applet->name, line, plan.probe.kind->name);
		assert_string_equal(plan.applet, applet->name);
	}
}

void must_refuse_each(const struct applet *applet, const char *lines)
{
	_cleanup_(plan_done) struct plan plan = {};
	char line[256];

	while (lines) {
		lines = take_line(lines, line, sizeof(line));
		if (!plan_line(applet, line, &plan))
			fail_msg("'%s %s' is taken", applet->name, line);
		assert_int_equal(err_kind(), ERR_USAGE);
	}
}

void expect_header(const struct applet *applet, const char *line, const char *header)
{
	_cleanup_(plan_done) struct plan plan = {};
	_cleanup_(buf_done) struct buf text = {};

	must_plan(applet, line, &plan);
	applet->header(&plan, 1, &text);
	assert_string_equal(buf_text(&text), header);
}
