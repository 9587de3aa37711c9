/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses the words of a command line by a table of options. */
#pragma once

#include "core/cli/option_spec.h"

/* An entry of a table with all its fragments, and -h at the end: the parser and the help loop over these. */
struct option_entry {
	const struct option_spec *spec;
	size_t offset; /* of the field, in the whole options structure */
	bool hidden; /* it works, or is refused with a reason, but help and man page do not mention it */
};

struct option_list {
	struct option_entry *data;
	size_t nr, room;
};

void option_list_init(struct option_list *list, const struct option_spec *table);
void option_list_done(struct option_list *list);

/* False for operands, flags, -h, and options that may be given without a value. */
bool option_takes_value(const struct option_spec *spec);

#define OPTIONS_HELP 1 /* -h or --help was found: parsing stopped there */
#define OPTIONS_HELP_ALL 2 /* --help=all */

/*
 * Parses argv, from argv[1] on, into `options`, which already has the defaults. 0, OPTIONS_HELP, OPTIONS_HELP_ALL, or a usage error:
 * -EINVAL, or -EEXIST if two options exclude each other (bcc's stackcount has its own status for that). Texts and
 * commands point into argv, which ends with NULL. Free with options_done() in every case.
 */
int options_parse(const struct option_spec *table, int argc, char **argv, void *options);

/* Frees the lists in the structure that parsing has filled. */
void options_done(const struct option_spec *table, void *options);
