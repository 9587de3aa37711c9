/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Matches patterns of the user with names that others chose: PCRE2 with limits, so that no match takes long.
 *
 * Patterns are matched as bytes, anywhere in the name unless they have anchors. A match that reaches a limit counts as none.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct match; /* a compiled pattern */

/* Compiles a PCRE2 expression. 0, -ENOMEM, or -EINVAL with a text for the user in ret_error: the reason and the position in the pattern. */
int match_new(const char *pattern, struct match **ret_match, char *ret_error, size_t error_room);
/* The same of the value of an option, which may be NULL: then *ret_match stays. 0 or a recorded failure that names the option. */
int match_option(const char *option, const char *pattern, struct match **ret_match);
void match_free(struct match *match);

/* For _cleanup_(). */
static inline void match_freep(struct match **match)
{
	match_free(*match);
}

/* Whether the pattern matches somewhere in the text. */
bool match_test(const struct match *match, const char *text, size_t nr_bytes);

/*
 * Returns the expression for a wildcard pattern: `*` matches any characters, everything else matches itself, and the whole name must
 * match: "tcp_*" becomes "^tcp_.*$". (bcc's tools give other special characters to their regular expressions, but in names such as
 * "foo.cold" users mean a dot.) malloc()ed; NULL without memory.
 */
char *match_wildcard(const char *pattern);

/* Whether a wildcard pattern can match more than one name: it has a `*`. */
bool match_is_wildcard(const char *pattern);
