/* SPDX-License-Identifier: GPL-2.0-or-later */
/* profile: where CPU time goes, by timed samples. A drop-in for bcc's profile. */
#include <inttypes.h>

#include "applets/common.h"
#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/cli/applet.h"
#include "core/resolve/probe_kinds.h"

#define SCREEN_INTERVAL_NS NSEC_PER_SEC

struct profile_options {
	struct u32_list tgids, tids;
	struct stack_options stacks;
	uint64_t frequency_hz, period;
	enum sample_event event;
	bool annotate;
	bool include_idle;
	uint32_t hash_entries, stack_entries;
	int cpu;
	bool addresses, timestamps, per_thread;
	bool plain;
	bool tui;
	struct seconds interval;
	struct pick_options pick;
	struct limit_options limit;
	struct group_options groups;
	struct common_options common;
	struct seconds duration;
	char *const *command;
};

static int parse_event(const char *text, void *field)
{
	return sample_event_parse(text, field);
}

static const struct option_spec table[] = {
	OPTION('p', "pid", struct profile_options, tgids, "PID,...", "only these processes", .min = 1, .max = PID_MAX,
	       .noun = "a list of process ids", .exclusive = "who"),
	OPTION('L', "tid", struct profile_options, tids, "TID,...", "only these threads", .min = 1, .max = PID_MAX,
	       .noun = "a list of thread ids", .exclusive = "who"),
	OPTION_FRAGMENT(stack_table, struct profile_options, stacks),
	OPTION('F', "frequency", struct profile_options, frequency_hz, "HZ", "samples per second on each CPU", .min = 1,
	       .max = 1000000, .noun = "a frequency", .exclusive = "rate"),
	OPTION('c', "count", struct profile_options, period, "N", "take one sample every N events instead", .min = 1,
	       .max = INT64_MAX, .exclusive = "rate"),
	OPTION('e', "event", struct profile_options, event, "EVENT",
	       "sampling event: cpu-cycles, cpu-clock, task-clock, instructions, cache-misses, branch-misses, "
	       "page-faults or context-switches (default cpu-cycles, or cpu-clock without a PMU)",
	       .parse = parse_event, .ours = true),
	OPTION('a', "annotations", struct profile_options, annotate, NULL,
	       "append _[k] to kernel frames in folded output"),
	OPTION('A', "address", struct profile_options, addresses, NULL, "print raw addresses before the names"),
	OPTION(0, "timestamps", struct profile_options, timestamps, NULL,
	       "keep the time of each sample, for the format 'perf' and 'report --since'; needs more memory",
	       .ours = true),
	OPTION(0, "plain", struct profile_options, plain, NULL, "print names without offset and module", .ours = true),
	OPTION('I', "include-idle", struct profile_options, include_idle, NULL, "include samples of idle CPUs"),
	OPTION('C', "cpu", struct profile_options, cpu, "CPU", "only this CPU", .max = CPU_MAX, .noun = "a CPU number"),
	OPTION_FRAGMENT(group_table, struct profile_options, groups),
	OPTION(0, "hash-storage-size", struct profile_options, hash_entries, "N",
	       "size of the kernel's table of rows; seldom needed: a full table loses nothing", .min = 1,
	       .max = 1 << 24),
	OPTION(0, "stack-storage-size", struct profile_options, stack_entries, "N",
	       "size of the kernel's table of stacks already sent; seldom needed", .min = 1, .max = 1 << 24),
	OPTION(0, "per-thread", struct profile_options, per_thread, NULL, "separate samples by thread, named PID/TID",
	       .ours = true),
	OPTION(0, "interval", struct profile_options, interval, "SECONDS",
	       "print a report every SECONDS; with --tui, refresh (default 1)", .ours = true),
	OPTION(0, "tui", struct profile_options, tui, NULL,
	       "browse the live call tree in the terminal; prints no report", .ours = true),
	/* Not pick_table: --include is a prefix of bcc's --include-idle. */
	OPTION(0, "exclude", struct profile_options, pick.exclude, "REGEX",
	       "only stacks without a function that matches", .noun = "a regular expression", .ours = true),
	OPTION(0, "comm", struct profile_options, pick.comm, "REGEX", "only commands that match",
	       .noun = "a regular expression", .ours = true),
	OPTION_FRAGMENT(depth_table, struct profile_options, pick),
	OPTION_FRAGMENT(limit_table, struct profile_options, limit),
	OPTION_FRAGMENT(common_table, struct profile_options, common),
	OPERAND("duration", struct profile_options, duration, "seconds to sample (default: until Ctrl-C)"),
	COMMAND(struct profile_options, command),
	OPTION_END,
};

static const struct profile_options defaults = { .frequency_hz = 49, .cpu = -1 };

/* The tree of all so far is shown anew every so often, and once more at the end. */
static int screen_plan(const struct profile_options *options, struct common_options *common, struct plan *plan)
{
	if (!options->tui)
		return 0;
	if (options->stacks.folded)
		return fail_usage("argument --tui: not allowed with argument -f/--folded");
	if (!plan->interval_ns)
		plan->interval_ns = SCREEN_INTERVAL_NS;
	return output_options_ask_screen(&common->output);
}

