/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * getopt_long() splits the words (bundles, --name=value, unique abbreviations). All messages are ours. Two things differ:
 *
 * Operands may stand anywhere, as in argparse, also with POSIXLY_CORRECT: '-' at the start of the letters returns them in their place.
 *
 * An abbreviation that is unique in bcc's tool stays unique: if getopt_long() finds it ambiguous, options marked `ours` are ignored.
 */
#include "core/cli/options.h"

#include <errno.h>
#include <getopt.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/buf.h"
#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/base/suggest.h"
#include "core/cli/value.h"

/* getopt_long() returns this plus the index of the entry for a long name. It is larger than any letter. */
#define LONG_BASE 256

struct parser {
	struct option_list list;
	bool *seen;            /* by entry */
	struct option *longs;  /* getopt's long options */
	struct buf letters;    /* getopt's letters */
	size_t nr_operands; /* so far */
	int argc;
	char **argv;
	char *options;
};

/* ---- tables ---- */

static const struct option_spec help_spec = {
	.kind = OPTION_KIND_HELP,
	.letter = 'h',
	.name = "help",
	.metavar = "all",
	.help = "print this help, or with =all all options, and exit",
};

static bool has_name(const struct option_list *list, const char *name)
{
	for (size_t i = 0; i < list->nr; i++)
		if (!list->data[i].spec->operand && !strcmp(list->data[i].spec->name, name))
			return true;
	return false;
}

static void list_add(struct option_list *list, const struct option_spec *table, size_t offset, bool hidden)
{
	for (const struct option_spec *spec = table; spec->kind != OPTION_KIND_END; spec++) {
		if (spec->kind == OPTION_KIND_FRAGMENT)
			list_add(list, spec->fragment, offset + spec->offset, hidden || spec->hidden);
		else if (spec->operand || !has_name(list, spec->name))
			vec_push(list, (struct option_entry){ spec, offset + spec->offset, hidden || spec->hidden });
	}
}

void option_list_init(struct option_list *list, const struct option_spec *table)
{
	*list = (struct option_list){};
	list_add(list, table, 0, false);
	vec_push(list, (struct option_entry){ .spec = &help_spec });
}

void option_list_done(struct option_list *list)
{
	vec_done(list);
}

bool option_takes_value(const struct option_spec *spec)
{
	return !spec->operand && spec->kind != OPTION_KIND_FLAG && spec->kind != OPTION_KIND_HELP;
}

/* The first option with a letter counts. */
static void add_letter(struct buf *letters, char letter, bool takes_value)
{
	if (letter && !strchr(buf_text(letters), letter))
		buf_addf(letters, "%c%s", letter, takes_value ? ":" : "");
}

static void parser_init(struct parser *parser, const struct option_spec *table, int argc, char **argv, void *options)
{
	struct option *next;

	*parser = (struct parser){ .argc = argc, .argv = argv, .options = options };
	option_list_init(&parser->list, table);
	parser->seen = xcalloc(parser->list.nr, sizeof(*parser->seen));
	next = parser->longs = xcalloc(parser->list.nr + 1, sizeof(*parser->longs));
	buf_adds(&parser->letters, "-:");
	for (size_t i = 0; i < parser->list.nr; i++) {
		const struct option_spec *spec = parser->list.data[i].spec;
		bool value = option_takes_value(spec);

		if (spec->operand)
			continue;
		add_letter(&parser->letters, spec->letter, value);
		add_letter(&parser->letters, spec->also, value);
		*next++ = (struct option){
			.name = spec->name,
			.has_arg = spec->kind == OPTION_KIND_HELP ? optional_argument
				   : value                        ? required_argument
								  : no_argument,
			.val = LONG_BASE + (int)i,
		};
	}
}

static void parser_done(struct parser *parser)
{
	option_list_done(&parser->list);
	free(parser->seen);
	free(parser->longs);
	buf_done(&parser->letters);
}

/* ---- names in messages ---- */

/* "-F/--frequency", "--save", "duration". */
static const char *label(const struct option_spec *spec, struct buf *text)
{
	buf_clear(text);
	if (spec->operand)
		buf_adds(text, spec->name);
	else if (spec->letter)
		buf_addf(text, "-%c/--%s", spec->letter, spec->name);
	else
		buf_addf(text, "--%s", spec->name);
	return buf_text(text);
}

static int fail_missing_value(const struct option_spec *spec)
{
	_cleanup_(buf_done) struct buf name = {};

	return fail_usage("argument %s: needs a value: %s", label(spec, &name), spec->metavar);
}

static bool is_shown(const struct option_entry *entry)
{
	return !entry->spec->operand && !entry->hidden;
}

static int fail_unknown_long(const struct parser *parser, const char *name)
{
	_cleanup_(freep) const char **names = xcalloc(parser->list.nr, sizeof(*names));
	const char *nearest;
	size_t nr = 0;
	int err;

	for (size_t i = 0; i < parser->list.nr; i++)
		if (is_shown(&parser->list.data[i]))
			names[nr++] = parser->list.data[i].spec->name;
	nearest = str_nearest(name, names, nr);
	err = fail_usage("unknown option '--%s'", name);
	if (!strcmp(name, "version"))
		hint("'stacktool --version' prints it");
	else if (nearest)
		hint("did you mean '--%s'?", nearest);
	else
		hint("--help lists the options");
	return err;
}

