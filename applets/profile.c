/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>

#include "applets/common.h"
#include "core/cli/applet.h"
#include "core/resolve/probe_kinds.h"

#define BCC_HZ 49
#define OWN_HZ 99

static const struct option_spec table[] = {
	RUN_OPTION('p', "pid", plan.tgids, "PID|NAME,...", "only these processes", PROCESSES, .exclusive = "who"),
	RUN_OPTION('L', "tid", plan.tids, "TID,...", "only these threads", THREAD_IDS, .exclusive = "who", .also = 't'),
	RUN_FRAGMENT(stack_table),
	RUN_OPTION('F', "frequency", plan.frequency_hz, "HZ",
		   "samples per second on each CPU (default 99; 49 under bcc's name)", .min = 1, .max = 1000000,
		   .noun = "a frequency", .exclusive = "rate"),
	RUN_OPTION('c', "count", plan.period, "N", "take one sample every N events instead", .min = 1, .max = INT64_MAX,
		   .exclusive = "rate"),
	OUR_OPTION(
		'e', "event", plan.event, "EVENT",
		"sampling event: cpu-cycles, cpu-clock, task-clock, instructions, cache-misses, branch-misses, "
		"page-faults or context-switches (default cpu-cycles, or cpu-clock without a PMU)",
		.values =
			"cpu-cycles cpu-clock task-clock instructions cache-misses branch-misses page-faults context-switches",
		.parse = sample_event_parse),
	RUN_OPTION('a', "annotations", plan.view.annotate, NULL, "append _[k] to kernel frames in folded output"),
	RUN_OPTION('A', "address", plan.view.addresses, NULL, "print raw addresses before the names"),
	OUR_OPTION(0, "timestamps", plan.view.times, NULL,
		   "keep the time of each sample, for html, the format 'perf' and 'report --since'; needs more memory"),
	OUR_OPTION(0, "plain", plain, NULL, "print names without offset and module"),
	OUR_OPTION(0, "by-name", plan.view.by_name, NULL,
		   "merge rows whose stacks have the same names, and print names without offset"),
	RUN_OPTION('I', "include-idle", plan.include_idle, NULL, "include samples of idle CPUs"),
	RUN_OPTION('C', "cpu", plan.cpus, "CPU,...", "only these CPUs, like 0-3,5", CPUS),
	RUN_FRAGMENT(group_table),
	RUN_OPTION(0, "hash-storage-size", plan.count_entries, "N",
		   "size of the kernel's table of rows; seldom needed: a full table loses nothing", MAP_ENTRIES),
	RUN_OPTION(0, "stack-storage-size", plan.record_entries, "N",
		   "size of the kernel's table of stacks already sent; seldom needed", MAP_ENTRIES),
	OUR_OPTION(0, "per-thread", plan.view.by_thread, NULL, "separate samples by thread, named PID/TID"),
	OPTION_SECONDS('D', "duration", struct run_options, plan.duration_ns, "sample for SECONDS, like the operand",
		       .ours = true, .exclusive = "duration"),
	OPTION_SECONDS('i', "interval", struct run_options, plan.interval_ns, "print a report every SECONDS",
		       .ours = true),
	OPTION_FRAGMENT(pick_table, struct run_options, plan.filter),
	RUN_FRAGMENT(limit_table),
	RUN_FRAGMENT(screen_table),
	RUN_FRAGMENT(common_table),
	OPTION_SECONDS(0, "duration", struct run_options, plan.duration_ns, "seconds to sample (default: until Ctrl-C)",
		       .operand = true, .exclusive = "duration"),
	COMMAND,
	OPTION_END,
};

/* --include is an abbreviation in bcc's profile. */
static const struct option_spec bcc_table[] = {
	OUR_OPTION(0, "include", plan.include_idle, NULL, "same as --include-idle", .hidden = true),
	RUN_FRAGMENT(table),
	OPTION_END,
};

static const struct run_options defaults = {
	.plan = { PLAN_DEFAULTS, .applet = "profile", .probe.kind = &probe_sample,
		  .view = { .style = VIEW_PROFILE, .per_process = true } },
};

