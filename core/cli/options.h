/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The words of a command line, parsed by a table of options. */
#pragma once

#include "core/cli/option_spec.h"

/* An entry of a table with its fragments laid out flat and -h at the end: what the parser and the help walk over. */
struct option_entry {
	const struct option_spec *spec;
	size_t offset; /* of the field in the whole options structure */
};

struct option_list {
	struct option_entry *data;
	size_t nr, room;
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