/* ---- one option or operand ---- */

static int check_exclusive(const struct parser *parser, const struct option_spec *spec)
{
	_cleanup_(buf_done) struct buf name = {};
	_cleanup_(buf_done) struct buf other_name = {};

	for (size_t i = 0; spec->exclusive && i < parser->list.nr; i++) {
		const struct option_spec *other = parser->list.data[i].spec;

		if (!parser->seen[i] || other == spec || !other->exclusive || strcmp(other->exclusive, spec->exclusive))
			continue;
		fail_usage("argument %s: not allowed with argument %s", label(spec, &name), label(other, &other_name));
		return -EEXIST;
	}
	return 0;
}

static int take_help(const char *text)
{
	if (!text)
		return OPTIONS_HELP;
	if (!strcmp(text, "all"))
		return OPTIONS_HELP_ALL;
	return fail_usage("argument -h/--help: '%s': give all, or nothing", text);
}

static int take(struct parser *parser, size_t i, const char *text)
{
	_cleanup_(buf_done) struct buf name = {};
	const struct option_entry *entry = &parser->list.data[i];
	int err;

	if (entry->spec->kind == OPTION_KIND_HELP)
		return take_help(text);
	parser->seen[i] = true;
	err = check_exclusive(parser, entry->spec);
	if (err < 0)
		return err;
	if (entry->spec->kind == OPTION_KIND_FLAG) {
		*(bool *)(parser->options + entry->offset) = true;
		return 0;
	}
	return value_store(entry->spec, label(entry->spec, &name), text, parser->options + entry->offset);
}

/* The index of the next operand's entry, or -1. A command is not an operand, because it follows "--". */
static ssize_t next_operand(const struct parser *parser)
{
	size_t nr_left = parser->nr_operands;

	for (size_t i = 0; i < parser->list.nr; i++) {
		const struct option_spec *spec = parser->list.data[i].spec;

		if (spec->operand && spec->kind != OPTION_KIND_COMMAND && !nr_left--)
			return (ssize_t)i;
	}
	return -1;
}

static bool has_command(const struct parser *parser)
{
	for (size_t i = 0; i < parser->list.nr; i++)
		if (parser->list.data[i].spec->kind == OPTION_KIND_COMMAND)
			return true;
	return false;
}

/* Adds a hint if a refused operand is probably a command: it is neither a number nor a pattern. */
static void hint_command(const struct parser *parser, const char *text)
{
	if (has_command(parser) && *text && !strchr("-0123456789.", *text) && !strchr(text, ':'))
		hint("a command follows --, as in 'stacktool %s ... -- %s'", parser->argv[0], text);
}

static int fail_unexpected(const struct parser *parser, const char *text)
{
	int err = fail_usage("unexpected argument '%s'", text);

	hint_command(parser, text);
	return err;
}

static int take_operand(struct parser *parser, const char *text)
{
	ssize_t i = next_operand(parser);
	int err;

	if (i < 0)
		return fail_unexpected(parser, text);
	if (parser->list.data[i].spec->kind != OPTION_KIND_WORDS)
		parser->nr_operands++;
	err = take(parser, (size_t)i, text);
	if (err < 0 && parser->list.data[i].spec->kind == OPTION_KIND_SECONDS)
		hint_command(parser, text);
	return err;
}

/* The entry for a result of getopt_long(), or for optopt. */
static size_t find_code(const struct parser *parser, int code)
{
	size_t i = 0;

	if (code >= LONG_BASE)
		return (size_t)(code - LONG_BASE);
	while (parser->list.data[i].spec->letter != code && parser->list.data[i].spec->also != code)
		i++;
	return i;
}

/* ---- words that getopt_long() refuses ---- */

/* "-5" in place of an operand: getopt takes it for an option. NULL: no such word. */
static const char *negative_number(const struct parser *parser, int digit)
{
	for (int i = optind - 1; i <= optind && i < parser->argc; i++)
		if (parser->argv[i][0] == '-' && parser->argv[i][1] == digit)
			return parser->argv[i];
	return NULL;
}

static int take_unknown_letter(struct parser *parser, int letter)
{
	const char *number = letter >= '0' && letter <= '9' ? negative_number(parser, letter) : NULL;
	int err;

	if (number && next_operand(parser) >= 0)
		return take_operand(parser, number);
	err = fail_usage("unknown option '-%c'", letter);
	hint(letter == 'g' ? "perf's -g: stacks are always recorded" : "--help lists the options");
	return err;
}