static int plan(const void *block, struct plan *plan)
{
	const struct profile_options *options = block;
	struct common_options common = options->common;
	int err;

	plan->applet = "profile";
	plan->probe.kind = &probe_sample;
	plan->event = options->event;
	plan->period = options->period;
	plan->frequency_hz = options->period ? 0 : options->frequency_hz;
	plan_add_ids(&plan->tgids, &options->tgids);
	plan_add_ids(&plan->tids, &options->tids);
	plan->command = options->command;
	plan->cpu = options->cpu;
	plan->include_idle = options->include_idle;
	group_plan(&options->groups, plan);
	plan->key_parts = KEY_TGID | KEY_COMM | (options->timestamps || options->per_thread ? KEY_TID : 0);
	plan->mode = options->timestamps ? EVENTS_EACH : EVENTS_BY_STACK;
	plan->duration_ns = options->duration.ns;
	plan->count_entries = options->hash_entries;
	plan->record_entries = options->stack_entries;
	plan->view = (struct profile_view){
		.style = VIEW_PROFILE,
		.annotate = options->annotate,
		.offsets = !options->plain,
		.modules = !options->plain,
		.addresses = options->addresses,
		.per_process = true,
		.times = options->timestamps,
		.by_thread = options->per_thread,
	};
	plan->interval_ns = options->interval.ns;
	stack_plan(&options->stacks, plan);
	pick_plan(&options->pick, plan);
	limit_plan(&options->limit, plan);
	err = screen_plan(options, &common, plan);
	return err ? err : common_plan(&common, plan);
}

/* ---- the header line ---- */

static void add_who(const struct plan *plan, struct buf *line)
{
	const uint32_t *ids = plan->tgids.nr ? plan->tgids.data : plan->tids.data;
	size_t nr = plan->tgids.nr ? plan->tgids.nr : plan->tids.nr;

	if (!nr) {
		buf_adds(line, "all threads");
		return;
	}
	buf_adds(line, plan->tgids.nr ? "PID [" : "TID [");
	for (size_t i = 0; i < nr; i++)
		buf_addf(line, "%s%" PRIu32, i ? ", " : "", ids[i]);
	buf_adds(line, plan->follow_children ? "] and its children" : "]");
}

static const char *which_stacks(const struct plan *plan)
{
	if (!plan->want_kernel)
		return "user";
	return plan->want_user ? "user + kernel" : "kernel";
}

static void header(const struct plan *plan, size_t nr_attached, struct buf *line)
{
	(void)nr_attached;
	buf_adds(line, "Sampling at ");
	if (plan->period)
		buf_addf(line, "every %" PRIu64 " events", plan->period);
	else
		buf_addf(line, "%" PRIu64 " Hertz", plan->frequency_hz);
	buf_adds(line, " of ");
	add_who(plan, line);
	buf_addf(line, " by %s stack", which_stacks(plan));
	if (plan->cpu >= 0)
		buf_addf(line, " on CPU#%d", plan->cpu);
	if (plan->duration_ns) {
		buf_adds(line, " for ");
		seconds_describe(plan->duration_ns, line);
		buf_adds(line, " secs.");
	} else {
		buf_adds(line, "... Hit Ctrl-C to end.");
	}
}

static const struct applet_example examples[] = {
	{ "", "profile stack traces at 49 Hertz until Ctrl-C" },
	{ "-F 99", "at 99 Hertz" },
	{ "-c 1000000", "one sample every million cycles" },
	{ "5", "at 49 Hertz for 5 seconds only" },
	{ "-f 5", "in folded format for flame graphs" },
	{ "-p 185,190", "only the processes 185 and 190" },
	{ "-F 999 -- sort words.txt", "a command, from start to end" },
	{ "-L 185", "only the thread 185" },
	{ "-U", "only user space stacks (no kernel)" },
	{ "-K", "only kernel space stacks (no user)" },
	{ "-e page-faults -c 1 5", "every page fault instead of CPU time" },
	{ "--tui -p 185", "browse the live call tree of a process" },
	{ "-o five.svg 5", "a flame graph that any browser opens" },
	{ "-o five.pb.gz 5", "for 'go tool pprof', Pyroscope and Parca" },
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
		"function is on top.\n\nSkipped and late samples are counted and reported below "
		"the profile.\n\n" COMMAND_DESCRIPTION,
	.overhead = "At 49 Hertz, sampling uses 0.2 % of all CPU time while a compiler runs on every CPU: 25 to 37 "
		    "microseconds a sample, with both stacks and cold caches. Idle CPUs cost nothing. A system-wide "
		    "profile of 5 seconds needs 12 MB in three processes, and 5 to 7 MB of kernel memory.",
	.options = table,
	.examples = examples,
	.options_size = sizeof(struct profile_options),
	.defaults = &defaults,
	.plan = plan,
	.header = header,
};
