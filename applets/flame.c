/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "applets/common.h"
#include "core/cli/applet.h"
#include "core/run/run.h"

static const struct option_spec table[] = {
	OPTION(0, "debug-dir", struct report_request, debug_directories, "DIR[:DIR...]",
	       "for profiles made with --no-symbolize: search for programs and debug files by build id here first, "
	       "then in /usr/lib/debug, then at their own paths",
	       .parse = debug_directories_parse),
	OPTION_FRAGMENT(filter_table, struct report_request, filter),
	OPTION_FRAGMENT(output_table, struct report_request, output),
	OPTION_FRAGMENT(graph_table, struct report_request, output),
	OPERAND("file", struct report_request, path,
		"folded stacks, text of perf script or a saved profile (default: standard input)"),
	OPTION_END,
};

static const struct report_request defaults = { .path = "-" };

static int draw(void *block)
{
	struct report_request *request = block;

	if (!request->output.path && !request->output.format)
		request->output.format = OUTPUT_SVG;
	return output_options_settle(&request->output) ?: run_saved(request);
}

static const struct applet_example examples[] = {
	{ "-o out.svg out.folded", "a flame graph of folded stacks in a file", true },
	{ "< out.folded > out.svg", "the same, as a filter", true },
	{ "-o out.html out.folded", "an HTML page: search, regroup, invert", true },
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
	.options_size = sizeof(struct report_request),
	.defaults = &defaults,
	.main = draw,
};
