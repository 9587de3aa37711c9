/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "applets/probe.h"
#include "core/cli/applet.h"

static const struct option_spec table[] = {
	RUN_FRAGMENT(watch_table),
	RUN_OPTION('c', "cpu", plan.cpus, "CPU,...", "only these CPUs, like 0-3,5", CPUS, .also = 'C'),
	OPTION_SECONDS('i', "interval", struct run_options, plan.interval_ns, "print a report every SECONDS"),
	OPTION_SECONDS('D', "duration", struct run_options, plan.duration_ns,
		       "stop after this time (default: at Ctrl-C)"),
	RUN_OPTION('T', "timestamp", plan.view.timestamps, NULL, "print the time before each report"),
	OUR_OPTION(0, "timestamps", plan.view.times, NULL,
		   "keep the time of each event, for html, the format 'perf' and 'report --since'; needs more memory, "
		   "and drops events that come faster than they can be read"),
	RUN_FRAGMENT(probe_table),
	RUN_OPTION('s', "offset", plan.view.offsets, NULL, "print the offset after each name"),
	OUR_OPTION('A', "address", plan.view.addresses, NULL, "print raw addresses before the names"),
	RUN_OPTION('P', "perpid", plan.view.per_process, NULL, "separate stacks by process"),
	OUR_OPTION(0, "per-thread", plan.view.by_thread, NULL, "separate stacks by thread, named PID/TID"),
	OUR_OPTION(0, "by-name", plan.view.by_name, NULL, "merge rows whose printed stacks are the same"),
	OUR_OPTION(0, "hash-storage-size", plan.count_entries, "N",
		   "size of the kernel's table of rows; seldom needed: a full table loses nothing", MAP_ENTRIES),
	OUR_OPTION(0, "stack-storage-size", plan.record_entries, "N",
		   "size of the kernel's table of stacks already sent; seldom needed", MAP_ENTRIES),
	RUN_FRAGMENT(stack_table),
	OPTION_FRAGMENT(pick_table, struct run_options, plan.filter),
	RUN_FRAGMENT(limit_table),
	RUN_FRAGMENT(group_table),
	RUN_FRAGMENT(screen_table),
	RUN_FRAGMENT(common_table),
	COMMAND,
	OPTION_END,
};

/* -v means -A in bcc's stackcount. */
static const struct option_spec bcc_table[] = {
	RUN_OPTION('v', "verbose", plan.view.addresses, NULL, "print raw addresses before the names"),
	RUN_FRAGMENT(table),
	OPTION_END,
};

static const struct run_options defaults = {
	.plan = { PLAN_DEFAULTS, .applet = "count", .include_idle = true, .view.style = VIEW_STACKCOUNT },
};

/*
 * -p separates processes like -P, because folded lines then begin with the command; only -P prints the line "comm [pid]". A command may
 * start hundreds of processes, so without -P their equal rows are merged.
 */
static int plan(struct run_options *options)
{
	struct plan *plan = &options->plan;
	struct profile_view *view = &plan->view;
	bool lines = view->per_process || view->by_thread;
	bool apart = lines || plan->tgids.nr || plan->tids.nr || plan->command;

	plan->key_parts = apart ? KEY_TGID | KEY_COMM : 0;
	if (view->times || view->by_thread)
		plan->key_parts = KEY_TGID | KEY_TID | KEY_COMM;
	plan->mode = view->times ? EVENTS_EACH : EVENTS_BY_STACK;
	view->per_process = apart;
	view->no_process_line = !lines;
	view->by_name |= plan->command && !options->no_children && !lines;
	stack_plan(options);
	return common_plan(options) ?: probe_plan(options);
}

static const char *const aliases[] = { "stackcount", NULL };

static const struct applet_example examples[] = {
	{ "submit_bio", "kernel and user stacks that lead to submit_bio" },
	{ "-d ip_output", "with a delimiter between kernel and user stack" },
	{ "-s ip_output", "with offsets" },
	{ "-sA ip_output", "with offsets and raw addresses" },
	{ "'tcp_send*'", "all functions that begin with tcp_send" },
	{ "-r '^tcp_send.*'", "the same, as a regular expression" },
	{ "-Ti 5 ip_output", "a report every 5 seconds, with the time" },
	{ "-p 185 ip_output", "only process 185", true },
	{ "-c 1 put_prev_entity", "only CPU 1" },
	{ "c:malloc -- sort words.txt", "calls of malloc in a command, from start to end", true },
	{ "-p 185 c:malloc", "calls of malloc in process 185" },
	{ "-l c -p 185 malloc", "the same in bcc's older syntax" },
	{ "p:./server:http::Connection::read", "a C++ function of a program" },
	{ "t:sched:sched_process_fork", "a kernel tracepoint" },
	{ "-p 185 'u:node:*'", "all USDT probes in node" },
	{ "-K t:sched:sched_switch", "kernel stacks only" },
	{ "-D 10 -o why.html t:sched:sched_switch", "a flame graph as a page to search and zoom in", true },
	{ "-P -df t:sched:sched_switch", "folded, separated by process" },
	{},
};

const struct applet count_applet = {
	.name = "count",
	.aliases = aliases,
	.bcc_name = "stackcount",
	.summary = "count events and the stacks that lead to them",
	.description =
		"Counts how often a function, tracepoint or USDT probe is reached, with one row per kernel and user "
		"stack. Rows are sorted, the most frequent last; the innermost function is on top.\n\n"
		"Without -P, equal stacks of different processes share a row. A PATTERN may match several events; "
		"their stacks are counted together.\n\n" COMMAND_DESCRIPTION,
	.overhead =
		"An event with both stacks and 16 user frames costs about 1.2 microseconds in the kernel. That is 0.6 "
		"times the cost of the kernel's own two stack walks. Unwind tables (-p, --unwind=auto) add about a "
		"fifth. A million events a second would take more than one CPU: run funccount first to see how many "
		"there are. A user function or a USDT probe also costs a trap into the kernel and back, in the traced "
		"program itself, which slows a program that hits it millions of times a second.",
	.options = table,
	.bcc_options = bcc_table,
	.examples = examples,
	.options_size = sizeof(struct run_options),
	.defaults = &defaults,
	.bcc_exclusive_status = 1,
	.plan = plan,
	.header = probe_header,
	.footer = "Detaching...",
};
