/* SPDX-License-Identifier: GPL-2.0-or-later */
/* funccount: how often each function of a pattern is reached. A drop-in for bcc's funccount. */
#include "applets/probe.h"
#include "core/cli/applet.h"

struct funccount_options {
	struct watch_options watch;
	struct seconds interval, duration;
	bool timestamps;
	struct probe_options probe;
	struct limit_options limit;
	struct group_options groups;
	struct common_options common;
};

static const struct option_spec table[] = {
	OPTION_FRAGMENT(watch_table, struct funccount_options, watch),
	OPTION('c', "cpu", struct funccount_options, watch.cpu, "CPU", "only this CPU", .max = CPU_MAX,
	       .noun = "a CPU number"),
	OPTION('i', "interval", struct funccount_options, interval, "SECONDS", "print a report every SECONDS"),
	OPTION('d', "duration", struct funccount_options, duration, "SECONDS",
	       "stop after this time (default: at Ctrl-C)"),
	OPTION('T', "timestamp", struct funccount_options, timestamps, NULL, "print the time before each report"),
	OPTION_FRAGMENT(probe_table, struct funccount_options, probe),
	OPTION_FRAGMENT(limit_table, struct funccount_options, limit),
	OPTION('D', "debug", struct funccount_options, common.debug, NULL,
	       "print the plan and the BPF instructions first"),
	OPTION_FRAGMENT(group_table, struct funccount_options, groups),
	OPTION_FRAGMENT(common_table, struct funccount_options, common),
	COMMAND(struct funccount_options, watch.command),
	OPTION_END,
};

static const struct funccount_options defaults = { .watch = WATCH_DEFAULTS };

static int plan(const void *block, struct plan *plan)
{
	const struct funccount_options *options = block;

	plan->applet = "funccount";
	plan->mode = EVENTS_BY_PROBE;
	plan->key_parts = KEY_PROBE;
	watch_plan(&options->watch, plan);
	plan->duration_ns = options->duration.ns;
	plan->interval_ns = options->interval.ns;
	plan->view = (struct profile_view){
		.style = VIEW_FUNCCOUNT,
		.timestamps = options->timestamps,
		.want_kernel = true, /* the name of the event stands where the kernel's frames would */
	};
	group_plan(&options->groups, plan);
	limit_plan(&options->limit, plan);
	return common_plan(&options->common, plan) ?: probe_plan(&options->probe, plan);
}

static const struct applet_example examples[] = {
	{ "'vfs_*'", "count kernel functions that begin with vfs_" },
	{ "-r '^vfs.*'", "the same as a regular expression" },
	{ "-Ti 5 'vfs_*'", "a report every 5 seconds, with the time" },
	{ "-d 10 'vfs_*'", "for 10 seconds only" },
	{ "-p 185 'vfs_*'", "only calls of process 185" },
	{ "t:sched:sched_fork", "a kernel tracepoint" },
	{ "'t:block:*'", "all tracepoints of the block layer" },
	{ "-p 185 'u:node:gc*'", "the USDT probes of node's garbage collector" },
	{ "c:malloc", "calls of malloc of the C library" },
	{ "-p 185 'go:os.*'", "the functions of Go's package os in process 185" },
	{ "'./test:read*'", "functions of a program that begin with read" },
	{ "-c 1 'vfs_*'", "only calls on CPU 1" },
	{ "'c:str*' -- sort words.txt", "string functions that a command calls, from start to end" },
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
	.examples = examples,
	.options_size = sizeof(struct funccount_options),
	.defaults = &defaults,
	.plan = plan,
	.header = probe_header,
	.footer = "Detaching...",
};
