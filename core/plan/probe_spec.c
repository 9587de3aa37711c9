/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Takes a probe pattern apart; docs/use/probes.md is the description for users.
 *
 * The grammar is bcc's: parts separated by ':', at most three, the first of three being the type. bcc splits at every
 * colon, so C++ names and paths with colons cannot be written there. Here some colons separate nothing:
 *
 *   - two in a row, as in std::sort; of three or more the first one separates, so that c:::std::sort is ::std::sort
 *   - with -r, those inside brackets, as in (?:a|b) and [[:alpha:]]
 *   - in a target with a slash, all but the last: /opt/a:b/prog:main
 *
 * "p::", "t::" and "u::" at the start are the exception to the first rule: an empty target.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/base/match.h"
#include "core/plan/plan.h"

/* A piece of the text; `at` is NULL when there is no such piece. */
struct piece {
	const char *at;
	size_t length;
};

struct pieces {
	char type; /* 'p', 't' or 'u' */
	struct piece target, provider, pattern;
};

static struct piece piece_of(const char *text)
{
	return (struct piece){ text, strlen(text) };
}

static char *piece_dup(struct piece piece)
{
	return piece.at && piece.length ? xstrndup(piece.at, piece.length) : NULL;
}

/* ---- separators ---- */

/* Behind a [class] whose bracket `at` stands on: a ']' first and the ones of [:alpha:] do not end it. */
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

/* Steps over one character, or over an escape, a class or a group of a regular expression. */
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

/* The next separating colon at or behind `at`, or NULL. */
static const char *find_separator(const char *at, bool regex)
{
	while (*at) {
		size_t run = strspn(at, ":");

		if (run == 1 || run > 2)
			return at;
		if (run)
			at += run;
		else
			at = regex ? skip_regex(at) : at + 1;
	}
	return NULL;
}

/* Where the text behind a separator is searched on: "::" right behind it belongs to the name. */
static const char *behind(const char *separator)
{
	return separator + 1 + strspn(separator + 1, ":");
}

static const char *find_last_separator(const char *at, bool regex)
{
	const char *last = NULL;

	for (const char *found = find_separator(at, regex); found; found = find_separator(behind(found), regex))
		last = found;
	return last;
}

static struct piece cut(const char *from, const char *to)
{
	return (struct piece){ from, (size_t)(to - from) };
}

/* ---- the forms ---- */

static int fail_too_many(const char *text)
{
	int err = fail_usage("too many ':'-separated components in pattern '%s'", text);

	hint("at most TYPE:LIBRARY:FUNCTION; '::' does not separate, and a path may contain ':'");
	return err;
}

static int fail_form(const char *text, const char *what, const char *form)
{
	int err = fail_usage("pattern '%s': %s", text, what);

	hint("write %s", form);
	return err;
}

static bool is_path(struct piece target)
{
	return memchr(target.at, '/', target.length) != NULL;
}

/* TARGET:PATTERN. A target with a slash reaches to the last separator, another one to the first. */
static int split_target(const char *text, const char *rest, bool regex, struct pieces *pieces)
{
	const char *separator = find_separator(rest, regex);

	if (!separator) {
		pieces->pattern = piece_of(rest);
		return 0;
	}
	if (is_path(cut(rest, separator)))
		separator = find_last_separator(rest, regex);
	else if (!regex && find_separator(behind(separator), regex))
		return fail_too_many(text);
	pieces->target = cut(rest, separator);
	pieces->pattern = piece_of(separator + 1);
	return 0;
}

/* CATEGORY:EVENT */
static int split_tracepoint(const char *text, const char *rest, bool regex, struct pieces *pieces)
{
	const char *separator = find_separator(rest, regex);

	if (!separator)
		return fail_form(text, "a tracepoint has two names", "t:CATEGORY:EVENT");
	if (!regex && find_separator(behind(separator), regex))
		return fail_too_many(text);
	pieces->target = cut(rest, separator);
	pieces->pattern = piece_of(separator + 1);
	return 0;
}

/* LIB:PROBE, /path:PROBE, LIB:PROVIDER:PROBE, /path:PROVIDER:PROBE */
static int split_usdt(const char *text, const char *rest, bool regex, struct pieces *pieces)
{
	const char *last = find_last_separator(rest, regex), *provider;

	if (!last)
		return fail_form(text, "a USDT probe needs its file", "u:LIBRARY:PROBE or u:/path:PROVIDER:PROBE");
	pieces->pattern = piece_of(last + 1);
	pieces->target = cut(rest, last);
	provider = NULL;
	for (const char *at = find_separator(rest, regex); at && at < last; at = find_separator(behind(at), regex)) {
		if (provider && !is_path(pieces->target))
			return fail_too_many(text);
		provider = at;
	}
	if (!provider)
		return 0;
	pieces->target = cut(rest, provider);
	pieces->provider = cut(provider + 1, last);
	return 0;
}

static bool is_type(char c)
{
	return c == 'p' || c == 't' || c == 'u';
}

