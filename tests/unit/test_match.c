/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/base/match.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

static bool matches(const char *pattern, const char *text)
{
	struct match *match;
	char error[128];
	bool result;

	assert_int_equal(match_new(pattern, &match, error, sizeof(error)), 0);
	result = match_test(match, text, strlen(text));
	match_free(match);
	return result;
}

static bool wildcard_matches(const char *pattern, const char *text)
{
	char *expression = match_wildcard(pattern);
	bool result = matches(expression, text);

	free(expression);
	return result;
}

static void expressions_are_unanchored_pcre(void **state)
{
	(void)state;
	assert_true(matches("alloc", "malloc_usable"));
	assert_true(matches("^(m|c)alloc$", "calloc"));
	assert_false(matches("^alloc", "malloc"));
	assert_true(matches("^tcp_(?!v6)", "tcp_v4_rcv"));
	assert_false(matches("^tcp_(?!v6)", "tcp_v6_rcv"));
	assert_true(matches("", ""));
}

static void the_end_is_the_end(void **state)
{
	(void)state;
	assert_false(matches("^a$", "a\n"));
}

static void errors_say_what_and_where(void **state)
{
	struct match *match;
	char error[128];

	(void)state;
	assert_int_equal(match_new("tcp_(foo", &match, error, sizeof(error)), -EINVAL);
	assert_string_equal(error, "missing closing parenthesis at character 9 of 'tcp_(foo'");
	assert_int_equal(match_new("*", &match, error, sizeof(error)), -EINVAL);
	assert_int_equal(match_new("a\\C", &match, error, sizeof(error)), -EINVAL);
	assert_int_equal(match_new("(*UTF)a", &match, error, sizeof(error)), -EINVAL);
}

static void a_pattern_of_megabytes_is_refused(void **state)
{
	char *pattern = malloc(1 << 20), error[128];
	struct match *match;

	(void)state;
	memset(pattern, 'a', (1 << 20) - 1);
	pattern[(1 << 20) - 1] = '\0';
	assert_int_equal(match_new(pattern, &match, error, sizeof(error)), -EINVAL);
	free(pattern);
}

static void backtracking_is_bounded(void **state)
{
	clock_t start = clock();
	char subject[4096];

	(void)state;
	memset(subject, 'a', sizeof(subject) - 1);
	subject[sizeof(subject) - 1] = '\0';
	assert_false(matches("^(a+)+$b", subject));
	assert_false(matches("(a*)*(a*)*(a*)*(a*)*b", subject));
	assert_true(clock() - start < CLOCKS_PER_SEC);
}

static void a_star_is_any_run_and_the_rest_is_itself(void **state)
{
	(void)state;
	assert_true(wildcard_matches("tcp_*", "tcp_sendmsg"));
	assert_true(wildcard_matches("tcp_*", "tcp_"));
	assert_false(wildcard_matches("tcp_*", "xtcp_sendmsg"));
	assert_true(wildcard_matches("*_send*", "tcp_sendmsg"));
	assert_false(wildcard_matches("tcp", "tcp_sendmsg"));
	assert_true(wildcard_matches("foo.cold", "foo.cold"));
	assert_false(wildcard_matches("foo.cold", "foo_cold"));
	assert_true(wildcard_matches("operator[]", "operator[]"));
	assert_true(wildcard_matches("f(int, char*)", "f(int, char*)"));
	assert_true(wildcard_matches("a|b", "a|b"));
	assert_false(wildcard_matches("a|b", "a"));
	assert_true(wildcard_matches("^a$", "^a$"));
	assert_true(wildcard_matches("a\\b", "a\\b"));
	assert_true(wildcard_matches("a b#c-d~e{1}", "a b#c-d~e{1}"));
}

static void every_printable_character_is_literal(void **state)
{
	char text[] = "x?x";

	(void)state;
	for (char c = ' '; c < 127; c++) {
		text[1] = c;
		assert_true(wildcard_matches(text, text));
		if (c != '*')
			assert_false(wildcard_matches(text, "x\x01x"));
	}
}

static void only_a_star_makes_a_wildcard(void **state)
{
	(void)state;
	assert_true(match_is_wildcard("a*"));
	assert_false(match_is_wildcard("a.c"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(expressions_are_unanchored_pcre),
		cmocka_unit_test(the_end_is_the_end),
		cmocka_unit_test(errors_say_what_and_where),
		cmocka_unit_test(a_pattern_of_megabytes_is_refused),
		cmocka_unit_test(backtracking_is_bounded),
		cmocka_unit_test(a_star_is_any_run_and_the_rest_is_itself),
		cmocka_unit_test(every_printable_character_is_literal),
		cmocka_unit_test(only_a_star_makes_a_wildcard),
	};

	return cmocka_run_group_tests_name("match", tests, NULL, NULL);
}
