/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "applets/common.h"
#include "core/cli/applet.h"
#include "core/resolve/probe_kinds.h"

#define TOP_HZ 99

static const struct option_spec table[] = {
	RUN_OPTION('p', "pid", plan.tgids, "PID|NAME,...", "only these processes", PROCESSES, .exclusive = "who"),
	RUN_OPTION('L', "tid", plan.tids, "TID,...", "only these threads", THREAD_IDS, .exclusive = "who", .also = 't'),
	RUN_OPTION('U', "user-stacks-only", user_only, NULL, "only user stacks, no kernel stacks",
		   .exclusive = "stacks"),
	RUN_OPTION('K', "kernel-stacks-only", kernel_only, NULL, "only kernel stacks, no user stacks",
		   .exclusive = "stacks"),
	RUN_OPTION('F', "frequency", plan.frequency_hz, "HZ", "samples per second on each CPU (default 99)", .min = 1,
		   .max = 1000000, .noun = "a frequency", .exclusive = "rate"),
	RUN_OPTION('c', "count", plan.period, "N", "take one sample every N events instead", .min = 1, .max = INT64_MAX,
		   .exclusive = "rate"),
	RUN_OPTION('e', "event", plan.event, "EVENT",
		   "sampling event, as for profile (default cpu-cycles, or cpu-clock without a PMU)",
		   .parse = sample_event_parse),
	RUN_OPTION('I', "include-idle", plan.include_idle, NULL, "include samples of idle CPUs"),
	RUN_OPTION('C', "cpu", plan.cpus, "CPU,...", "only these CPUs, like 0-3,5", CPUS),
	RUN_FRAGMENT(group_table),
	OPTION_FRAGMENT(pick_table, struct run_options, plan.filter),
	OPTION_SECONDS('i', "interval", struct run_options, plan.interval_ns,
		       "refresh the screen every SECONDS (default 1)"),
	OPTION_SECONDS('D', "duration", struct run_options, plan.duration_ns, "sample for SECONDS, like the operand",
		       .exclusive = "duration"),
	/* For a screen, these are refused with a reason. */
	{ .kind = OPTION_KIND_FRAGMENT, .fragment = redact_table, .hidden = true },
	OPTION_FRAGMENT(output_table, struct run_options, plan.output, .hidden = true),
	OPTION_FRAGMENT(picture_table, struct run_options, plan.output, .hidden = true),
	RUN_FRAGMENT(common_table),
	OPTION_SECONDS(0, "duration", struct run_options, plan.duration_ns,
		       "seconds to sample; the screen stays after that (default: until q)", .operand = true,
		       .exclusive = "duration"),
	COMMAND,
	OPTION_END,
};

static const struct run_options defaults = {
	.tui = true,
	.plan = { PLAN_DEFAULTS, .applet = "top", .probe.kind = &probe_sample,
		  .view = { .style = VIEW_PROFILE, .per_process = true, .offsets = true, .modules = true } },
};

static int plan(struct run_options *options)
{
	struct plan *plan = &options->plan;

	if (!plan->period && !plan->frequency_hz)
		plan->frequency_hz = TOP_HZ;
	plan->mode = EVENTS_BY_STACK;
	stack_plan(options);
	return common_plan(options);
}

static const struct applet_example examples[] = {
	{ "", "where CPU time is spent on this host, now", true },
	{ "-p nginx", "in the processes of this name", true },
	{ "--root container", "by container; the key g changes that" },
	{ "--reverse", "begin with the busy functions and their callers" },
	{ "-- sort words.txt", "a command, from start to end", true },
	{},
};

const struct applet top_applet = {
	.name = "top",
	.summary = "show where CPU time is spent, live in the terminal",
	.description =
		"Samples the stacks on all CPUs like 'stacktool profile', and shows what it finds while it samples: a "
		"call tree, the hot functions, and their callers. The other applets show their results in the same "
		"way with --tui.\n\n"
		"Keys move in the tree, group it by command, process, thread or container, zoom into a branch, search, "
		"pause, and save what was found as a file for 'stacktool report'; ? lists them. ctrl-z stops the "
		"program, and fg brings the screen back.\n\n"
		"The screen is refreshed every second, or less often where it would use more than 2 % of a "
		"CPU.\n\n" COMMAND_DESCRIPTION,
	.overhead = "As 'stacktool profile', and at most 2 % of a CPU for the screen.",
	.options = table,
	.examples = examples,
	.options_size = sizeof(struct run_options),
	.defaults = &defaults,
	.plan = plan,
	.header = profile_header,
};
