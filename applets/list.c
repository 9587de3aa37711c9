/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "applets/probe.h"
#include "core/cli/applet.h"
#include "core/run/run.h"

static const struct option_spec table[] = {
	RUN_OPTION('p', "pid", plan.tgids, "PID|NAME,...", "search for libraries as these processes see them",
		   PROCESSES),
	RUN_OPTION('l', "library", library, "LIB", "the library or program of the function, as in LIB:PATTERN"),
	RUN_OPTION('r', "regexp", regex, NULL,
		   "the pattern is a regular expression; otherwise '*' is its only wildcard"),
	RUN_OPTION(0, "force", plan.force, NULL,
		   "include functions that are known to hang hosts, as 'count --force' does"),
	RUN_OPTION(0, "no-demangle", plan.no_demangle, NULL,
		   "do not demangle C++, Rust and D names; patterns match either form"),
	OPERAND("pattern", struct run_options, patterns, PATTERN_HELP, .required = true),
	OPTION_END,
};

static const struct run_options defaults = {
	.plan = { PLAN_DEFAULTS, .applet = "list", .look_only = true, .max_probes = UINT32_MAX },
};

static int list(void *block)
{
	struct run_options *options = block;
	int err = probe_plan(options) ?: run_list(&options->plan);

	plan_done(&options->plan);
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
	.options_size = sizeof(struct run_options),
	.defaults = &defaults,
	.main = list,
};
