/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Matches the user's patterns with names that others chose: PCRE2 with limits, so that no match takes long.
 *
 * Patterns are matched as bytes, anywhere in the name unless they have anchors. A match that reaches a limit counts as none.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct match;

/* Compiles a PCRE2 expression. Returns 0, -ENOMEM, or -EINVAL with the reason and the position in the pattern in ret_error. */
int match_new(const char *pattern, struct match **ret_match, char *ret_error, size_t error_room);
/* Compiles the value of an option; NULL leaves *ret_match as it is. Returns 0, or a recorded failure that names the option. */
int match_option(const char *option, const char *pattern, struct match **ret_match);
void match_free(struct match *match);

static inline void match_freep(struct match **match)
{
	match_free(*match);
}

bool match_test(const struct match *match, const char *text, size_t nr_bytes);

/*
 * Converts a wildcard pattern to an expression: `*` matches any characters, all else matches itself, and the whole name must match. "tcp_*"
 * becomes "^tcp_.*$". (bcc passes other special characters to its regular expressions, but in "foo.cold" users mean a dot.) malloc()ed;
 * NULL without memory.
 */
char *match_wildcard(const char *pattern);

/* Whether a wildcard pattern can match more than one name. */
bool match_is_wildcard(const char *pattern);
