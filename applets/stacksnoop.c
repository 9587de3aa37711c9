/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stacksnoop: every event with its stack, as it happens. A drop-in for bcc's stacksnoop. */
#include "applets/probe.h"
#include "core/base/err.h"
#include "core/cli/applet.h"

struct stacksnoop_options {
	struct watch_options watch;
	bool offsets, verbose, timestamps, per_thread;
	uint64_t max_events;
	struct seconds interval, duration;
	struct stack_options stacks;
	struct probe_options probe;
	struct pick_options pick;
	struct group_options groups;
	bool addresses;
	struct common_options common;
};

static const struct option_spec table[] = {
	OPTION_FRAGMENT(watch_table, struct stacksnoop_options, watch),
	OPTION('s', "offset", struct stacksnoop_options, offsets, NULL, "print the offset after each name"),
	OPTION('v', "verbose", struct stacksnoop_options, verbose, NULL,
	       "print command, process id and CPU of each event"),
	OPTION(0, "per-thread", struct stacksnoop_options, per_thread, NULL,
	       "print command, PID/TID and CPU of each event", .ours = true),
	OPTION('n', "events", struct stacksnoop_options, max_events, "N", "stop after N events", .min = 1,
	       .noun = "a number of events", .ours = true),
	OPTION(0, "interval", struct stacksnoop_options, interval, "SECONDS", "with -o: start a new file every SECONDS",
	       .ours = true),
	OPTION('D', "duration", struct stacksnoop_options, duration, "SECONDS",
	       "stop after this time (default: at Ctrl-C)", .ours = true),
	OPTION('T', "timestamp", struct stacksnoop_options, timestamps, NULL,
	       "print the time of day instead of seconds since the start", .ours = true),
	OPTION('c', "cpu", struct stacksnoop_options, watch.cpu, "CPU", "only this CPU", .max = CPU_MAX,
	       .noun = "a CPU number", .ours = true),
	OPTION_FRAGMENT(stack_table, struct stacksnoop_options, stacks),
	OPTION_FRAGMENT(probe_table, struct stacksnoop_options, probe),
	OPTION('A', "address", struct stacksnoop_options, addresses, NULL, "print raw addresses before the names",
	       .ours = true),
	OPTION_FRAGMENT(pick_table, struct stacksnoop_options, pick),
	OPTION_FRAGMENT(group_table, struct stacksnoop_options, groups),
	OPTION_FRAGMENT(common_table, struct stacksnoop_options, common),
	COMMAND(struct stacksnoop_options, watch.command),
	OPTION_END,
};

static const struct stacksnoop_options defaults = { .watch = WATCH_DEFAULTS, .stacks.kernel_by_default = true };

/* Where nobody says which stack: that of the kernel, as bcc shows it, unless the event is one of user code. */
static void choose_stack(const struct stack_options *options, struct plan *plan)
{
	bool in_user_code = plan->probe.kind->in_user_code;

	if (options->user_only || options->kernel_only || options->both || !in_user_code)
		return;
	plan->want_kernel = plan->view.want_kernel = false;
	plan->want_user = plan->view.want_user = true;
}

static int plan(const void *block, struct plan *plan)
{
	const struct stacksnoop_options *options = block;
	int err;

	plan->applet = "stacksnoop";
	plan->mode = EVENTS_EACH;
	plan->key_parts = KEY_TGID | KEY_TID | KEY_COMM | KEY_PROBE;
	watch_plan(&options->watch, plan);
	plan->interval_ns = options->interval.ns;
	plan->duration_ns = options->duration.ns;
	plan->max_events = options->max_events;
	plan->view = (struct profile_view){
		.style = VIEW_SNOOP,
		.per_process = true,
		.no_process_line = !options->verbose && !options->per_thread,
		.by_thread = options->per_thread,
		.offsets = options->offsets,
		.timestamps = options->timestamps,
		.times = true,
	};
	stack_plan(&options->stacks, plan);
	group_plan(&options->groups, plan);
	plan->view.addresses = options->addresses;
	pick_plan(&options->pick, plan);
	err = probe_plan(&options->probe, plan);
	if (err)
		return err;
	choose_stack(&options->stacks, plan);
	err = common_plan(&options->common, plan);
	if (!err && plan->interval_ns && !plan->output.path)
		err = fail_usage("argument --interval: needs -o: events are printed as they come");
	return err;
}

static void header(const struct plan *plan, size_t nr_attached, struct buf *line)
{
	(void)nr_attached;
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
	{ "-v -n 10 t:sched:sched_process_exec", "who starts the next ten programs" },
	{ "-U -p 185 c:abort", "the user stack of the call that ends process 185" },
	{ "--interval 60 -o '%t.perf' --keep 60 vfs_unlink", "who removed files in the last hour, a file per minute" },
	{ "--both -T t:syscalls:sys_enter_fsync", "both stacks and the time of day of each fsync" },
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
	.options_size = sizeof(struct stacksnoop_options),
	.defaults = &defaults,
	.plan = plan,
	.header = header,
};
