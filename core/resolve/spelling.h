/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the forms of probes have in common: parts separated by ':'. docs/use/probes.md is the description for users.
 *
 * The grammar is bcc's: at most three parts, the first of three being the type. bcc splits at every colon, so C++ names and
 * paths with colons cannot be written there. Here some colons separate nothing:
 *
 *   - two in a row, as in std::sort; of three or more the first one separates, so that c:::std::sort is ::std::sort
 *   - with -r, those inside brackets, as in (?:a|b) and [[:alpha:]]
 *   - in a target with a slash, all but the last: /opt/a:b/prog:main
 *
 * "p::", "t::" and "u::" at the start are the exception to the first rule: an empty target.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct probe_kind;

/* A piece of the text; `at` is NULL when there is no such piece. */
struct piece {
	const char *at;
	size_t length;
};

/* A pattern that is taken apart: what is given, and the parts that struct probe_kind.split finds. */
struct spelling {
	const char *text; /* all of it, for messages */
	const char *rest; /* after the letter of the kind */
	bool has_letter;
	bool regex;
	const struct probe_kind *kind;
	struct piece target, provider, pattern;
};

struct piece piece_of(const char *text);
/* From `from` up to `to`. */
struct piece piece_cut(const char *from, const char *to);
/* Whether this target is a path. */
bool piece_is_path(struct piece target);
/* malloc()ed; NULL for an empty one. */
char *piece_dup(struct piece piece);

/* The next separating colon at or after `at`, the one after that separator, and the last one; or NULL. */
const char *spelling_separator(const struct spelling *spelling, const char *at);
const char *spelling_next_separator(const struct spelling *spelling, const char *separator);
const char *spelling_last_separator(const struct spelling *spelling, const char *at);

/* "p::PATTERN": the target is empty. Then what is left is the pattern. */
bool spelling_skips_target(struct spelling *spelling);

/* Usage errors. */
int spelling_fail_too_many(const struct spelling *spelling);
int spelling_fail_form(const struct spelling *spelling, const char *what, const char *form);
