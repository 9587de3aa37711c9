/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/base/suggest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static void the_distance_counts_edits(void **state)
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

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
		assert_int_equal(str_distance(pairs[i].a, pairs[i].b), pairs[i].distance);
		assert_int_equal(str_distance(pairs[i].b, pairs[i].a), pairs[i].distance);
	}
}

static void very_long_words_are_too_far_unless_equal(void **state)
{
	char a[200], b[200];

	(void)state;
	memset(a, 'a', sizeof(a) - 1);
	a[sizeof(a) - 1] = '\0';
	memcpy(b, a, sizeof(b));
	assert_int_equal(str_distance(a, b), 0);
	b[0] = 'b';
	assert_int_equal(str_distance(a, b), STR_TOO_FAR);
	a[STR_DISTANCE_MAX_LENGTH] = b[STR_DISTANCE_MAX_LENGTH] = '\0';
	assert_int_equal(str_distance(a, b), 1);
}

static void the_nearest_candidate_is_found(void **state)
{
	static const char *const applets[] = { "count", "profile", "snoop", "offcputime", "report" };

	(void)state;
	assert_string_equal(str_nearest("profiel", applets, 5), "profile");
	assert_string_equal(str_nearest("offcputme", applets, 5), "offcputime");
	assert_string_equal(str_nearest("cuont", applets, 5), "count");
	assert_string_equal(str_nearest("report", applets, 5), "report");
}

static void nothing_is_suggested_when_nothing_is_near(void **state)
{
	static const char *const applets[] = { "count", "profile" };

	(void)state;
	assert_null(str_nearest("wakeuptime", applets, 2));
	assert_null(str_nearest("xy", applets, 2));
	assert_null(str_nearest("anything", applets, 0));
}

static void of_equally_near_ones_the_first_is_suggested(void **state)
{
	static const char *const words[] = { "abcdex", "abcdey" };

	(void)state;
	assert_string_equal(str_nearest("abcdez", words, 2), "abcdex");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_distance_counts_edits),
		cmocka_unit_test(very_long_words_are_too_far_unless_equal),
		cmocka_unit_test(the_nearest_candidate_is_found),
		cmocka_unit_test(nothing_is_suggested_when_nothing_is_near),
		cmocka_unit_test(of_equally_near_ones_the_first_is_suggested),
	};

	return cmocka_run_group_tests_name("suggest", tests, NULL, NULL);
}
