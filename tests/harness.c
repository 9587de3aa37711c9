/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/harness.h"

static struct {
	struct CMUnitTest tests[128];
	int lines[128];
	size_t nr;
	CMFixtureFunction set_up, tear_down;
	bool tear_down_failed;
} group;

/* The compiler is free to run the constructors of a file in any order: the lines decide. */
void add_test(int line, const char *name, CMUnitTestFunction test, CMFixtureFunction set_up,
	      CMFixtureFunction tear_down)
{
	size_t i = group.nr++;

	if (i == ARRAY_SIZE(group.tests))
		abort();
	for (; i > 0 && group.lines[i - 1] > line; i--) {
		group.tests[i] = group.tests[i - 1];
		group.lines[i] = group.lines[i - 1];
	}
	group.tests[i] = (struct CMUnitTest){ name, test, set_up, tear_down, NULL };
	group.lines[i] = line;
}

void set_group(CMFixtureFunction set_up, CMFixtureFunction tear_down)
{
	group.set_up = set_up;
	group.tear_down = tear_down;
}

/* cmocka prints that a group's tear_down() failed, and returns 0 all the same. */
static int tear_down_group(void **state)
{
	group.tear_down_failed = group.tear_down && group.tear_down(state);
	return group.tear_down_failed;
}

int run_all_tests(void)
{
	int failed = _cmocka_run_group_tests(program_invocation_short_name, group.tests, group.nr, group.set_up,
					     tear_down_group);

	return failed || group.tear_down_failed;
}
