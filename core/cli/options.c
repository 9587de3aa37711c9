/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * getopt_long does the splitting (bundles, --name=value, unique prefixes); the tables it wants are made from ours, and
 * every message is ours. Two things go beyond it:
 *
 * Operands come in order ('-' at the start of its string), because argparse lets them stand anywhere and
 * POSIXLY_CORRECT must not change that.
 *
 * A prefix that was unique in bcc's tool stays so although we have further options: where getopt_long calls a word
 * ambiguous, options marked `ours` give way.
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

/* What getopt_long returns for a long name: its entry number above every letter. */
#define LONG_BASE 256

struct parser {
	struct option_list list;
	bool *seen;            /* by entry */
	struct option *longs;  /* getopt's table */
	struct buf letters;    /* getopt's other table */
	size_t nr_operands;    /* taken so far */
	const char *operand;   /* the last of them; NULL: none yet */
	int argc;
	char **argv;
	char *options;
};

/* ---- tables ---- */

static const struct option_spec help_spec = {
	.kind = OPTION_KIND_HELP,
	.letter = 'h',
	.name = "help",
	.help = "show this help and exit",
};

static bool has_name(const struct option_list *list, const char *name)
{
	for (size_t i = 0; i < list->entries.nr; i++)
		if (!list->entries.data[i].spec->operand && !strcmp(list->entries.data[i].spec->name, name))
			return true;
	return false;
}

static void list_add(struct option_list *list, const struct option_spec *table, size_t offset)
{
	for (const struct option_spec *spec = table; spec->kind != OPTION_KIND_END; spec++) {
		if (spec->kind == OPTION_KIND_FRAGMENT)
			list_add(list, spec->fragment, offset + spec->offset);
		else if (spec->operand || !has_name(list, spec->name))
			vec_push(&list->entries, (struct option_entry){ spec, offset + spec->offset });
	}
}

void option_list_init(struct option_list *list, const struct option_spec *table)
{
	*list = (struct option_list){};
	list_add(list, table, 0);
	vec_push(&list->entries, (struct option_entry){ &help_spec, 0 });
}

void option_list_done(struct option_list *list)
{
	vec_done(&list->entries);
}

bool option_takes_value(const struct option_spec *spec)
{
	return !spec->operand && spec->kind != OPTION_KIND_FLAG && spec->kind != OPTION_KIND_HELP && !spec->otherwise;
}

static void parser_add_option(struct parser *parser, size_t i, struct option *ret_long)
{
	const struct option_spec *spec = parser->list.entries.data[i].spec;
	bool value = option_takes_value(spec);

	if (spec->letter) {
		buf_addc(&parser->letters, spec->letter);
		if (value)
			buf_addc(&parser->letters, ':');
	}
	*ret_long = (struct option){
		.name = spec->name,
		.has_arg = spec->otherwise ? optional_argument
			   : value         ? required_argument
					   : no_argument,
		.val = LONG_BASE + (int)i,
	};
}

static void parser_init(struct parser *parser, const struct option_spec *table, int argc, char **argv, void *options)
{
	size_t nr_longs = 0;

	*parser = (struct parser){ .argc = argc, .argv = argv, .options = options };
	option_list_init(&parser->list, table);
	parser->seen = xcalloc(parser->list.entries.nr, sizeof(*parser->seen));
	parser->longs = xcalloc(parser->list.entries.nr + 1, sizeof(*parser->longs));
	buf_adds(&parser->letters, "-:");
	for (size_t i = 0; i < parser->list.entries.nr; i++)
		if (!parser->list.entries.data[i].spec->operand)
			parser_add_option(parser, i, &parser->longs[nr_longs++]);
}

static void parser_done(struct parser *parser)
{
	option_list_done(&parser->list);
	free(parser->seen);
	free(parser->longs);
	buf_done(&parser->letters);
}

/* ---- what messages call things ---- */

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

static int fail_unknown_long(const struct parser *parser, const char *name)
{
	_cleanup_(freep) const char **names = xcalloc(parser->list.entries.nr, sizeof(*names));
	const char *nearest;
	size_t nr = 0;
	int err;

	for (size_t i = 0; i < parser->list.entries.nr; i++) {
		const struct option_spec *spec = parser->list.entries.data[i].spec;

		if (!spec->operand && !spec->hidden)
			names[nr++] = spec->name;
	}
	nearest = str_nearest(name, names, nr);
	err = fail_usage("unknown option '--%s'", name);
	if (nearest)
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

	for (size_t i = 0; spec->exclusive && i < parser->list.entries.nr; i++) {
		const struct option_spec *other = parser->list.entries.data[i].spec;

		if (!parser->seen[i] || other == spec || !other->exclusive || strcmp(other->exclusive, spec->exclusive))
			continue;
		fail_usage("argument %s: not allowed with argument %s", label(spec, &name), label(other, &other_name));
		return -EEXIST;
	}
	return 0;
}

