/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "applets/probe.h"
#include "core/base/err.h"
#include "core/cli/applet.h"

static const struct option_spec table[] = {
	RUN_FRAGMENT(watch_table),
	RUN_OPTION('s', "offset", plan.view.offsets, NULL, "print the offset after each name"),
	RUN_OPTION('v', "verbose", plan.view.verbose, NULL,
		   "print command, process id and CPU of each event, and notes even if nothing is missing"),
	OUR_OPTION(0, "per-thread", plan.view.by_thread, NULL, "print command, PID/TID and CPU of each event"),
	OUR_OPTION('n', "events", plan.max_events, "N", "stop after N events", .min = 1, .noun = "a number of events"),
	OPTION_SECONDS('i', "interval", struct run_options, plan.interval_ns, "with -o: start a new file every SECONDS",
		       .ours = true),
	OPTION_SECONDS('D', "duration", struct run_options, plan.duration_ns,
		       "stop after this time (default: at Ctrl-C)", .ours = true),
	OUR_OPTION('T', "timestamp", plan.view.timestamps, NULL,
		   "print the time of day instead of seconds since the start"),
	OUR_OPTION('c', "cpu", plan.cpus, "CPU,...", "only these CPUs, like 0-3,5", CPUS, .also = 'C'),
	RUN_FRAGMENT(stack_table),
	RUN_FRAGMENT(probe_table),
	OUR_OPTION('A', "address", plan.view.addresses, NULL, "print raw addresses before the names"),
	OPTION_FRAGMENT(pick_table, struct run_options, plan.filter),
	RUN_FRAGMENT(group_table),
	RUN_FRAGMENT(screen_table),
	RUN_FRAGMENT(common_table),
	COMMAND,
	OPTION_END,
};

static const struct run_options defaults = {
	.kernel_by_default = true,
	.plan = { PLAN_DEFAULTS, .applet = "stacksnoop", .mode = EVENTS_EACH,
		  .key_parts = KEY_TGID | KEY_TID | KEY_COMM | KEY_PROBE, .include_idle = true,
		  .view = { .style = VIEW_SNOOP, .per_process = true, .times = true } },
};

static int plan(struct run_options *options)
{
	struct plan *plan = &options->plan;
	int err = probe_plan(options);

	if (err)
		return err;
	plan->view.no_process_line = !plan->view.verbose && !plan->view.by_thread;
	/* The default is the kernel stack, as in bcc, except for events in user code. */
	options->user_only |= plan->probe.kind->in_user_code && !options->kernel_only && !options->both;
	stack_plan(options);
	err = common_plan(options);
	if (!err && plan->interval_ns && !plan->output.path)
		err = fail_usage("argument --interval: needs -o: events are printed as they come");
	return err;
}

static void header(const struct plan *plan, size_t nr_attached, struct buf *line)
{
	buf_addf(line, "%-18s ", plan->view.timestamps ? "TIME" : "TIME(s)");
	if (!plan->view.no_process_line)
		buf_addf(line, plan->view.by_thread ? "%-12s %-15s %-3s " : "%-12s %-6s %-3s ", "COMM",
			 plan->view.by_thread ? "PID/TID" : "PID", "CPU");
	buf_adds(line, "FUNCTION");
}

static const struct applet_example examples[] = {
	{ "ext4_sync_fs", "kernel stacks of each call of ext4_sync_fs" },
	{ "-s ext4_sync_fs", "with offsets" },
	{ "-v ext4_sync_fs", "with command, process id and CPU" },
	{ "-p 185 ext4_sync_fs", "only process 185" },
	{ "-v -n 10 t:sched:sched_process_exec", "who starts the next ten programs", true },
	{ "-U -p 185 c:abort", "the user stack of the call that ends process 185", true },
	{ "--interval 60 -o '%t.perf' --keep 60 vfs_unlink", "who removed files in the last hour, a file per minute" },
	{ "--both -T t:syscalls:sys_enter_fsync", "both stacks and the time of day of each fsync", true },
	{},
};

const struct applet stacksnoop_applet = {
	.name = "stacksnoop",
	.bcc_name = "stacksnoop",
	.summary = "print each event as it happens, with its stack",
	.description =
		"Prints each event that matches a PATTERN, with its time and its kernel stack (for user functions "
		"and USDT probes: its user stack); the innermost function is on top.\n\n"
		"Lost events are counted at the place where they are missing: '[12 events lost]'. Use it for rare "
		"events; 'stacktool count' adds up events that happen thousands of times a second.\n\n"
		"Events for -o or --save stay in memory until the end; with --interval, until their file is "
		"written.\n\n" COMMAND_DESCRIPTION,
	.overhead = "Each event with its kernel stack costs 1.4 microseconds in the kernel; printing it takes longer. "
		    "Above 1,000 events a second stacktool prints a note once that recommends count.",
	.options = table,
	.examples = examples,
	.options_size = sizeof(struct run_options),
	.defaults = &defaults,
	.plan = plan,
	.header = header,
};