/* Behind "p:", "t:" or "u:". */
static int split_typed(const char *text, bool regex, struct pieces *pieces)
{
	const char *rest = text + 2;
	int err;

	pieces->type = text[0];
	if (*rest == ':') { /* an empty target */
		pieces->pattern = piece_of(rest + 1);
		return text[0] == 't' ? fail_form(text, "the category is missing", "t:CATEGORY:EVENT") : 0;
	}
	if (text[0] == 't')
		return split_tracepoint(text, rest, regex, pieces);
	if (text[0] == 'u')
		return split_usdt(text, rest, regex, pieces);
	err = split_target(text, rest, regex, pieces);
	if (!err && !pieces->target.at)
		return fail_form(text, "the library is missing", "p:LIBRARY:FUNCTION, or p::FUNCTION in the kernel");
	return err;
}

static int fail_type(const char *text, size_t length)
{
	int err = fail_usage("pattern '%s': the type must be 'p', 't' or 'u', but is '%.*s'", text, (int)length, text);

	if (!strncmp(text, "r:", 2))
		hint("there are no return probes: when a function returns, no stack shows it any more; its entry is probed");
	return err;
}

/* bcc's word for a first part of three that is no type; with a path it is none of ours. */
static int check_type(const char *text, bool regex)
{
	const char *first = find_separator(text, regex), *second;

	if (!strncmp(text, "r::", 3)) /* no name of the kernel's */
		return fail_type(text, 1);
	second = first ? find_separator(behind(first), regex) : NULL;
	if (regex || !second || is_path(cut(text, first)))
		return 0;
	if (find_separator(behind(second), regex))
		return fail_too_many(text);
	return fail_type(text, (size_t)(first - text));
}

static int split(const char *text, bool regex, struct pieces *pieces)
{
	int err;

	pieces->type = 'p';
	if (is_type(text[0]) && text[1] == ':')
		return split_typed(text, regex, pieces);
	err = check_type(text, regex);
	return err < 0 ? err : split_target(text, text, regex, pieces);
}

static int split_library(const char *text, const char *library, bool regex, struct pieces *pieces)
{
	if (!regex && find_separator(text, regex))
		return fail_form(text, "the library is given twice", "-l LIBRARY FUNCTION or LIBRARY:FUNCTION");
	*pieces = (struct pieces){ .type = 'p', .target = piece_of(library), .pattern = piece_of(text) };
	return 0;
}

static enum probe_kind kind_of(const struct pieces *pieces)
{
	if (pieces->type == 't')
		return PROBE_TRACEPOINT;
	if (pieces->type == 'u')
		return PROBE_USDT;
	return pieces->target.length ? PROBE_USER_FUNCTION : PROBE_KERNEL_FUNCTION;
}

static int check_pieces(const char *text, const struct pieces *pieces)
{
	if (!pieces->pattern.length)
		return fail_usage("pattern '%s': the last part is empty: give a name, or '*' for all", text);
	if (pieces->target.at && !pieces->target.length)
		return fail_usage("pattern '%s': the part before ':' is empty", text);
	if (pieces->provider.at && !pieces->provider.length)
		return fail_usage("pattern '%s': the provider is empty: give a name, or '*' for all", text);
	return 0;
}

/* A regular expression that does not compile is a mistyped command line, not something to find out after loading. */
static int check_expression(const char *text, struct piece piece)
{
	_cleanup_(freep) char *expression = piece_dup(piece);
	struct match *match = NULL;
	char reason[256];
	int err;

	if (!expression)
		return 0;
	err = match_new(expression, &match, reason, sizeof(reason));
	match_free(match);
	return err == -EINVAL ? fail_usage("pattern '%s': %s", text, reason) : err;
}

/* The target of a function is a file's name, never an expression. */
static int check_expressions(const char *text, const struct pieces *pieces)
{
	int err = check_expression(text, pieces->pattern);

	if (!err)
		err = check_expression(text, pieces->provider);
	if (!err && pieces->type == 't')
		err = check_expression(text, pieces->target);
	return err;
}

int probe_spec_parse(const char *text, const char *library, bool regex, struct probe_spec *ret_spec)
{
	struct pieces pieces = {};
	int err;

	err = library ? split_library(text, library, regex, &pieces) : split(text, regex, &pieces);
	if (err < 0)
		return err;
	err = check_pieces(text, &pieces);
	if (!err && regex)
		err = check_expressions(text, &pieces);
	if (err < 0)
		return err;
	*ret_spec = (struct probe_spec){
		.kind = kind_of(&pieces),
		.typed = xstrdup(text),
		.target = piece_dup(pieces.target),
		.pattern = piece_dup(pieces.pattern),
		.provider = piece_dup(pieces.provider),
		.regex = regex,
	};
	return 0;
}

void probe_spec_done(struct probe_spec *spec)
{
	free(spec->typed);
	free(spec->target);
	free(spec->pattern);
	free(spec->provider);
	*spec = (struct probe_spec){};
}
