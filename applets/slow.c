/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slow: what slow calls of a function do on the CPU, and what they wait for. */
#include <errno.h>

#include "applets/probe.h"
#include "core/base/err.h"
#include "core/cli/applet.h"
#include "core/resolve/probe_kinds.h"

#define SAMPLE_HZ 499

static const struct option_spec table[] = {
	OPTION_MICROSECONDS(0, "above", struct run_options, min_us,
			    "show calls that took at least this time: 50ms, 2s, or a number of microseconds", .min = 1,
			    .exclusive = "which"),
	OPTION_MICROSECONDS(0, "below", struct run_options, max_us, "show calls that took less, to compare them",
			    .min = 1, .exclusive = "which"),
	RUN_FRAGMENT(watch_table),
	RUN_OPTION('F', "frequency", plan.frequency_hz, "HZ",
		   "samples per second on each CPU, of what runs inside calls", .min = 1, .max = 20000,
		   .noun = "a frequency"),
	OPTION_SECONDS('d', "duration", struct run_options, plan.duration_ns,
		       "stop after this time (default: at Ctrl-C)", .also = 'D'),
	RUN_OPTION('f', "folded", plan.view.folded, NULL, "folded output, one line per stack, for flame graphs"),
	RUN_OPTION('m', "milliseconds", plan.view.milliseconds, NULL,
		   "the histogram in milliseconds (default: microseconds)"),
	RUN_OPTION(0, "per-thread", plan.view.by_thread, NULL, "separate threads, named PID/TID"),
	OPTION_FRAGMENT(pick_table, struct run_options, plan.filter),
	RUN_FRAGMENT(probe_table),
	RUN_FRAGMENT(group_table),
	RUN_FRAGMENT(common_table),
	COMMAND,
	OPTION_END,
};

static const struct run_options defaults = {
	.plan = { PLAN_DEFAULTS, .applet = "slow", .mode = EVENTS_BY_LENGTH, .include_idle = true, .levels = 1,
		  .event = SAMPLE_CPU_CLOCK, .frequency_hz = SAMPLE_HZ, .off_cpu.max_ns = UINT64_MAX,
		  .key_parts = KEY_TGID | KEY_TID | KEY_COMM,
		  .view = { .style = VIEW_WALL, .per_process = true, .slow = true, .microseconds = true } },
};

static int plan(struct run_options *options)
{
	struct plan *plan = &options->plan;
	int err;

	if (!options->min_us && !options->max_us)
		return fail_usage(
			"no time given: --above TIME shows the calls that took at least that long, as in --above 50ms");
	stack_plan(options);
	err = common_plan(options) ?: probe_plan(options) ?: probe_plan_calls(plan);
	if (err)
		return err;
	plan->view.fast = options->max_us;
	plan->view.limit_ns = (options->min_us + options->max_us) * 1000;
	plan->view.percentiles = true;
	return 0;
}

static void header(const struct plan *plan, size_t nr_attached, struct buf *line)
{
	buf_addf(line, "Tracing calls of %s", plan->probe.typed);
	if (nr_attached > 1)
		buf_addf(line, " (%zu functions)", nr_attached);
	buf_addf(line, " that take %s ", plan->view.fast ? "less than" : "at least");
	seconds_describe(plan->view.limit_ns, line);
	buf_adds(line, " s");
	add_duration(plan, line);
}

static const struct applet_example examples[] = {
	{ "--above 50ms -p 181 ./server:handle", "what calls of handle() do that take 50 ms or more", true },
	{ "--above 100ms -o slow.html -p 181 ./server:handle", "the same as a page", true },
	{ "--above 10ms -p 181 c:fsync", "a function of the C library" },
	{ "--below 50ms --save fast.stk -p 181 ./server:handle", "the other calls, for 'stacktool diff'" },
	{ "--above 10ms t:syscalls:sys_enter_openat", "a system call, in all processes", true },
	{ "--above 1ms vfs_read", "a kernel function" },
	{ "--above 10ms u:./server:begin u:./server:end", "from a USDT probe to another one, in the same thread" },
	{ "--above 20ms ./server:handle -- ./server", "of a command, from start to end", true },
	{},
};

const struct applet slow_applet = {
	.name = "slow",
	.summary = "show what slow calls of a function do and wait for",
	.description =
		"Times calls of the functions that match a PATTERN, as funclatency does, and shows what happened inside "
		"those that took at least the time of --above: on the CPU, by timed samples, and off it, by waits with "
		"their reasons. Other calls are only in the histogram.\n\n"
		"Of calls that are nested in each other only the outermost counts, with all that is inside it. What a "
		"thread does in a call is kept in a table of 128 different stacks, and thrown away if the call was not "
		"slow. Parts for which the table has no room are counted without stack.\n\n"
		"'t:syscalls:sys_enter_NAME' is a system call. Two USDT probes are the begin and the end of what a thread does.\n\n" COMMAND_DESCRIPTION,
	.overhead =
		"A call costs what it does with funclatency. Beside that, every context switch of the host costs about "
		"0.1 microseconds, and one of a thread inside a call a walk of its stack.",
	.options = table,
	.examples = examples,
	.options_size = sizeof(struct run_options),
	.defaults = &defaults,
	.plan = plan,
	.header = header,
};
