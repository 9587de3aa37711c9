/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "applets/common.h"
#include "core/base/err.h"
#include "core/cli/applet.h"
#include "core/run/run.h"

struct diff_options {
	struct diff_request request;
	bool folded;
};

static const struct option_spec table[] = {
	OPTION('n', "normalize", struct diff_options, request.output.normalize, NULL,
	       "scale BEFORE to the total of NOW, for profiles of different length"),
	OPTION('f', "folded", struct diff_options, folded, NULL, "folded lines 'stack before now', for other tools"),
	OPTION(0, "top", struct diff_options, request.output.limit, "N",
	       "print only the N functions that changed most (default 30)", .min = 1),
	OPTION('v', "verbose", struct diff_options, request.verbose, NULL,
	       "print notes even if nothing is missing: how many stacks are complete, and the account of samples"),
	OPTION(0, "negate", struct diff_options, request.output.negate, NULL,
	       "draw what grew in blue and what shrank in red"),
	OPTION(0, "debug-dir", struct diff_options, request.debug_directories, "DIR[:DIR...]",
	       "for profiles made with --no-symbolize: search for programs and debug files by build id here first, "
	       "then in /usr/lib/debug, then at their own paths",
	       .parse = debug_directories_parse),
	OPTION_FRAGMENT(filter_table, struct diff_options, request.filter),
	OPTION('o', "output", struct diff_options, request.output.path, "FILE",
	       "write the difference to FILE; the suffix selects the format: .txt, .folded, .svg or .html. May be given "
	       "several times",
	       .parse = output_parse),
	OPTION(0, "format", struct diff_options, request.output.format, "NAME",
	       "format of the difference: text (the table), folded, svg or html", .values = "text folded svg html",
	       .parse = output_format_parse),
	OPTION_FRAGMENT(output_table, struct diff_options, request.output),
	OPTION_FRAGMENT(graph_table, struct diff_options, request.output),
	OPERAND("before", struct diff_options, request.before, "a saved profile, folded stacks or text of perf script",
		.required = true),
	OPERAND("now", struct diff_options, request.now, "the profile to compare it with", .required = true),
	OPTION_END,
};

static int compare(void *block)
{
	struct diff_options *options = block;
	struct output_options *output = &options->request.output;
	int err = options->folded ? output_options_ask(output, "-f/--folded", OUTPUT_FOLDED)
				  : output_options_settle(output);

	if (!err && output->limit && !(output_options_forms(output) & (1U << OUTPUT_DEFAULT | 1U << OUTPUT_TEXT)))
		err = fail_usage("argument --top: only for the table (text)");
	return err ?: run_diff(&options->request);
}

static const struct applet_example examples[] = {
	{ "before.stk now.stk", "the functions that changed most", true },
	{ "-n before.stk now.stk", "the same for runs of different length", true },
	{ "-o change.svg before.stk now.stk", "a flame graph of NOW: red grew, blue shrank", true },
	{ "-f before.folded now.folded", "lines with two numbers" },
	{},
};

const struct applet diff_applet = {
	.name = "diff",
	.summary = "compare two profiles",
	.description =
		"Compares two saved profiles, or folded stacks of any tool. The result is a table of the functions "
		"whose self time changed most, or a flame graph: widths show NOW, red boxes grew, blue boxes shrank. "
		"Stacks that exist only in BEFORE have no width; the picture prints their total, and the HTML page "
		"(-o FILE.html) can show the widths of BEFORE.\n\n"
		"If the profiles have no command in common, stacks are compared without the command, and a NOTE "
		"reports it; --root comm keeps the command.",
	.options = table,
	.examples = examples,
	.options_size = sizeof(struct diff_options),
	.main = compare,
};
