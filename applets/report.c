/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "applets/common.h"
#include "core/base/err.h"
#include "core/cli/applet.h"
#include "core/run/run.h"
#include "core/run/terminal.h"

struct report_options {
	struct report_request request;
	bool tree, functions;
	uint32_t top, least;
};

static const struct option_spec table[] = {
	OPTION('f', "folded", struct report_options, request.folded, NULL,
	       "folded output, one line per stack, for flame graphs", .exclusive = "form"),
	OPTION(0, "text", struct report_options, request.text, NULL, "text, even if the run used -f",
	       .exclusive = "form"),
	OPTION(0, "tree", struct report_options, tree, NULL,
	       "a call tree with total and self; with --reverse a caller tree", .exclusive = "form"),
	OPTION(0, "functions", struct report_options, functions, NULL,
	       "a table of the functions with the most self time", .exclusive = "form"),
	OPTION(0, "tui", struct report_options, request.tui, NULL, "browse the call tree in the terminal",
	       .exclusive = "form"),
	OPTION(0, "histogram", struct report_options, request.histogram, NULL,
	       "text with histograms below the stacks, for runs with --timestamps (those with --histogram have them "
	       "anyway)",
	       .exclusive = "form"),
	OPTION(0, "top", struct report_options, top, "N",
	       "print only the N heaviest rows, with --functions the N heaviest functions (default 30)", .min = 1),
	OPTION(0, "lines", struct report_options, request.lines, NULL, "show source lines after function names"),
	OPTION(0, "inlines", struct report_options, request.inlines, NULL, "show inlined functions as frames"),
	OPTION(0, "least", struct report_options, least, "PERCENT", "omit smaller branches from the tree (default 1)",
	       .parse = graph_percent_parse),
	OPTION('d', "delimited", struct report_options, request.delimited, NULL,
	       "print a delimiter between kernel and user stack"),
	OPTION('a', "annotations", struct report_options, request.annotate, NULL,
	       "append _[k] to kernel frames and _[i] to inlined frames in folded output"),
	OPTION('s', "offset", struct report_options, request.offsets, NULL, "print the offset after each name",
	       .exclusive = "names"),
	OPTION(0, "plain", struct report_options, request.plain, NULL, "print names without offset and module",
	       .exclusive = "names"),
	OPTION('A', "address", struct report_options, request.addresses, NULL, "print raw addresses before the names"),
	OPTION('T', "timestamp", struct report_options, request.timestamps, NULL, "print the time before each report"),
	OPTION(0, "by-name", struct report_options, request.by_name, NULL,
	       "merge rows whose printed stacks are the same"),
	OPTION('v', "verbose", struct report_options, request.verbose, NULL,
	       "print notes even if nothing is missing: how many stacks are complete, and the account of samples"),
	OPTION(0, "redact", struct report_options, request.redact, NULL,
	       "replace names of processes, control groups and the host, and paths outside the system's directories"),
	OPTION('q', "quiet", struct report_options, request.quiet, NULL,
	       "print only rows and warnings, no headers or notes"),
	OPTION(0, "debug-dir", struct report_options, request.debug_directories, "DIR[:DIR...]",
	       "for profiles made with --no-symbolize, and for source lines: search for programs and debug files by "
	       "build id here first, then in /usr/lib/debug, then at their own paths",
	       .parse = debug_directories_parse),
	OPTION(0, "vmlinux", struct report_options, request.vmlinux, "FILE",
	       "debug information of the kernel, for --lines and --inlines; its build id must match the kernel's "
	       "(default: look where distributions install it)"),
	OPTION_FRAGMENT(filter_table, struct report_options, request.filter),
	OPTION_FRAGMENT(output_table, struct report_options, request.output),
	OPTION_FRAGMENT(graph_table, struct report_options, request.output),
	OPERAND("file", struct report_options, request.path,
		"a saved profile (--save), folded stacks, or text of perf script; - is standard "
		"input",
		.required = true),
	OPTION_END,
};

/* Refuses options that need another format: text and folded lines always begin with the command. */
static int check_lines(const struct report_options *options, struct output_options *output)
{
	const uint32_t folded = 1U << OUTPUT_FOLDED, forms = output_options_forms(output);
	const uint32_t lines = 1U << OUTPUT_DEFAULT | 1U << OUTPUT_TEXT | 1U << OUTPUT_PERF | folded;

	if (options->request.text && forms & folded)
		return fail_usage("argument --text: not allowed with argument %s, which selects folded",
				  output->format ? "--format" : "-o/--output");
	if (output->root && !(forms & ~lines))
		return fail_usage("argument --root: only for flame graphs, trees, speedscope, pprof, json and stk");
	return options->request.folded ? output_options_fold(output) : 0;
}

static bool wants_rows(const struct report_request *request)
{
	return request->text || request->folded || request->delimited || request->annotate || request->addresses ||
	       request->timestamps || request->histogram || request->top;
}

static int choose_form(const struct report_options *options, struct output_options *output)
{
	int err;

	if (options->least && !options->tree)
		return fail_usage("argument --least: only with --tree");
	if (options->request.tui)
		return output_options_ask_screen(output);
	if (options->tree) {
		output->limit = options->least;
		return output_options_ask(output, "--tree", OUTPUT_TREE);
	}
	if (options->functions) {
		output->limit = options->top;
		return output_options_ask(output, "--functions", OUTPUT_FUNCTIONS);
	}
	err = check_lines(options, output);
	err = err ?: output_options_settle(output);
	err = err ?: terminal_choose_form(output, wants_rows(&options->request));
	if (!err && options->request.histogram)
		err = output_options_histogram(output, false);
	return err;
}

static int print_report(void *block)
{
	struct report_options *options = block;
	struct report_request *request = &options->request;
	int err;

	request->top = options->functions ? 0 : options->top;
	err = choose_form(options, &request->output);
	if (!err && request->vmlinux && !request->lines && !request->inlines)
		err = fail_usage("argument --vmlinux: only with --lines or --inlines");
	return err ? err : run_saved(request);
}

static const struct applet_example examples[] = {
	{ "five.stk", "the same report that 'stacktool profile --save five.stk 5' printed" },
	{ "-f five.stk", "the same profile in folded format for flame graphs" },
	{ "--plain five.stk", "names only" },
	{ "-o five.svg five.stk", "a flame graph that any browser opens", true },
	{ "--tree five.stk", "a call tree, heaviest branch first", true },
	{ "--tree --reverse five.stk", "who calls the functions that are busy" },
	{ "--tui five.stk", "browse the call tree in the terminal", true },
	{ "--functions --comm '^nginx' five.stk", "the busiest functions of one command" },
	{ "-o out.svg out.perf", "a flame graph of what 'perf script' printed" },
	{ "--exclude '^do_idle$' -f five.stk", "without stacks that contain a function" },
	{},
};

const struct applet report_applet = {
	.name = "report",
	.summary = "print a saved profile",
	.description =
		"Prints a profile that an applet saved with --save: the same output as the run itself, byte for byte, "
		"on any machine and without root. Options are added to those of the run.\n\n"
		"It also reads folded stacks of any tool ('main;read 12') and the text of 'perf script', where each "
		"sample counts as many events as its period.",
	.options = table,
	.examples = examples,
	.options_size = sizeof(struct report_options),
	.main = print_report,
};