/* The entries that an abbreviation can mean, without `ours` unless `with_ours`. Returns their number, and the last one. */
static size_t find_prefix(const struct parser *parser, const char *name, bool with_ours, size_t *ret_entry)
{
	size_t nr = 0;

	for (size_t i = 0; i < parser->list.nr; i++) {
		const struct option_spec *spec = parser->list.data[i].spec;

		if (spec->operand || (spec->ours && !with_ours) || strncmp(spec->name, name, strlen(name)))
			continue;
		*ret_entry = i;
		nr++;
	}
	return nr;
}

static int fail_ambiguous(const struct parser *parser, const char *name)
{
	_cleanup_(buf_done) struct buf names = {};

	for (size_t i = 0; i < parser->list.nr; i++) {
		const struct option_spec *spec = parser->list.data[i].spec;

		if (is_shown(&parser->list.data[i]) && !strncmp(spec->name, name, strlen(name)))
			buf_addf(&names, "%s--%s", names.nr ? ", " : "", spec->name);
	}
	return fail_usage("ambiguous option '--%s': it could be %s", name, buf_text(&names));
}

/* A long option that is unknown, or an ambiguous abbreviation. */
static int take_unclear_long(struct parser *parser, const char *word)
{
	_cleanup_(freep) char *name = xstrndup(word + 2, strcspn(word + 2, "="));
	const char *equals = strchr(word, '='), *text = equals ? equals + 1 : NULL;
	const struct option_spec *spec;
	size_t entry = 0;

	if (!*name || !find_prefix(parser, name, true, &entry))
		return fail_unknown_long(parser, name);
	if (find_prefix(parser, name, false, &entry) != 1)
		return fail_ambiguous(parser, name);
	spec = parser->list.data[entry].spec;
	if (text && spec->kind != OPTION_KIND_HELP && !option_takes_value(spec))
		return fail_usage("argument --%s: takes no value", name);
	if (!text && option_takes_value(spec)) {
		if (optind >= parser->argc)
			return fail_missing_value(spec);
		text = parser->argv[optind++];
	}
	return take(parser, entry, text);
}

static int take_unclear(struct parser *parser)
{
	_cleanup_(buf_done) struct buf name = {};

	if (optopt >= LONG_BASE)
		return fail_usage("argument %s: takes no value",
				  label(parser->list.data[optopt - LONG_BASE].spec, &name));
	if (optopt)
		return take_unknown_letter(parser, optopt);
	return take_unclear_long(parser, parser->argv[optind - 1]);
}

/* ---- the whole line ---- */

static int take_code(struct parser *parser, int code)
{
	switch (code) {
	case 1:
		return take_operand(parser, optarg);
	case '?':
		return take_unclear(parser);
	case ':':
		return fail_missing_value(parser->list.data[find_code(parser, optopt)].spec);
	default:
		return take(parser, find_code(parser, code), optarg);
	}
}

/* Takes what follows "--": first the required operands that are missing, then the command, if the table has one. */
static int take_rest(struct parser *parser, int first)
{
	size_t command = 0;

	while (command < parser->list.nr && parser->list.data[command].spec->kind != OPTION_KIND_COMMAND)
		command++;
	if (command < parser->list.nr && first == parser->argc && !strcmp(parser->argv[first - 1], "--"))
		return fail_usage("argument --: there is no command after it");
	for (int i = first; i < parser->argc; i++) {
		ssize_t operand = next_operand(parser);
		bool is_required = operand >= 0 && parser->list.data[operand].spec->required && !parser->seen[operand];
		int err;

		if (command < parser->list.nr && !is_required) {
			*(char *const **)(parser->options + parser->list.data[command].offset) = &parser->argv[i];
			parser->seen[command] = true;
			return check_exclusive(parser, parser->list.data[command].spec);
		}
		err = take_operand(parser, parser->argv[i]);
		if (err)
			return err;
	}
	return 0;
}

static int check_required(const struct parser *parser)
{
	for (size_t i = 0; i < parser->list.nr; i++) {
		const struct option_spec *spec = parser->list.data[i].spec;

		if (spec->required && !parser->seen[i])
			return fail_usage("argument %s: missing", spec->name);
	}
	return 0;
}

int options_parse(const struct option_spec *table, int argc, char **argv, void *options)
{
	_cleanup_(parser_done) struct parser parser;
	int code, err = 0;

	parser_init(&parser, table, argc, argv, options);
	optind = 0; /* glibc: initialise again */
	opterr = 0;
	while (!err && (code = getopt_long(argc, argv, buf_text(&parser.letters), parser.longs, NULL)) >= 0)
		err = take_code(&parser, code);
	return err ?: take_rest(&parser, optind) ?: check_required(&parser);
}

void options_done(const struct option_spec *table, void *options)
{
	_cleanup_(option_list_done) struct option_list list;

	option_list_init(&list, table);
	for (size_t i = 0; i < list.nr; i++) {
		void *field = (char *)options + list.data[i].offset;

		if (list.data[i].spec->kind == OPTION_KIND_U32_LIST)
			vec_done((struct u32_list *)field);
		else if (list.data[i].spec->kind == OPTION_KIND_WORDS)
			vec_done((struct word_list *)field);
	}
}