static int plan(struct run_options *options)
{
	struct plan *plan = &options->plan;
	struct profile_view *view = &plan->view;

	if (!plan->period && !plan->frequency_hz)
		plan->frequency_hz = options->as_link ? BCC_HZ : OWN_HZ;
	plan->key_parts = KEY_TGID | KEY_COMM | (view->times || view->by_thread ? KEY_TID : 0);
	plan->mode = view->times ? EVENTS_EACH : EVENTS_BY_STACK;
	view->modules = !options->plain;
	view->offsets = view->modules && !view->by_name;
	stack_plan(options);
	return common_plan(options);
}

static void add_who(const struct plan *plan, struct buf *line)
{
	const struct u32_list *ids = plan->tgids.nr ? &plan->tgids : &plan->tids;

	if (!ids->nr) {
		buf_adds(line, "all threads");
		return;
	}
	buf_adds(line, plan->tgids.nr ? "PID [" : "TID [");
	for (size_t i = 0; i < ids->nr; i++)
		buf_addf(line, "%s%" PRIu32, i ? ", " : "", ids->data[i]);
	buf_adds(line, plan->follow_children ? "] and its children" : "]");
}

void profile_header(const struct plan *plan, size_t nr_attached, struct buf *line)
{
	buf_adds(line, "Sampling at ");
	if (plan->period)
		buf_addf(line, "every %" PRIu64 " events", plan->period);
	else
		buf_addf(line, "%" PRIu64 " Hertz", plan->frequency_hz);
	buf_adds(line, " of ");
	add_who(plan, line);
	buf_addf(line, " by %s stack", stacks_name(plan));
	if (plan->cpus.nr) {
		buf_adds(line, plan->cpus.nr > 1 ? " on CPUs " : " on CPU#");
		cpus_describe(&plan->cpus, line);
	}
	add_duration(plan, line);
}

static const struct applet_example examples[] = {
	{ "", "profile stack traces until Ctrl-C" },
	{ "-F 199", "at 199 Hertz" },
	{ "-c 1000000", "one sample every million cycles" },
	{ "5", "for 5 seconds only" },
	{ "-f 5", "in folded format for flame graphs" },
	{ "-p 185,190", "only the processes 185 and 190" },
	{ "-F 999 -- sort words.txt", "a command, from start to end", true },
	{ "-L 185", "only the thread 185" },
	{ "-U", "only user space stacks (no kernel)" },
	{ "-K", "only kernel space stacks (no user)" },
	{ "-e page-faults -c 1 5", "every page fault instead of CPU time" },
	{ "--tui -p 185", "browse the live call tree of a process", true },
	{ "-o five.svg 5", "a flame graph that any browser opens", true },
	{ "-o five.pb.gz 5", "for 'go tool pprof', Pyroscope and Parca" },
	{ "--timestamps -o five.html 5", "a page in which times can be selected" },
	{ "--timestamps -o five.perf 5", "every sample with its time, as text of perf script" },
	{ "--save five.stk 5", "save the profile for 'stacktool report five.stk'" },
	{ "--lines --inlines -o out.html -p 185 10", "a page with source lines and inlined functions" },
	{},
};

const struct applet profile_applet = {
	.name = "profile",
	.bcc_name = "profile",
	.summary = "sample the stacks on all CPUs at a fixed rate",
	.description =
		"Interrupts every CPU many times a second and counts the stacks that it finds: the more samples a code "
		"path has, the more CPU time it uses. Rows are sorted, the most frequent stack last; the innermost "
		"function is on top.\n\nSkipped and late samples are counted and reported after "
		"the profile.\n\n" COMMAND_DESCRIPTION,
	.overhead =
		"At 99 Hertz, sampling takes less than 0.4 % of a CPU that runs a compiler: 25 to 37 microseconds a "
		"sample, with both stacks and cold caches. Idle CPUs cost nothing. A system-wide "
		"profile of 5 seconds needs 12 MB in three processes, and 5 to 7 MB of kernel memory.",
	.options = table,
	.bcc_options = bcc_table,
	.examples = examples,
	.options_size = sizeof(struct run_options),
	.defaults = &defaults,
	.plan = plan,
	.header = profile_header,
};
