/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/harness.h"

static struct {
	struct CMUnitTest tests[128];
	int lines[128];
	size_t nr;
	CMFixtureFunction set_up, tear_down;
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

int run_all_tests(void)
{
	return _cmocka_run_group_tests(program_invocation_short_name, group.tests, group.nr, group.set_up,
				       group.tear_down);
}
