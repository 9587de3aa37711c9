/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/unit/plan_line.h"

#include "core/base/alloc.h"
#include "tests/harness.h"

#define MAX_WORDS 32

int plan_line(const struct applet *applet, const char *line, struct plan *plan)
{
	_cleanup_(freep) char *words = xstrdup(line);
	_cleanup_(freep) void *options = xcalloc(1, applet->options_size);
	char *argv[MAX_WORDS] = { (char *)applet->name };
	int argc = 1, err;

	err_clear();
	for (char *at = words; *at; at += strspn(at, " ")) {
		assert_true(argc < MAX_WORDS - 1);
		argv[argc++] = at;
		at += strcspn(at, " ");
		if (*at)
			*at++ = '\0';
	}
	memcpy(options, applet->defaults, applet->options_size);
	plan_init(plan);
	err = options_parse(applet->options, argc, argv, options);
	if (!err)
		err = applet->plan(options, plan);
	options_done(applet->options, options);
	return err;
}

void must_plan(const struct applet *applet, const char *line, struct plan *plan)
{
	if (plan_line(applet, line, plan))
		fail_msg("'%s %s' is refused: %s", applet->name, line, err_cause());
}

void must_refuse(const struct applet *applet, const char *line, enum err_kind kind)
{
	_cleanup_(plan_done) struct plan plan;

	if (!plan_line(applet, line, &plan))
		fail_msg("'%s %s' is taken", applet->name, line);
	assert_int_equal(err_kind(), kind);
}

void expect_header(const struct applet *applet, const char *line, const char *header)
{
	_cleanup_(plan_done) struct plan plan;
	_cleanup_(buf_done) struct buf text = {};

	must_plan(applet, line, &plan);
	applet->header(&plan, 1, &text);
	assert_string_equal(buf_text(&text), header);
}
