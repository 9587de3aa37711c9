/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Command line options as a table: one entry gives the parser, the help and the man page of an option. options.h reads it.
 *
 * static const struct option_spec profile_table[] = {
 * 	OPTION('F', "frequency", struct profile_options, frequency_hz, "HZ", "samples per second",
 * 	       .min = 1, .max = 1000000, .noun = "a frequency", .exclusive = "rate"),
 * 	OPTION_FRAGMENT(common_table, struct profile_options, common),
 * 	OPERAND("duration", struct profile_options, duration, "how long to sample, in seconds"),
 * 	OPTION_END,
 * };
 *
 * The type of the field decides what the option takes:
 *
 * bool                   flag, takes no value
 * uint32_t, uint64_t     number from .min to .max (0: the limit of the type)
 * int                    the same, for a field whose default is -1: "not given"
 * const char *           text, not empty; points into argv
 * struct u32_list        numbers separated by commas, each from .min to .max; with .ranges also "0-3"
 * struct word_list       an operand, the last one: any number of words
 * char *const *          an operand: all words after "--", a command to run
 * anything with .parse   what that function makes of it (enums by name)
 *
 * OPTION_SECONDS fills a uint64_t with nanoseconds from 5, 0.5, 500ms, 2m or 1h; at least a millisecond. OPTION_MICROSECONDS fills one with
 * microseconds from 5 (microseconds, as in bcc), 5us, 1.5ms or 2s.
 *
 * If a table and its fragments have two options of the same name, the first one counts: an applet can give a shared option another letter
 * or help text. An option given twice keeps the last value, as in argparse; lists are joined.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/vec.h"

enum option_kind {
	OPTION_KIND_END = 0,
	OPTION_KIND_FRAGMENT, /* another table, for a structure inside this one */
	OPTION_KIND_HELP,     /* -h, which every table has */
	OPTION_KIND_FLAG,
	OPTION_KIND_U32,
	OPTION_KIND_U64,
	OPTION_KIND_INT,
	OPTION_KIND_SECONDS,
	OPTION_KIND_MICROSECONDS,
	OPTION_KIND_TEXT,
	OPTION_KIND_U32_LIST,
	OPTION_KIND_WORDS,
	OPTION_KIND_COMMAND,
};

struct option_spec {
	enum option_kind kind;
	char letter;         /* 'F' for -F; 0 = long name only */
	char also; /* a second letter, for users of other applets; 0: none */
	const char *name;    /* long name without dashes, or the name of an operand in messages */
	const char *metavar; /* the value's name in help: "HZ"; NULL for flags */
	const char *help;    /* lower case, no full stop */
	size_t offset;       /* of the field */

	uint64_t min, max; /* of numbers; max 0: limit of the type */
	bool ranges; /* of a list: ranges ("0-3") are allowed */
	const char *values; /* completed by shells, separated by spaces; NULL: file names are completed */
	const char *noun; /* the expected value in messages: "a frequency"; NULL: by kind */
	const char *exclusive; /* options with the same word here exclude each other; NULL: none */
	bool operand;          /* a word without dash; operands are filled in the order of the table */
	bool required;         /* operands only */
	bool hidden; /* not in help and man page; of a fragment: all its options */
	bool ours; /* bcc's tool does not have it: an abbreviation that fits one of bcc's options too means that option */

	/* Parses the text into the field, in place of the parser of the kind. 0 or a usage error. */
	int (*parse)(const char *text, void *field);

	const struct option_spec *fragment; /* table of an OPTION_KIND_FRAGMENT */
};

#define OPTION_KIND_OF(field)                          \
	_Generic((field),                              \
		bool: OPTION_KIND_FLAG,                \
		uint32_t: OPTION_KIND_U32,             \
		uint64_t: OPTION_KIND_U64,             \
		int: OPTION_KIND_INT,                  \
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

/* OPTION_SECONDS(letter, name, structure, field, help, further members...): the field is a uint64_t of nanoseconds */
#define OPTION_SECONDS(letter_, name_, structure, field, help_, ...)                      \
	{                                                                                 \
		.kind = _Generic(((structure *)0)->field, uint64_t: OPTION_KIND_SECONDS), \
		.offset = offsetof(structure, field),                                     \
		.letter = (letter_),                                                      \
		.name = (name_),                                                          \
		.metavar = "SECONDS",                                                     \
		.help = (help_),                                                          \
		##__VA_ARGS__,                                                            \
	}

/* OPTION_MICROSECONDS(letter, name, structure, field, help, further members...): the field is a uint64_t of microseconds */
#define OPTION_MICROSECONDS(letter_, name_, structure, field, help_, ...)                      \
	{                                                                                      \
		.kind = _Generic(((structure *)0)->field, uint64_t: OPTION_KIND_MICROSECONDS), \
		.offset = offsetof(structure, field),                                          \
		.letter = (letter_),                                                           \
		.name = (name_),                                                               \
		.metavar = "US",                                                               \
		.help = (help_),                                                               \
		##__VA_ARGS__,                                                                 \
	}

/* OPERAND(name, structure, field, help, further members...) */
#define OPERAND(name_, structure, field, help_, ...) \
	{ OPTION_FIELD(structure, field), .name = (name_), .help = (help_), .operand = true, ##__VA_ARGS__ }

/* Adds the options of `table`, which fill the member `field` of `structure`. */
#define OPTION_FRAGMENT(table, structure, field, ...) \
	{ .kind = OPTION_KIND_FRAGMENT, .fragment = (table), .offset = offsetof(structure, field), ##__VA_ARGS__ }

#define OPTION_END { .kind = OPTION_KIND_END }
