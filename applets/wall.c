/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <string.h>

#include "applets/common.h"
#include "core/base/err.h"
#include "core/cli/applet.h"
#include "core/resolve/probe_kinds.h"

#define SAMPLE_HZ 99
#define SAMPLE_ALL_HZ 49 /* of the whole host */

/* "show" and a function may both be given. */
static int idle_parse(const char *text, void *field)
{
	struct plan *plan = (struct plan *)((char *)field - offsetof(struct plan, idle.function));

	if (!strcmp(text, "show"))
		plan->view.idle_stacks = true;
	else
		plan->idle.function = text;
	return 0;
}

static int waits_parse(const char *name, void *ret_waits)
{
	enum wait_stacks *waits = ret_waits;

	*waits = !strcmp(name, "all") ? WAITS_ALL : !strcmp(name, "sampled") ? WAITS_SAMPLED : WAITS_AUTO;
	return 0;
}

static const struct option_spec table[] = {
	RUN_OPTION('p', "pid", plan.tgids, "PID|NAME,...", "the threads of these processes", PROCESSES,
		   .exclusive = "who"),
	RUN_OPTION('a', "all", all, NULL, "the threads of all processes, and kernel threads", .exclusive = "who"),
	RUN_OPTION('F', "frequency", plan.frequency_hz, "HZ", "samples per second on each CPU (default 99, with -a 49)",
		   .min = 1, .max = 100000, .noun = "a frequency"),
	RUN_OPTION('f', "folded", plan.view.folded, NULL, "folded output, one line per stack, for flame graphs"),
	RUN_OPTION(0, "idle", plan.idle.function, "show|FUNC",
		   "show: print the stacks of idle time too, not only its sum; FUNC, a regular expression: waits below "
		   "matching functions are idle, too",
		   .parse = idle_parse),
	RUN_OPTION(
		0, "under", plan.idle.under, "FUNC",
		"FUNC, a regular expression, matches functions that do the work: waits below them are never idle, all others are"),
	RUN_OPTION(0, "latency", plan.view.latency, NULL,
		   "divide time on the CPU by the number of threads of the process that ran at that moment: shows what "
		   "makes it take long"),
	RUN_OPTION(
		0, "waits", plan.waits, "HOW",
		"which waits have their own stack: all, sampled (by duration), or auto: all, until threads switch too often; "
		"default auto",
		.values = "auto all sampled", .parse = waits_parse),
	RUN_OPTION(0, "per-thread", plan.view.by_thread, NULL, "separate threads, named PID/TID"),
	OUR_OPTION(0, "cgroup", plan.cgroup, "PATH|ID", "the threads of this cgroup and those below it",
		   .exclusive = "who"),
	OUR_OPTION(0, "container", plan.container, "ID",
		   "the threads of this container: the first 12 or more digits of its id", .exclusive = "who"),
	OPTION_FRAGMENT(pick_table, struct run_options, plan.filter),
	RUN_FRAGMENT(guard_table),
	RUN_FRAGMENT(common_table),
	OPTION_SECONDS(0, "duration", struct run_options, plan.duration_ns, "seconds to trace (default: until Ctrl-C)",
		       .operand = true, .exclusive = "duration"),
	COMMAND,
	OPTION_END,
};

static const struct run_options defaults = {
	.plan = { PLAN_DEFAULTS, .applet = "wall", .probe.kind = &probe_wall, .event = SAMPLE_CPU_CLOCK, .wall = true,
		  .off_cpu.max_ns = UINT64_MAX, .key_parts = KEY_TGID | KEY_TID | KEY_COMM,
		  .view = { .style = VIEW_WALL, .per_process = true } },
};

static int plan(struct run_options *options)
{
	struct plan *plan = &options->plan;

	if (!plan->frequency_hz)
		plan->frequency_hz = options->all ? SAMPLE_ALL_HZ : SAMPLE_HZ;
	stack_plan(options);
	return require_targets(options) ?: common_plan(options);
}

static void header(const struct plan *plan, size_t nr_attached, struct buf *line)
{
	buf_adds(line, "Tracing all time of ");
	add_targets(plan, line);
	add_duration(plan, line);
}

static const struct applet_example examples[] = {
	{ "-p 185 5", "where all threads of process 185 spend 5 seconds", true },
	{ "-- sort words.txt", "a command, from start to end", true },
	{ "-a 5", "all threads of the host", true },
	{ "--cgroup system.slice/nginx.service 5", "the threads of a service" },
	{ "-f -p 185 5", "in folded format" },
	{ "-o five.html -p 185 5", "as a page, with the states at the root", true },
	{ "--per-thread -p 185 5", "each thread by itself" },
	{ "--under '^handle' -p 185 5", "only time inside requests, which functions handle* serve, is not idle" },
	{ "--save five.stk -p 185 5", "keep it, for 'stacktool report five.stk' and 'stacktool diff'" },
	{},
};

const struct applet wall_applet = {
	.name = "wall",
	.summary = "account for all time of threads, on the CPU and off it",
	.description =
		"Puts each nanosecond of every thread into one state: on the CPU; runnable, which is waiting for a CPU; "
		"blocked in interruptible (S) or uninterruptible (D) sleep; stopped; unknown; or idle, which is interruptible "
		"sleep until there is work to do. The states of a thread add up to the time for which it existed during "
		"the run, and a difference is reported.\n\n"
		"A wait has the stack with which the thread left the CPU, and its reason as innermost frame. On Linux "
		"6.16 and later, waits are sampled if threads switch too often for that (--waits). Time on the "
		"CPU is divided among the timed samples of the thread.\n\n" COMMAND_DESCRIPTION,
	.overhead =
		"Follows every context switch of the host, and walks the stack of each thread of the targets that leaves "
		"a CPU, as offcputime does; fewer stacks once waits are sampled (--waits).",
	.options = table,
	.examples = examples,
	.options_size = sizeof(struct run_options),
	.defaults = &defaults,
	.plan = plan,
	.header = header,
};
