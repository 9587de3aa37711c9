/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/resolve/spelling.h"

#include <string.h>

#include "core/base/alloc.h"
#include "core/base/err.h"

struct piece piece_of(const char *text)
{
	return (struct piece){ text, strlen(text) };
}

struct piece piece_cut(const char *from, const char *to)
{
	return (struct piece){ from, (size_t)(to - from) };
}

bool piece_is_path(struct piece target)
{
	return memchr(target.at, '/', target.length) != NULL;
}

char *piece_dup(struct piece piece)
{
	return piece.at && piece.length ? xstrndup(piece.at, piece.length) : NULL;
}

/* Skips a [class]. A ']' that comes first does not end it, nor does that of [:alpha:]. */
static const char *skip_class(const char *at)
{
	at += at[1] == '^' ? 2 : 1;
	if (*at == ']')
		at++;
	while (*at && *at != ']') {
		const char *named = at[0] == '[' && at[1] == ':' ? strstr(at + 2, ":]") : NULL;

		if (named)
			at = named + 2;
		else
			at += *at == '\\' && at[1] ? 2 : 1;
	}
	return *at ? at + 1 : at;
}

/* Skips one character, escape, class or group of a regular expression. */
static const char *skip_regex(const char *at)
{
	unsigned int depth = 0;

	do {
		if (*at == '[') {
			at = skip_class(at);
			continue;
		}
		if (*at == '\\' && at[1])
			at++;
		else if (*at == '(' || *at == '{')
			depth++;
		else if ((*at == ')' || *at == '}') && depth)
			depth--;
		at++;
	} while (depth && *at);
	return at;
}

const char *spelling_separator(const struct spelling *spelling, const char *at)
{
	while (*at) {
		size_t run = strspn(at, ":");

		if (run == 1 || run > 2)
			return at;
		if (run)
			at += run;
		else
			at = spelling->regex ? skip_regex(at) : at + 1;
	}
	return NULL;
}

/* Colons right after a separator belong to the name. */
const char *spelling_next_separator(const struct spelling *spelling, const char *separator)
{
	return spelling_separator(spelling, separator + 1 + strspn(separator + 1, ":"));
}

const char *spelling_last_separator(const struct spelling *spelling, const char *at)
{
	const char *last = NULL;

	for (at = spelling_separator(spelling, at); at; at = spelling_next_separator(spelling, at))
		last = at;
	return last;
}

bool spelling_skips_target(struct spelling *spelling)
{
	if (!spelling->has_letter || spelling->rest[0] != ':')
		return false;
	spelling->pattern = piece_of(spelling->rest + 1);
	return true;
}

int spelling_fail_too_many(const struct spelling *spelling)
{
	int err = fail_usage("too many ':'-separated components in pattern '%s'", spelling->text);

	hint("at most TYPE:LIBRARY:FUNCTION; '::' does not separate, and a path may contain ':'");
	return err;
}

int spelling_fail_form(const struct spelling *spelling, const char *what, const char *form)
{
	int err = fail_usage("pattern '%s': %s", spelling->text, what);

	hint("write %s", form);
	return err;
}
