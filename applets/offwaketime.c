/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "applets/off_cpu.h"
#include "core/cli/applet.h"

static const struct option_spec table[] = {
	RUN_FRAGMENT(sleeper_table),
	RUN_FRAGMENT(stack_table),
	RUN_FRAGMENT(off_cpu_table),
	OUR_OPTION('A', "address", plan.view.addresses, NULL, "print raw addresses before the names"),
	RUN_FRAGMENT(off_cpu_run_table),
	OPTION_END,
};

static const struct run_options defaults = {
	OFF_CPU_DEFAULTS,
	.plan = { OFF_CPU_PLAN_DEFAULTS, .applet = "offwaketime", .key_parts = KEY_TGID | KEY_TID | KEY_COMM,
		  .off_cpu.measure = MEASURE_OFF_WAKE, .view = { .style = VIEW_OFFWAKE, .per_process = true } },
};

static void header(const struct plan *plan, size_t nr_attached, struct buf *line)
{
	buf_addf(line, "Tracing blocked time (us) by %s off-CPU and waker stack", stacks_name(plan));
	add_duration(plan, line);
}

static const struct applet_example examples[] = {
	{ "", "trace off-CPU and waker stack time until Ctrl-C" },
	{ "5", "trace for 5 seconds only", true },
	{ "-f 5", "5 seconds, and output in folded format for flame graphs" },
	{ "-fu 5", "the same for user threads only" },
	{ "-m 1000", "only intervals of at least 1000 us" },
	{ "-M 9000", "only intervals of at most 9000 us" },
	{ "--histogram 5", "add a histogram of the waits of each stack", true },
	{ "-p 185", "only threads of process 185", true },
	{ "-t 188", "only thread 188" },
	{ "-u", "only user threads (no kernel)" },
	{ "-k", "only kernel threads (no user)" },
	{ "-U", "only user space stacks (no kernel)" },
	{ "-K", "only kernel space stacks (no user)" },
	{},
};

const struct applet offwaketime_applet = {
	.name = "offwaketime",
	.bcc_name = "offwaketime",
	.summary = "sum up time off the CPU by the stacks of sleeper and waker",
	.description =
		"Like offcputime, and records for each interval the thread that woke the sleeper, with its stack. In "
		"the text, the waker is on top, with its innermost function next to that of the sleeper.\n\n"
		"If the waker is not a thread, or is unknown, a label in brackets is printed in its place: [irq], "
		"[softirq] or [nmi] for interrupts, [preempted] for a thread that never slept, [woken before asleep] "
		"for one that was woken on its way to sleep, [no waker seen] otherwise.\n\n" COMMAND_DESCRIPTION,
	.overhead = "Like offcputime, plus the stacks of the waker at each wake-up: 2.0 to 2.3 microseconds an event "
		    "with frame pointers (--unwind=fp), more with unwind tables (the default).",
	.options = table,
	.examples = examples,
	.options_size = sizeof(struct run_options),
	.defaults = &defaults,
	.plan = off_cpu_plan,
	.header = header,
};
