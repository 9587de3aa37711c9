/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/base/suggest.h"
#include "tests/harness.h"

TEST(the_distance_counts_edits)
{
	static const struct {
		const char *a, *b;
		unsigned int distance;
	} pairs[] = {
		{ "", "", 0 },
		{ "", "abc", 3 },
		{ "malloc", "malloc", 0 },
		{ "malloc", "mallocs", 1 },
		{ "malloc", "maloc", 1 },
		{ "malloc", "mallac", 1 },
		{ "malloc", "mlaloc", 1 },
		{ "kitten", "sitting", 3 },
		{ "ab", "ba", 1 },
		{ "abc", "cab", 2 },
		{ "Malloc", "malloc", 1 },
	};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
		assert_int_equal(str_distance(pairs[i].a, pairs[i].b), pairs[i].distance);
		assert_int_equal(str_distance(pairs[i].b, pairs[i].a), pairs[i].distance);
	}
}

TEST(very_long_words_are_too_far_unless_equal)
{
	char a[200], b[200];

	memset(a, 'a', sizeof(a) - 1);
	a[sizeof(a) - 1] = '\0';
	memcpy(b, a, sizeof(b));
	assert_int_equal(str_distance(a, b), 0);
	b[0] = 'b';
	assert_int_equal(str_distance(a, b), STR_TOO_FAR);
	a[STR_DISTANCE_MAX_LENGTH] = b[STR_DISTANCE_MAX_LENGTH] = '\0';
	assert_int_equal(str_distance(a, b), 1);
}

TEST(the_nearest_candidate_is_found)
{
	static const char *const applets[] = { "count", "profile", "snoop", "offcputime", "report" };

	assert_string_equal(str_nearest("profiel", applets, 5), "profile");
	assert_string_equal(str_nearest("offcputme", applets, 5), "offcputime");
	assert_string_equal(str_nearest("cuont", applets, 5), "count");
	assert_string_equal(str_nearest("report", applets, 5), "report");
}

TEST(parts_of_a_name_lead_to_the_shortest_name_that_has_them)
{
	static const char *const events[] = { "sched:sched_process_fork_late", "sched:sched_process_fork",
					      "sched:sched_switch" };

	assert_string_equal(str_with_words("sched:sched_fork", events, 3), "sched:sched_process_fork");
	assert_null(str_with_words("sched:sched_exec", events, 3));
	assert_null(str_with_words("sched", events, 3)); /* one word says too little */
	assert_null(str_with_words("", events, 3));
}

TEST(nothing_is_suggested_when_nothing_is_near)
{
	static const char *const applets[] = { "count", "profile" };

	assert_null(str_nearest("wakeuptime", applets, 2));
	assert_null(str_nearest("xy", applets, 2));
	assert_null(str_nearest("*", (const char *[]){ "c" }, 1));
	assert_null(str_nearest("anything", applets, 0));
}

TEST(of_equally_near_ones_the_first_is_suggested)
{
	static const char *const words[] = { "abcdex", "abcdey" };

	assert_string_equal(str_nearest("abcdez", words, 2), "abcdex");
}
