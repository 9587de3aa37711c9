// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernels that may freeze when a program reads user memory: 5.19 to 6.1.35, 6.2, 6.3.0 to 6.3.9.
 */

#include "core/host/host.h"
#include "tests/harness.h"

#define OTHERS "#1 SMP PREEMPT_DYNAMIC Mon Jan  1 00:00:00 UTC 2024"

static void freeze(const char *const *releases, bool expected)
{
	for (; *releases; releases++)
		if (release_freezes_on_user_reads(*releases, OTHERS) != expected)
			fail_msg("%s", *releases);
}

TEST(kernels_with_the_bug_are_known)
{
	static const char *const bad[] = {
		"5.19.0", "5.19.17-051917-generic", "6.0.0-rc1",    "6.0.19", "6.1", "6.1.0", "6.1.35", "6.2.0",
		"6.2.16", "6.3.0-1-default",        "6.3.9-custom", NULL
	};
	static const char *const good[] = { "4.19.0",  "5.10.0-32-amd64", "5.15.190", "5.18.19", "6.1.36",
					    "6.1.100", "6.3.10",          "6.3.13",   "6.4.0",   "6.12.107",
					    "6.18.44", "7.2.13+deb14",    "?",        NULL };

	freeze(bad, true);
	freeze(good, false);
}

TEST(debian_tells_the_patch_level_elsewhere)
{
	assert_true(
		release_freezes_on_user_reads("6.1.0-9-amd64", "#1 SMP PREEMPT_DYNAMIC Debian 6.1.27-1 (2023-05-08)"));
	assert_false(release_freezes_on_user_reads("6.1.0-50-amd64",
						   "#1 SMP PREEMPT_DYNAMIC Debian 6.1.170-1 (2026-03-01)"));
}
