/* SPDX-License-Identifier: GPL-2.0-or-later */
/* list: what a pattern of count matches. */
#include "applets/probe.h"
#include "core/cli/applet.h"
#include "core/resolve/probe_spec.h"
#include "core/run/run.h"

struct list_options {
	struct u32_list tgids;
	const char *library;
	bool regex;
	bool force;
	bool no_demangle;
	const char *pattern;
};

static const struct option_spec table[] = {
	OPTION('p', "pid", struct list_options, tgids, "PID,...", "search for libraries as these processes see them",
	       .min = 1, .max = PID_MAX, .noun = "a list of process ids"),
	OPTION('l', "library", struct list_options, library, "LIB",
	       "the library or program of the function, as in LIB:PATTERN", .noun = "a library"),
	OPTION('r', "regexp", struct list_options, regex, NULL,
	       "the pattern is a regular expression; otherwise '*' is its only wildcard"),
	OPTION(0, "force", struct list_options, force, NULL,
	       "include functions that are known to hang hosts, as 'count --force' does"),
	OPTION(0, "no-demangle", struct list_options, no_demangle, NULL,
	       "do not demangle C++, Rust and D names; patterns match either form"),
	OPERAND("pattern", struct list_options, pattern, PATTERN_HELP, .required = true, .noun = "a pattern"),
	OPTION_END,
};

static int list(const void *block)
{
	const struct list_options *options = block;
	struct plan plan;
	int err;

	plan_init(&plan);
	plan.applet = "list";
	plan.look_only = true;
	plan.max_probes = UINT32_MAX;
	plan.force = options->force;
	plan.no_demangle = options->no_demangle;
	plan_add_ids(&plan.tgids, &options->tgids);
	err = probe_spec_parse(options->pattern, options->library, options->regex, &plan.probe);
	if (!err)
		err = run_list(&plan);
	plan_done(&plan);
	return err;
}

static const struct applet_example examples[] = {
	{ "'tcp_send*'", "kernel functions, with their modules" },
	{ "t:sched:*", "tracepoints" },
	{ "c:*alloc", "functions of the C library, with their file" },
	{ "-p 185 c:malloc", "the C library that process 185 uses" },
	{ "'u:libstdc++.so.6:*'", "USDT probes" },
	{ "-r 'c:(read|write)$'", "by a regular expression" },
	{},
};

const struct applet list_applet = {
	.name = "list",
	.summary = "print what a pattern matches",
	.description =
		"Prints the events that 'stacktool count' would count for the same pattern and options, one per "
		"line: kind, name, and the module of a kernel function or the file of a user function or USDT probe. "
		"Functions at the same address are one event, printed under one of their names. A USDT probe has a "
		"line for each of its places. What cannot be probed is omitted.\n\n"
		"It does not check whether this host can attach there: see 'stacktool doctor'. It prints any number "
		"of matches, while count refuses more than 1000 kernel functions or tracepoints without "
		"--max-probes. Kernel functions need root; user functions and USDT probes need only a readable file, "
		"and tracepoints a readable tracefs.",
	.options = table,
	.examples = examples,
	.options_size = sizeof(struct list_options),
	.main = list,
};
