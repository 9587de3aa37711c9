/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "core/cli/option_spec.h"

/* One option of a table or of its fragments. Lists end with -h. */
struct option_entry {
	const struct option_spec *spec;
	size_t offset; /* of the field, in the whole options structure */
	bool hidden; /* not in help and man page; the option works, or is refused with a reason */
};

struct option_list {
	struct option_entry *data;
	size_t nr, room;
};

void option_list_init(struct option_list *list, const struct option_spec *table);
void option_list_done(struct option_list *list);

/* False for operands, flags, and -h, whose value may be omitted. */
bool option_takes_value(const struct option_spec *spec);

#define OPTIONS_HELP 1 /* -h or --help was found and ended parsing */
#define OPTIONS_HELP_ALL 2 /* --help=all */

/*
 * Parses argv, from argv[1] on, into `options`, which has the defaults. Returns 0, OPTIONS_HELP, OPTIONS_HELP_ALL or a usage error:
 * -EINVAL, or -EEXIST if two options exclude each other (bcc's stackcount has its own status for that). Texts and commands point into argv,
 * which ends with NULL. Free with options_done() in every case.
 */
int options_parse(const struct option_spec *table, int argc, char **argv, void *options);

/* Frees the lists that options_parse() has filled. */
void options_done(const struct option_spec *table, void *options);
