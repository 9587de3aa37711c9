/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report: prints a profile that --save kept, without root and on any machine. */
#include "core/applet.h"
#include "core/run.h"

struct report_options {
	struct report_change change;
	const char *path;
};

static const struct option_spec table[] = {
	OPTION('f', "folded", struct report_options, change.folded, NULL,
	       "folded output, one line per stack, for flame graphs", .exclusive = "form"),
	OPTION(0, "text", struct report_options, change.text, NULL, "text although the run was folded",
	       .exclusive = "form"),
	OPTION('d', "delimited", struct report_options, change.delimited, NULL,
	       "a delimiter between kernel and user stack"),
	OPTION('a', "annotations", struct report_options, change.annotate, NULL,
	       "_[k] behind kernel frames in folded output"),
	OPTION('s', "offset", struct report_options, change.offsets, NULL, "offsets behind the names",
	       .exclusive = "names"),
	OPTION(0, "plain", struct report_options, change.plain, NULL, "names alone, without offset and module",
	       .exclusive = "names"),
	OPTION('A', "address", struct report_options, change.addresses, NULL, "raw addresses before the names"),
	OPTION('T', "timestamp", struct report_options, change.timestamps, NULL, "the time before each report"),
	OPTION(0, "by-name", struct report_options, change.by_name, NULL, "one row for all stacks that print the same"),
	OPTION('v', "verbose", struct report_options, change.verbose, NULL,
	       "the account of timed samples even when nothing is missing"),
	OPERAND("file", struct report_options, path, "the profile, as --save wrote it", .required = true,
		.noun = "a file name"),
	OPTION_END,
};

static int print_report(const void *block)
{
	const struct report_options *options = block;

	return run_saved(options->path, &options->change);
}

static const struct applet_example examples[] = {
	{ "five.stk", "what 'stacktool profile --save five.stk 5' printed" },
	{ "-f five.stk", "the same profile in folded format for flame graphs" },
	{ "--plain five.stk", "with names alone" },
	{},
};

const struct applet report_applet = {
	.name = "report",
	.summary = "print a saved profile",
	.description =
		"Prints a profile that an applet kept with --save: the same bytes as the run itself, also on another "
		"machine and without root. Options add to what the run was told to show.",
	.options = table,
	.examples = examples,
	.options_size = sizeof(struct report_options),
	.main = print_report,
};