/* "--top 5": a number behind an option that may have one is its value, and no operand. NULL: there is none. */
static const char *number_behind(const struct parser *parser)
{
	const char *word = optind < parser->argc ? parser->argv[optind] : "";

	if (!*word || word[strspn(word, "0123456789")])
		return NULL;
	optind++;
	return word;
}

static int take(struct parser *parser, size_t i, const char *text)
{
	_cleanup_(buf_done) struct buf name = {};
	const struct option_entry *entry = &parser->list.entries.data[i];
	int err;

	if (entry->spec->kind == OPTION_KIND_HELP)
		return OPTIONS_HELP;
	if (entry->spec->kind == OPTION_KIND_U32_LIST && !parser->seen[i]) /* the default */
		((struct u32_list *)(parser->options + entry->offset))->nr = 0;
	parser->seen[i] = true;
	err = check_exclusive(parser, entry->spec);
	if (err < 0)
		return err;
	if (entry->spec->kind == OPTION_KIND_FLAG) {
		*(bool *)(parser->options + entry->offset) = true;
		return 0;
	}
	if (!text && entry->spec->otherwise)
		text = number_behind(parser);
	if (!text && entry->spec->otherwise) {
		*(uint32_t *)(parser->options + entry->offset) = entry->spec->otherwise;
		return 0;
	}
	return value_store(entry->spec, label(entry->spec, &name), text, parser->options + entry->offset);
}

/* The entry of the n-th operand, or -1. A command is none: it has its own place, behind "--". */
static ssize_t find_operand(const struct parser *parser, size_t n)
{
	for (size_t i = 0; i < parser->list.entries.nr; i++) {
		const struct option_spec *spec = parser->list.entries.data[i].spec;

		if (spec->operand && spec->kind != OPTION_KIND_COMMAND && !n--)
			return (ssize_t)i;
	}
	return -1;
}

static ssize_t find_command(const struct parser *parser)
{
	for (size_t i = 0; i < parser->list.entries.nr; i++)
		if (parser->list.entries.data[i].spec->kind == OPTION_KIND_COMMAND)
			return (ssize_t)i;
	return -1;
}

/* "-d 3" where -d is a flag makes 3 the first operand. */
static int fail_unexpected(const struct parser *parser, const char *text)
{
	_cleanup_(buf_done) struct buf name = {};
	int err = fail_usage("unexpected argument '%s'", text);

	if (!parser->operand || parser->operand[strspn(parser->operand, "0123456789.")])
		return err;
	for (size_t i = 0; i < parser->list.entries.nr; i++) {
		const struct option_spec *spec = parser->list.entries.data[i].spec;

		if (!spec->operand && !strcmp(spec->name, "duration"))
			hint("'%s' is in the place of the pattern; for a duration of that many "
			     "seconds: %s %s",
			     parser->operand, label(spec, &name), parser->operand);
	}
	return err;
}

static int take_operand(struct parser *parser, const char *text)
{
	ssize_t i = find_operand(parser, parser->nr_operands);

	if (i < 0)
		return fail_unexpected(parser, text);
	parser->operand = text;
	if (parser->list.entries.data[i].spec->kind != OPTION_KIND_WORDS)
		parser->nr_operands++;
	return take(parser, (size_t)i, text);
}

static ssize_t find_letter(const struct parser *parser, int letter)
{
	for (size_t i = 0; i < parser->list.entries.nr; i++)
		if (letter && parser->list.entries.data[i].spec->letter == letter)
			return (ssize_t)i;
	return -1;
}

/* The entry of what getopt_long returned or put into optopt. */
static ssize_t find_code(const struct parser *parser, int code)
{
	return code >= LONG_BASE ? code - LONG_BASE : find_letter(parser, code);
}

/* ---- words that getopt_long gave up on ---- */

/* "-5": a negative number in the place of an operand, which getopt takes for an option. NULL when it is not one. */
static const char *negative_number(const struct parser *parser, int digit)
{
	for (int i = optind - 1; i <= optind && i < parser->argc; i++)
		if (parser->argv[i][0] == '-' && parser->argv[i][1] == digit)
			return parser->argv[i];
	return NULL;
}

static int take_unknown_letter(struct parser *parser, int letter)
{
	ssize_t operand = find_operand(parser, parser->nr_operands);
	const char *number = letter >= '0' && letter <= '9' ? negative_number(parser, letter) : NULL;
	int err;

	if (number && operand >= 0)
		return take_operand(parser, number);
	err = fail_usage("unknown option '-%c'", letter);
	hint("--help lists the options");
	return err;
}

