/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The letter of a pattern selects the kind, which finds the other parts. */
#include "core/resolve/probe_spec.h"

#include <errno.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/base/match.h"
#include "core/resolve/probe_kinds.h"
#include "core/resolve/spelling.h"

#define ADDRESS_OF(name) &probe_##name,

static const struct probe_kind *const kinds[] = { PROBE_KINDS(ADDRESS_OF) };

#define NR_KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* "'p', 't' or 'u'" */
static void add_letters(struct buf *text)
{
	size_t nr = 0, nr_added = 0;

	for (size_t i = 0; i < NR_KINDS; i++)
		nr += kinds[i]->letter != '\0';
	for (size_t i = 0; i < NR_KINDS; i++)
		if (kinds[i]->letter) {
			const char *between = nr_added + 1 == nr ? " or " : ", ";

			buf_addf(text, "%s'%c'", nr_added++ ? between : "", kinds[i]->letter);
		}
}

static const char *const return_words[] = { "r:", "kretprobe:", "kr:", "kretfunc:", "fexit:", "uretprobe:", "ur:" };

static bool begins_with(const char *text, const char *word)
{
	return !strncmp(text, word, strlen(word));
}

static int fail_type(const char *text, size_t length)
{
	_cleanup_(buf_done) struct buf letters = {};
	int err;

	add_letters(&letters);
	err = fail_usage("pattern '%s': the type must be %s, but is '%.*s'", text, buf_text(&letters), (int)length,
			 text);
	for (size_t i = 0; i < sizeof(return_words) / sizeof(*return_words); i++)
		if (begins_with(text, return_words[i]))
			hint("return probes are not supported: after a function returns, no stack shows it; probe its "
			     "entry");
	return err;
}

/* The first part of three must be a type, as in bcc. If it is a path, the colons belong to the path. */
static int check_type(const struct spelling *spelling)
{
	const char *text = spelling->text;
	const char *first = spelling_separator(spelling, text), *second;

	if (!strncmp(text, "r::", 3)) /* bcc's return probe, although "::" does not separate */
		return fail_type(text, 1);
	for (size_t i = 1; i < sizeof(return_words) / sizeof(*return_words);
	     i++) /* without "r:": bcc accepts r:FUNCTION as a function of a library r */
		if (begins_with(text, return_words[i]))
			return fail_type(text, strlen(return_words[i]) - 1);
	second = first ? spelling_next_separator(spelling, first) : NULL;
	if (spelling->regex || !second || piece_is_path(piece_cut(text, first)))
		return 0;
	if (spelling_next_separator(spelling, second))
		return spelling_fail_too_many(spelling);
	return fail_type(text, (size_t)(first - text));
}

/* As our letters. Words for the kernel have no target. */
static const struct {
	const char *word;
	char letter;
	bool in_kernel;
} words[] = {
	{ "kprobe:", 'p', true },  { "k:", 'p', true },           { "kfunc:", 'p', true }, { "fentry:", 'p', true },
	{ "uprobe:", 'p', false }, { "tracepoint:", 't', false }, { "usdt:", 'u', false },
};

static const struct probe_kind *kind_of(char letter)
{
	for (size_t i = 0; i < NR_KINDS; i++)
		if (kinds[i]->letter && kinds[i]->letter == letter)
			return kinds[i];
	return NULL;
}

static int split_in_kernel(struct spelling *spelling)
{
	spelling->kind = &probe_kernel_function;
	spelling->pattern = piece_of(spelling->rest);
	if (!spelling->regex && spelling_separator(spelling, spelling->rest))
		return spelling_fail_form(spelling, "a kernel function has no module in front", "kprobe:FUNCTION");
	return 0;
}

/* Whether the pattern begins with such a word; then splits it. */
static bool split_word(struct spelling *spelling, int *ret_err)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (!begins_with(spelling->text, words[i].word))
			continue;
		spelling->rest = spelling->text + strlen(words[i].word);
		if (!words[i].in_kernel && !spelling_separator(spelling, spelling->rest))
			return false; /* "usdt:f" is a function of a library */
		spelling->has_letter = true;
		spelling->kind = kind_of(words[i].letter);
		*ret_err = words[i].in_kernel ? split_in_kernel(spelling) : spelling->kind->split(spelling);
		return true;
	}
	return false;
}

static int split(struct spelling *spelling)
{
	int err = 0;

	if (split_word(spelling, &err))
		return err;

	for (size_t i = 0; i < NR_KINDS; i++)
		if (kinds[i]->letter && spelling->text[0] == kinds[i]->letter && spelling->text[1] == ':')
			spelling->kind = kinds[i];
	spelling->has_letter = spelling->kind;
	spelling->rest = spelling->text + (spelling->has_letter ? 2 : 0);
	if (!spelling->has_letter) {
		spelling->kind = &probe_user_function;
		err = check_type(spelling);
	}
	return err ? err : spelling->kind->split(spelling);
}

static int split_library(struct spelling *spelling, const char *library)
{
	if (!spelling->regex && spelling_separator(spelling, spelling->text))
		return spelling_fail_form(spelling, "the library is given twice",
					  "-l LIBRARY FUNCTION or LIBRARY:FUNCTION");
	spelling->kind = &probe_user_function;
	spelling->target = piece_of(library);
	spelling->pattern = piece_of(spelling->text);
	return 0;
}

static int check_pieces(const struct spelling *spelling)
{
	const char *text = spelling->text;

	if (!spelling->pattern.length)
		return fail_usage("pattern '%s': the last part is empty: give a name, or '*' for all", text);
	if (spelling->target.at && !spelling->target.length)
		return fail_usage("pattern '%s': the part before ':' is empty", text);
	if (spelling->provider.at && !spelling->provider.length)
		return fail_usage("pattern '%s': the provider is empty: give a name, or '*' for all", text);
	return 0;
}

/* An invalid regular expression is reported before anything is loaded. */
static int check_expressions(const struct spelling *spelling)
{
	const struct piece pieces[] = { spelling->pattern, spelling->provider, spelling->target };
	size_t nr = spelling->kind->target_is_pattern ? 3 : 2;

	for (size_t i = 0; i < nr; i++) {
		_cleanup_(freep) char *expression = piece_dup(pieces[i]);
		_cleanup_(match_freep) struct match *match = NULL;
		char reason[256];
		int err = expression ? match_new(expression, &match, reason, sizeof(reason)) : 0;

		if (err)
			return err == -EINVAL ? fail_usage("pattern '%s': %s", spelling->text, reason) : err;
	}
	return 0;
}

int probe_spec_parse(const char *text, const char *library, bool regex, struct probe_spec *ret_spec)
{
	struct spelling spelling = { .text = text, .regex = regex };
	int err = library ? split_library(&spelling, library) : split(&spelling);

	err = err ?: check_pieces(&spelling);
	if (!err && regex)
		err = check_expressions(&spelling);
	if (err)
		return err;
	*ret_spec = (struct probe_spec){
		.kind = spelling.kind,
		.typed = xstrdup(text),
		.target = piece_dup(spelling.target),
		.pattern = piece_dup(spelling.pattern),
		.provider = piece_dup(spelling.provider),
		.regex = regex,
	};
	return 0;
}
