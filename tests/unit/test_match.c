/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/base/match.h"

#include <time.h>

#include "tests/harness.h"

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

TEST(expressions_are_unanchored_pcre)
{
	assert_true(matches("alloc", "malloc_usable"));
	assert_true(matches("^(m|c)alloc$", "calloc"));
	assert_false(matches("^alloc", "malloc"));
	assert_true(matches("^tcp_(?!v6)", "tcp_v4_rcv"));
	assert_false(matches("^tcp_(?!v6)", "tcp_v6_rcv"));
	assert_true(matches("", ""));
}

TEST(the_end_is_the_end)
{
	assert_false(matches("^a$", "a\n"));
}

TEST(errors_say_what_and_where)
{
	struct match *match;
	char error[128];

	assert_int_equal(match_new("tcp_(foo", &match, error, sizeof(error)), -EINVAL);
	assert_string_equal(error, "missing closing parenthesis at character 9 of 'tcp_(foo'");
	assert_int_equal(match_new("*", &match, error, sizeof(error)), -EINVAL);
	assert_int_equal(match_new("a\\C", &match, error, sizeof(error)), -EINVAL);
	assert_int_equal(match_new("(*UTF)a", &match, error, sizeof(error)), -EINVAL);
}

TEST(a_pattern_of_megabytes_is_refused)
{
	char *pattern = malloc(1 << 20), error[128];
	struct match *match;

	memset(pattern, 'a', (1 << 20) - 1);
	pattern[(1 << 20) - 1] = '\0';
	assert_int_equal(match_new(pattern, &match, error, sizeof(error)), -EINVAL);
	free(pattern);
}

TEST(backtracking_is_bounded)
{
	clock_t start = clock();
	char subject[4096];

	memset(subject, 'a', sizeof(subject) - 1);
	subject[sizeof(subject) - 1] = '\0';
	assert_false(matches("^(a+)+$b", subject));
	assert_false(matches("(a*)*(a*)*(a*)*(a*)*b", subject));
	assert_true(clock() - start < CLOCKS_PER_SEC);
}

TEST(a_star_is_any_run_and_the_rest_is_itself)
{
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

TEST(every_printable_character_is_literal)
{
	char text[] = "x?x";

	for (char c = ' '; c < 127; c++) {
		text[1] = c;
		assert_true(wildcard_matches(text, text));
		if (c != '*')
			assert_false(wildcard_matches(text, "x\x01x"));
	}
}

TEST(only_a_star_makes_a_wildcard)
{
	assert_true(match_is_wildcard("a*"));
	assert_false(match_is_wildcard("a.c"));
}