/* The entries that a prefix could mean; bcc's own win over ours. Returns their number, and the last of them. */
static size_t find_prefix(const struct parser *parser, const char *name, bool with_ours, size_t *ret_entry)
{
	size_t nr = 0;

	for (size_t i = 0; i < parser->list.entries.nr; i++) {
		const struct option_spec *spec = parser->list.entries.data[i].spec;

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

	for (size_t i = 0; i < parser->list.entries.nr; i++) {
		const struct option_spec *spec = parser->list.entries.data[i].spec;

		if (!spec->operand && !spec->hidden && !strncmp(spec->name, name, strlen(name)))
			buf_addf(&names, "%s--%s", names.nr ? ", " : "", spec->name);
	}
	return fail_usage("ambiguous option '--%s': it could be %s", name, buf_text(&names));
}

/* A long option that is unknown, or a prefix of several. */
static int take_unclear_long(struct parser *parser, const char *word)
{
	_cleanup_(freep) char *name = xstrndup(word + 2, strcspn(word + 2, "="));
	const char *text = strchr(word, '=');
	size_t entry = 0;

	if (!find_prefix(parser, name, true, &entry))
		return fail_unknown_long(parser, name);
	if (find_prefix(parser, name, false, &entry) != 1)
		return fail_ambiguous(parser, name);
	if (parser->list.entries.data[entry].spec->otherwise)
		return take(parser, entry, text ? text + 1 : NULL);
	if (!option_takes_value(parser->list.entries.data[entry].spec))
		return text ? fail_usage("argument --%s: takes no value", name) : take(parser, entry, NULL);
	if (!text && optind >= parser->argc)
		return fail_missing_value(parser->list.entries.data[entry].spec);
	return take(parser, entry, text ? text + 1 : parser->argv[optind++]);
}

static int take_unclear(struct parser *parser)
{
	_cleanup_(buf_done) struct buf name = {};

	if (optopt >= LONG_BASE)
		return fail_usage("argument %s: takes no value",
				  label(parser->list.entries.data[optopt - LONG_BASE].spec, &name));
	if (optopt)
		return take_unknown_letter(parser, optopt);
	return take_unclear_long(parser, parser->argv[optind - 1]);
}

/* ---- the whole line ---- */

static int take_code(struct parser *parser, int code)
{
	ssize_t i;

	switch (code) {
	case 1:
		return take_operand(parser, optarg);
	case '?':
		return take_unclear(parser);
	case ':':
		i = find_code(parser, optopt);
		return fail_missing_value(parser->list.entries.data[i].spec);
	default:
		i = find_code(parser, code);
		return take(parser, (size_t)i, optarg);
	}
}

static bool is_missing_operand(const struct parser *parser)
{
	ssize_t i = find_operand(parser, parser->nr_operands);

	return i >= 0 && parser->list.entries.data[i].spec->required;
}

/* What stands behind "--": operands that are required and still missing, then the command, in tables that have one. */
static int take_rest(struct parser *parser, int first)
{
	ssize_t command = find_command(parser);
	int err = 0;

	for (int i = first; !err && i < parser->argc; i++) {
		if (command < 0 || is_missing_operand(parser)) {
			err = take_operand(parser, parser->argv[i]);
			continue;
		}
		*(char *const **)(parser->options + parser->list.entries.data[command].offset) = &parser->argv[i];
		parser->seen[command] = true;
		return check_exclusive(parser, parser->list.entries.data[command].spec);
	}
	return err;
}

static int check_required(const struct parser *parser)
{
	for (size_t i = 0; i < parser->list.entries.nr; i++) {
		const struct option_spec *spec = parser->list.entries.data[i].spec;

		if (spec->required && !parser->seen[i])
			return fail_usage("argument %s: missing", spec->name);
	}
	return 0;
}

static int parser_run(struct parser *parser)
{
	int code, err;

	optind = 0; /* glibc: start afresh */
	opterr = 0;
	for (;;) {
		code = getopt_long(parser->argc, parser->argv, buf_text(&parser->letters), parser->longs, NULL);
		if (code < 0)
			break;
		err = take_code(parser, code);
		if (err)
			return err;
	}
	err = take_rest(parser, optind);
	return err ? err : check_required(parser);
}

int options_parse(const struct option_spec *table, int argc, char **argv, void *options)
{
	_cleanup_(parser_done) struct parser parser;

	parser_init(&parser, table, argc, argv, options);
	return parser_run(&parser);
}

void options_done(const struct option_spec *table, void *options)
{
	_cleanup_(option_list_done) struct option_list list;

	option_list_init(&list, table);
	for (size_t i = 0; i < list.entries.nr; i++) {
		void *field = (char *)options + list.entries.data[i].offset;

		if (list.entries.data[i].spec->kind == OPTION_KIND_U32_LIST)
			vec_done((struct u32_list *)field);
		else if (list.entries.data[i].spec->kind == OPTION_KIND_WORDS)
			vec_done((struct word_list *)field);
	}
}
