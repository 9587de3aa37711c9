/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/base/match.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "core/base/err.h"

enum {
	STEPS_MAX = 100000, /* backtracking steps per name: a millisecond */
	HEAP_MAX_KB = 1024,
	PATTERN_MAX_BYTES = 4096,
	OPTIONS = PCRE2_DOLLAR_ENDONLY | PCRE2_NEVER_UTF | PCRE2_NEVER_BACKSLASH_C,
};

struct match {
	pcre2_code *code;
	pcre2_match_data *data;
	pcre2_match_context *limits;
};

static int explain(int error, size_t position, const char *pattern, char *ret_error, size_t room)
{
	char reason[160] = "";

	pcre2_get_error_message(error, (PCRE2_UCHAR8 *)reason, sizeof(reason));
	snprintf(ret_error, room, "%s at character %zu of '%s'", reason, position + 1, pattern);
	return -EINVAL;
}

static int compile(const char *pattern, pcre2_code **ret_code, char *ret_error, size_t room)
{
	size_t length = strlen(pattern), position = 0;
	int error = 0;

	if (length > PATTERN_MAX_BYTES) {
		snprintf(ret_error, room, "the pattern has more than %d characters", PATTERN_MAX_BYTES);
		return -EINVAL;
	}
	*ret_code = pcre2_compile((PCRE2_SPTR8)pattern, length, OPTIONS, &error, &position, NULL);
	return *ret_code ? 0 : explain(error, position, pattern, ret_error, room);
}

int match_new(const char *pattern, struct match **ret_match, char *ret_error, size_t error_room)
{
	struct match *match = calloc(1, sizeof(*match));
	int err = match ? compile(pattern, &match->code, ret_error, error_room) : -ENOMEM;

	if (err) {
		match_free(match);
		return err;
	}
	match->data = pcre2_match_data_create_from_pattern(match->code, NULL);
	match->limits = pcre2_match_context_create(NULL);
	if (!match->data || !match->limits) {
		match_free(match);
		return -ENOMEM;
	}
	pcre2_set_match_limit(match->limits, STEPS_MAX);
	pcre2_set_depth_limit(match->limits, STEPS_MAX);
	pcre2_set_heap_limit(match->limits, HEAP_MAX_KB);
	*ret_match = match;
	return 0;
}

int match_option(const char *option, const char *pattern, struct match **ret_match)
{
	char error[256];
	int err = pattern ? match_new(pattern, ret_match, error, sizeof(error)) : 0;

	if (err == -EINVAL)
		return fail_usage("argument %s: '%s': %s", option, pattern, error);
	return err ? fail(err, "argument %s: '%s': %s", option, pattern, strerror(-err)) : 0;
}

void match_free(struct match *match)
{
	if (!match)
		return;
	pcre2_match_context_free(match->limits);
	pcre2_match_data_free(match->data);
	pcre2_code_free(match->code);
	free(match);
}

bool match_test(const struct match *match, const char *text, size_t nr_bytes)
{
	return pcre2_match(match->code, (PCRE2_SPTR8)text, nr_bytes, 0, 0, match->data, match->limits) >= 0;
}

bool match_is_wildcard(const char *pattern)
{
	return strchr(pattern, '*');
}

char *match_wildcard(const char *pattern)
{
	static const char special[] = "\\^$.[]|()?+{}#-&~/ \t";
	char *expression = malloc(2 * strlen(pattern) + 4), *to = expression;

	if (!expression)
		return NULL;
	*to++ = '^';
	for (; *pattern; pattern++) {
		if (*pattern == '*')
			*to++ = '.';
		else if (strchr(special, *pattern))
			*to++ = '\\';
		*to++ = *pattern;
	}
	*to++ = '$';
	*to = '\0';
	return expression;
}
