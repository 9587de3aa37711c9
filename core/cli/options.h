/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Command line options as a table: one line per option is its parser, its help and its man page.
 *
 *	static const struct option_spec profile_table[] = {
 *		OPTION('F', "frequency", struct profile_options, frequency_hz, "HZ", "samples per second",
 *		       .min = 1, .max = 1000000, .noun = "a frequency", .exclusive = "rate"),
 *		OPTION_FRAGMENT(common_table, struct profile_options, common),
 *		OPERAND("duration", struct profile_options, duration, "how long to sample, in seconds"),
 *		OPTION_END,
 *	};
 *
 * What an option takes follows from the type of the field it fills, so that table and structure cannot disagree:
 *
 *	bool                flag, takes no value
 *	uint32_t, uint64_t  number from .min to .max (0: the type's own limit)
 *	int                 the same, for a field whose default is -1: "not given"
 *	struct seconds      5, 0.5, 500ms, 2m, 1h; at least a millisecond
 *	const char *        text, as it stands in argv
 *	struct u32_list     numbers separated by commas, each from .min to .max
 *	struct word_list    an operand, the last one: any number of words
 *	char *const *       an operand: all words behind "--", a command to run
 *	anything with .parse what that function makes of it (enums by name)
 *
 * Of two options of the same name in a table and its fragments the first counts: so an applet gives a shared option a
 * letter, or another default.
 *
 * An option given twice keeps the last value, as in argparse; but lists are put together: a part of what is meant would be
 * missing without a word.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/vec.h"

struct seconds {
	uint64_t ns;
};

struct u32_list {
	uint32_t *data;
	size_t nr, room;
};

/* Words as they stand in argv. */
struct word_list {
	const char **data;
	size_t nr, room;
};

enum option_kind {
	OPTION_KIND_END = 0,
	OPTION_KIND_FRAGMENT, /* another table, for a structure inside this one */
	OPTION_KIND_HELP,     /* -h, which every table has */
	OPTION_KIND_FLAG,
	OPTION_KIND_U32,
	OPTION_KIND_U64,
	OPTION_KIND_INT,
	OPTION_KIND_SECONDS,
	OPTION_KIND_TEXT,
	OPTION_KIND_U32_LIST,
	OPTION_KIND_WORDS,
	OPTION_KIND_COMMAND,
};

struct option_spec {
	enum option_kind kind;
	char letter;         /* 'F' for -F; 0 = long name only */
	const char *name;    /* long name without dashes; of an operand: what messages call it */
	const char *metavar; /* what the value is called in help: "HZ"; NULL for flags */
	const char *help;    /* lower case, no full stop */
	size_t offset;       /* of the field */

	uint64_t min, max;     /* of numbers; max 0 = the type's limit */
	uint32_t otherwise;    /* of a uint32_t: its value when none is given, which may be then; 0 = must be given */
	const char *noun;      /* what the value should have been, for messages: "a frequency"; NULL = by kind */
	const char *exclusive; /* options with the same word here exclude each other; NULL = none */
	bool operand;          /* a word without dash, taken in table order */
	bool required;         /* operands only */
	bool hidden;           /* works, but help and man page are silent about it */
	bool ours; /* bcc's tool has no such option: gives way when a prefix could also mean one of bcc's */

	/* Turns the text into the field, 0 or a usage error; replaces what the kind would do. */
	int (*parse)(const char *text, void *field);

	const struct option_spec *fragment; /* OPTION_KIND_FRAGMENT: its table */
};

#define OPTION_KIND_OF(field)                          \
	_Generic((field),                              \
		bool: OPTION_KIND_FLAG,                \
		uint32_t: OPTION_KIND_U32,             \
		uint64_t: OPTION_KIND_U64,             \
		int: OPTION_KIND_INT,                  \
		struct seconds: OPTION_KIND_SECONDS,   \
		const char *: OPTION_KIND_TEXT,        \
		struct u32_list: OPTION_KIND_U32_LIST, \
		struct word_list: OPTION_KIND_WORDS,   \
		char *const *: OPTION_KIND_COMMAND)

#define OPTION_FIELD(structure, field) \
	.kind = OPTION_KIND_OF(((structure *)0)->field), .offset = offsetof(structure, field)

/* OPTION(letter, name, structure, field, metavar, help, further members...) */
#define OPTION(letter_, name_, structure, field, metavar_, help_, ...)                \
	{                                                                             \
		OPTION_FIELD(structure, field), .letter = (letter_), .name = (name_), \
		.metavar = (metavar_),          .help = (help_),     ##__VA_ARGS__,   \
	}

/* OPERAND(name, structure, field, help, further members...) */
#define OPERAND(name_, structure, field, help_, ...) \
	{ OPTION_FIELD(structure, field), .name = (name_), .help = (help_), .operand = true, ##__VA_ARGS__ }

/* The options of `table`, which fill the member `field` of `structure`. */
#define OPTION_FRAGMENT(table, structure, field) \
	{ .kind = OPTION_KIND_FRAGMENT, .fragment = (table), .offset = offsetof(structure, field) }

#define OPTION_END { .kind = OPTION_KIND_END }

/* A table with its fragments laid out flat and -h behind it: what the parser and the help walk over. */
struct option_entry {
	const struct option_spec *spec;
	size_t offset; /* of the field in the whole options structure */
};

struct option_list {
	VEC(struct option_entry) entries;
};

void option_list_init(struct option_list *list, const struct option_spec *table);
void option_list_done(struct option_list *list);

/* False for operands, flags, -h, and options that may be given without a value. */
bool option_takes_value(const struct option_spec *spec);

#define OPTIONS_HELP 1 /* -h or --help was met: nothing more was parsed */

/*
 * Parses argv[1] and on into `options`, a structure that already holds the defaults. 0, OPTIONS_HELP, or a usage error:
 * -EINVAL, or -EEXIST when two options exclude each other (bcc's stackcount has a status of its own for that). Texts
 * and commands point into argv, which ends with NULL. Free with options_done() in every case.
 */
int options_parse(const struct option_spec *table, int argc, char **argv, void *options);

/* Frees the lists that parsing put into the structure. */
void options_done(const struct option_spec *table, void *options);
