/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "applets/common.h"
#include "core/base/err.h"
#include "core/cli/applet.h"
#include "core/resolve/probe_kinds.h"

#define SAMPLE_HZ 997 /* for threads that run; in step with no timer */

static const struct option_spec table[] = {
	RUN_OPTION('p', "pid", plan.tgids, "PID|NAME,...", "the threads of these processes", PROCESSES,
		   .exclusive = "who"),
	RUN_OPTION('a', "all", all, NULL, "the threads of all processes, and kernel threads", .exclusive = "who"),
	{ .kind = OPTION_KIND_TEXT,
	  .offset = offsetof(struct run_options, plan.off_cpu),
	  .name = "state",
	  .metavar = "STATE",
	  .help = "only threads in this state: letters as in ps (R, S, D, I, T, t, P), or a mask as in "
		  "include/linux/sched.h (0: R)",
	  .parse = off_cpu_state_parse },
	RUN_OPTION('f', "folded", plan.view.folded, NULL, "folded output, one line per stack, for flame graphs"),
	RUN_OPTION('s', "offset", plan.view.offsets, NULL, "print the offset after each name"),
	RUN_OPTION('A', "address", plan.view.addresses, NULL, "print raw addresses before the names"),
	RUN_OPTION(0, "plain", plain, NULL, "print names without module"),
	OPTION_FRAGMENT(pick_table, struct run_options, plan.filter),
	RUN_OPTION(0, "no-children", no_children, NULL, "do not follow the child processes of the command after --",
		   .hidden = true), /* there is no command */
	RUN_FRAGMENT(common_table),
	OPTION_END,
};

static const struct run_options defaults = {
	.plan = { PLAN_DEFAULTS, .applet = "dump", .probe.kind = &probe_sample, .event = SAMPLE_CPU_CLOCK,
		  .frequency_hz = SAMPLE_HZ, .mode = EVENTS_EACH, .looks = true,
		  .key_parts = KEY_TGID | KEY_TID | KEY_COMM, .view = { .style = VIEW_DUMP, .per_process = true } },
};

static int plan(struct run_options *options)
{
	struct plan *plan = &options->plan;

	if (!plan->tgids.nr && !options->all)
		return fail_usage("no threads selected: give -p PID, or -a for all processes");
	plan->view.modules = !options->plain && !plan->view.folded;
	stack_plan(options);
	return common_plan(options);
}

static const struct applet_example examples[] = {
	{ "-p 185", "where every thread of process 185 is now", true },
	{ "-p redis-server", "the same, by name" },
	{ "-a --state D", "what is stuck on this host: threads in uninterruptible sleep", true },
	{ "-f -p 185", "in folded format" },
	{ "-o now.svg -p 185", "as a picture, with the states at the top" },
	{ "--save now.stk -p 185", "keep it, for 'stacktool report now.stk' and 'stacktool diff'" },
	{ "--lines --inlines -p 185", "with source lines and inlined functions", true },
	{},
};

const struct applet dump_applet = {
	.name = "dump",
	.summary = "print the stack of every thread now",
	.description =
		"Prints the kernel stack and the user stack of every thread, with its state, what it waits for and when it last "
		"ran: for processes that hang. No thread is stopped. Threads with the same stacks are printed once.\n\n"
		"A thread that switches while its stack is read is read again, a few times; then '[moved while being read]' "
		"is in place of its user stack. The stack of a thread that runs is that of a timed sample.",
	.overhead =
		"Lists all threads of the host two to five times (with -a three to six times), at one to two microseconds "
		"each, and copies at most 64 kB of each stack (of deep stacks more). Meanwhile, 997 samples a second are "
		"taken on each CPU.",
	.options = table,
	.examples = examples,
	.options_size = sizeof(struct run_options),
	.defaults = &defaults,
	.plan = plan,
};
