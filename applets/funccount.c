/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "applets/probe.h"
#include "core/cli/applet.h"

static const struct option_spec table[] = {
	RUN_FRAGMENT(watch_table),
	RUN_OPTION('c', "cpu", plan.cpus, "CPU,...", "only these CPUs, like 0-3,5", CPUS, .also = 'C'),
	OPTION_SECONDS('i', "interval", struct run_options, plan.interval_ns, "print a report every SECONDS"),
	OPTION_SECONDS('d', "duration", struct run_options, plan.duration_ns,
		       "stop after this time (default: at Ctrl-C)", .also = 'D'),
	RUN_OPTION('T', "timestamp", plan.view.timestamps, NULL, "print the time before each report"),
	RUN_FRAGMENT(probe_table),
	RUN_FRAGMENT(limit_table),
	RUN_FRAGMENT(group_table),
	RUN_FRAGMENT(screen_table),
	RUN_FRAGMENT(common_table),
	COMMAND,
	OPTION_END,
};

/* -D means --debug in bcc's funccount. */
static const struct option_spec bcc_table[] = {
	RUN_OPTION('D', "debug", plan.debug, NULL, "print the plan and the BPF configuration first"),
	OPTION_SECONDS('d', "duration", struct run_options, plan.duration_ns,
		       "stop after this time (default: at Ctrl-C)"),
	RUN_FRAGMENT(table),
	OPTION_END,
};

static const struct run_options defaults = {
	.plan = { PLAN_DEFAULTS, .applet = "funccount", .mode = EVENTS_BY_PROBE, .key_parts = KEY_PROBE,
		  .include_idle = true, /* also counts events of the idle task */
		  /* the name of the event is printed as a kernel frame */
		  .view = { .style = VIEW_FUNCCOUNT, .want_kernel = true } },
};

static int plan(struct run_options *options)
{
	return common_plan(options) ?: probe_plan(options);
}

static const struct applet_example examples[] = {
	{ "'vfs_*'", "count kernel functions that begin with vfs_" },
	{ "-r '^vfs.*'", "the same, as a regular expression" },
	{ "-Ti 5 'vfs_*'", "a report every 5 seconds, with the time" },
	{ "-d 10 'vfs_*'", "for 10 seconds only", true },
	{ "-p 185 'vfs_*'", "only calls of process 185", true },
	{ "t:sched:sched_process_fork", "a kernel tracepoint" },
	{ "'t:block:*'", "all tracepoints of the block layer" },
	{ "-p 185 'u:node:gc*'", "the USDT probes of node's garbage collector" },
	{ "c:malloc", "calls of malloc of the C library" },
	{ "-p 185 'go:os.*'", "the functions of Go's package os in process 185" },
	{ "'./test:read*'", "functions of a program that begin with read" },
	{ "-c 1 'vfs_*'", "only calls on CPU 1" },
	{ "'c:str*' -- sort words.txt", "string functions that a command calls, from start to end", true },
	{},
};

const struct applet funccount_applet = {
	.name = "funccount",
	.bcc_name = "funccount",
	.summary = "count calls of functions, tracepoints and USDT probes by name",
	.description =
		"Counts how often each event that matches a PATTERN is reached. Rows are sorted, the most frequent "
		"last; events that were not reached are omitted.\n\n"
		"It takes no stacks, so it is the cheapest way to see what is busy. Functions of the same name are "
		"counted together, as are the places of one USDT probe; C++ and Rust names are demangled. 'stacktool "
		"count' shows who calls one of them.\n\n" COMMAND_DESCRIPTION,
	.overhead =
		"Each event adds to a counter per CPU, in about 70 nanoseconds; no stack is taken. The probe itself "
		"costs extra: a probed user function traps into the kernel and back, 1 to 2 microseconds in the "
		"traced program.",
	.options = table,
	.bcc_options = bcc_table,
	.examples = examples,
	.options_size = sizeof(struct run_options),
	.defaults = &defaults,
	.plan = plan,
	.header = probe_header,
	.footer = "Detaching...",
};
