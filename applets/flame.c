/* SPDX-License-Identifier: GPL-2.0-or-later */
/* flame: a flame graph of folded stacks, from whatever tool they come. */
#include "applets/common.h"
#include "core/cli/applet.h"
#include "core/run/run.h"

struct flame_options {
	struct output_options output;
	struct filter_options filter;
	const char *path, *debug_directories;
};

static const struct option_spec table[] = {
	OPTION(0, "debug-dir", struct flame_options, debug_directories, "DIR[:DIR...]",
	       "for profiles made with --no-symbolize: search for programs and debug files by build id here first, "
	       "then in /usr/lib/debug, then at their own paths",
	       .noun = "a directory"),
	OPTION_FRAGMENT(filter_table, struct flame_options, filter),
	OPTION_FRAGMENT(output_table, struct flame_options, output),
	OPTION_FRAGMENT(graph_table, struct flame_options, output),
	OPERAND("file", struct flame_options, path, "folded stacks or a saved profile (default: standard input)",
		.noun = "a file name"),
	OPTION_END,
};

static const struct flame_options defaults = { .path = "-" };

static int draw(const void *block)
{
	const struct flame_options *options = block;
	const struct filter filter = filter_of(&options->filter);
	const struct report_change change = { .debug_directories = options->debug_directories };
	struct output_options output = options->output;
	int err;

	if (!output.path && !output.format)
		output.format = OUTPUT_SVG;
	err = output_options_settle(&output);
	return err ? err : run_saved(options->path, &change, &output, &filter);
}

static const struct applet_example examples[] = {
	{ "-o out.svg out.folded", "a flame graph of folded stacks in a file" },
	{ "< out.folded > out.svg", "the same as a filter" },
	{ "-o out.html out.folded", "an HTML page: search, regroup, invert" },
	{ "--colors java --inverted -o out.svg out.folded", "other colours, the root on top" },
	{},
};

const struct applet flame_applet = {
	.name = "flame",
	.summary = "draw a flame graph of folded stacks",
	.description =
		"Reads folded stacks ('main;read 12', one per line, from any tool) and draws a flame graph: an SVG, "
		"or with -o FILE.html a page. Click to zoom; search takes a regular expression. Both work without a "
		"network.\n\nThe width of a box is the number of samples that have this function at this place in "
		"the stack. Boxes are sorted by name; left to right is not time.",
	.options = table,
	.examples = examples,
	.options_size = sizeof(struct flame_options),
	.defaults = &defaults,
	.main = draw,
};
