/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For all kinds of probes: splits a pattern at ':' (docs/use/probes.md).
 *
 * The grammar is bcc's: at most three parts, and the first of three is the type. bcc splits at every colon, so it accepts no C++ names and
 * no paths with colons. Here, some colons do not separate:
 *
 *  - two in a row, as in std::sort; of three or more, only the first separates: c:::std::sort is ::std::sort in c
 *  - with -r, those inside brackets, as in (?:a|b) and [[:alpha:]]
 *  - in a target with a slash, all but the last: /opt/a:b/prog:main
 *
 * Exception to the first rule: "p::", "t::" and "u::" at the start mean an empty target.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct probe_kind;

/* `at` NULL: there is no such part. */
struct piece {
	const char *at;
	size_t length;
};

/* A pattern while it is parsed. probe_kind.split() sets `kind` and the pieces. */
struct spelling {
	const char *text; /* the whole pattern */
	const char *rest; /* after "t:" or another letter */
	bool has_letter;
	bool regex;
	const struct probe_kind *kind;
	struct piece target, provider, pattern;
};

struct piece piece_of(const char *text);
struct piece piece_cut(const char *from, const char *to);
/* Whether the target contains a slash. */
bool piece_is_path(struct piece target);
/* malloc()ed; NULL if the piece is empty. */
char *piece_dup(struct piece piece);

/* The first separating colon from `at` on, the next one after `separator`, and the last one from `at` on; or NULL. */
const char *spelling_separator(const struct spelling *spelling, const char *at);
const char *spelling_next_separator(const struct spelling *spelling, const char *separator);
const char *spelling_last_separator(const struct spelling *spelling, const char *at);

/* Whether the target is empty, as in "p::PATTERN". If so, sets the pattern. */
bool spelling_skips_target(struct spelling *spelling);

/* Record a usage error and return it. */
int spelling_fail_too_many(const struct spelling *spelling);
int spelling_fail_form(const struct spelling *spelling, const char *what, const char *form);
