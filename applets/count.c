/* SPDX-License-Identifier: GPL-2.0-or-later */
/* count: how often each code path leads to an event. A drop-in for bcc's stackcount. */
#include "applets/probe.h"
#include "core/cli/applet.h"

struct count_options {
	struct watch_options watch;
	struct seconds interval, duration;
	bool timestamps, per_thread;
	bool times;
	bool offsets;
	bool per_process;
	bool by_name;
	bool addresses;
	struct probe_options probe;
	uint32_t hash_entries, stack_entries;
	struct stack_options stacks;
	struct pick_options pick;
	struct limit_options limit;
	struct group_options groups;
	struct common_options common;
};

static const struct option_spec table[] = {
	OPTION_FRAGMENT(watch_table, struct count_options, watch),
	OPTION('c', "cpu", struct count_options, watch.cpu, "CPU", "only this CPU", .max = CPU_MAX,
	       .noun = "a CPU number"),
	OPTION('i', "interval", struct count_options, interval, "SECONDS", "print a report every SECONDS"),
	OPTION('D', "duration", struct count_options, duration, "SECONDS", "stop after this time (default: at Ctrl-C)"),
	OPTION('T', "timestamp", struct count_options, timestamps, NULL, "print the time before each report"),
	OPTION(0, "timestamps", struct count_options, times, NULL,
	       "keep the time of each event, for the format 'perf' and 'report --since'; needs more memory, and "
	       "drops events that come faster than they can be read",
	       .ours = true),
	OPTION_FRAGMENT(probe_table, struct count_options, probe),
	OPTION('s', "offset", struct count_options, offsets, NULL, "print the offset after each name"),
	OPTION('v', "verbose", struct count_options, addresses, NULL, "print raw addresses before the names"),
	OPTION('A', "address", struct count_options, addresses, NULL, "same as -v", .ours = true),
	OPTION('P', "perpid", struct count_options, per_process, NULL, "separate stacks by process"),
	OPTION(0, "per-thread", struct count_options, per_thread, NULL, "separate stacks by thread, named PID/TID",
	       .ours = true),
	OPTION(0, "by-name", struct count_options, by_name, NULL, "merge rows whose printed stacks are the same",
	       .ours = true),
	OPTION(0, "hash-storage-size", struct count_options, hash_entries, "N",
	       "size of the kernel's table of rows; seldom needed: a full table loses nothing", .min = 1,
	       .max = 1 << 24, .ours = true),
	OPTION(0, "stack-storage-size", struct count_options, stack_entries, "N",
	       "size of the kernel's table of stacks already sent; seldom "
	       "needed",
	       .min = 1, .max = 1 << 24, .ours = true),
	OPTION_FRAGMENT(stack_table, struct count_options, stacks),
	OPTION_FRAGMENT(pick_table, struct count_options, pick),
	OPTION_FRAGMENT(limit_table, struct count_options, limit),
	OPTION_FRAGMENT(group_table, struct count_options, groups),
	OPTION_FRAGMENT(common_table, struct count_options, common),
	COMMAND(struct count_options, watch.command),
	OPTION_END,
};

static const struct count_options defaults = { .watch = WATCH_DEFAULTS };

/*
 * -p keeps processes apart as -P does, for folded lines begin with the command then; the line "comm [pid]" is -P's. A
 * command may start hundreds of processes: without -P their rows are one where they print the same.
 */
static void plan_view(const struct count_options *options, struct plan *plan)
{
	bool lines = options->per_process || options->per_thread;
	bool apart = lines || options->watch.tgids.nr || options->watch.tids.nr || options->watch.command;
	bool many = options->watch.command && !options->common.no_children && !lines;

	plan->key_parts = apart ? KEY_TGID | KEY_COMM : 0;
	if (options->times || options->per_thread)
		plan->key_parts = KEY_TGID | KEY_TID | KEY_COMM;
	plan->mode = options->times ? EVENTS_EACH : EVENTS_BY_STACK;
	plan->view = (struct profile_view){
		.style = VIEW_STACKCOUNT,
		.offsets = options->offsets,
		.addresses = options->addresses,
		.per_process = apart,
		.no_process_line = !lines,
		.by_thread = options->per_thread,
		.by_name = options->by_name || many,
		.timestamps = options->timestamps,
		.times = options->times,
	};
}

static int plan(const void *block, struct plan *plan)
{
	const struct count_options *options = block;

	plan->applet = "count";
	watch_plan(&options->watch, plan);
	plan->duration_ns = options->duration.ns;
	plan->interval_ns = options->interval.ns;
	plan->count_entries = options->hash_entries;
	plan->record_entries = options->stack_entries;
	plan_view(options, plan);
	stack_plan(&options->stacks, plan);
	pick_plan(&options->pick, plan);
	group_plan(&options->groups, plan);
	limit_plan(&options->limit, plan);
	return common_plan(&options->common, plan) ?: probe_plan(&options->probe, plan);
}

static const char *const aliases[] = { "stackcount", NULL };

static const struct applet_example examples[] = {
	{ "submit_bio", "kernel and user stacks that lead to submit_bio" },
	{ "-d ip_output", "with a delimiter between kernel and user stack" },
	{ "-s ip_output", "with offsets" },
	{ "-sv ip_output", "with offsets and raw addresses" },
	{ "'tcp_send*'", "all functions that begin with tcp_send" },
	{ "-r '^tcp_send.*'", "the same as a regular expression" },
	{ "-Ti 5 ip_output", "a report every 5 seconds, with the time" },
	{ "-p 185 ip_output", "only process 185" },
	{ "-c 1 put_prev_entity", "only CPU 1" },
	{ "c:malloc -- sort words.txt", "calls of malloc in a command, from start to end" },
	{ "-p 185 c:malloc", "calls of malloc in process 185" },
	{ "-l c -p 185 malloc", "the same in bcc's older syntax" },
	{ "p:./server:http::Connection::read", "a C++ function of a program" },
	{ "t:sched:sched_fork", "a kernel tracepoint" },
	{ "-p 185 'u:node:*'", "all USDT probes in node" },
	{ "-K t:sched:sched_switch", "kernel stacks only" },
	{ "-D 10 -o why.html t:sched:sched_switch", "a flame graph as a page to search and zoom in" },
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
	.examples = examples,
	.options_size = sizeof(struct count_options),
	.defaults = &defaults,
	.bcc_exclusive_status = 1,
	.plan = plan,
	.header = probe_header,
	.footer = "Detaching...",
};
