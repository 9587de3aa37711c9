/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Patterns of users against names of strangers: PCRE2 with limits, so that neither side can make a match explode.
 *
 * Patterns are matched as bytes, unanchored unless they say so. A match that reaches a limit is no match.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct match; /* a compiled pattern */

/*
 * Compiles a PCRE2 expression. 0, or -EINVAL with a text for the user in ret_error: what is wrong, and the position in
 * the pattern; -ENOMEM.
 */
int match_new(const char *pattern, struct match **ret_match, char *ret_error, size_t error_room);
void match_free(struct match *match);

/* For _cleanup_(). */
static inline void match_freep(struct match **match)
{
	match_free(*match);
}

/* Whether the pattern matches somewhere in the text. */
bool match_test(const struct match *match, const char *text, size_t nr_bytes);

/*
 * The expression for a pattern as bcc's tools take it: `*` stands for any run of characters, everything else for
 * itself, and the whole name must match: "tcp_*" becomes "^tcp_.*$". (bcc passes other special characters through to
 * its regular expressions; names have none that anybody wants there: a dot in "foo.cold" is meant as a dot.)
 * malloc()ed; NULL without memory.
 */
char *match_wildcard(const char *pattern);

/* Whether a wildcard pattern has a `*`, and so may mean more than one name. */
bool match_is_wildcard(const char *pattern);
