/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "applets/off_cpu.h"
#include "core/cli/applet.h"

static const struct option_spec table[] = {
	RUN_OPTION('u', "useronly", user_threads, NULL, "only sleepers that are user threads, no kernel threads",
		   .exclusive = "who"),
	RUN_OPTION('p', "pid", plan.tgids, "PID|NAME,...", "only sleepers in these processes", PROCESSES,
		   .exclusive = "who"),
	OUR_OPTION('t', "tid", plan.tids, "TID,...", "only sleepers with these thread ids", THREAD_IDS,
		   .exclusive = "who"),
	OUR_OPTION('A', "address", plan.view.addresses, NULL, "no effect: raw addresses are always printed"),
	/* Not stack_table: --u must abbreviate bcc's --useronly only. */
	OUR_OPTION('U', "user-stacks-only", user_only, NULL, "only user stacks of wakers", .exclusive = "stacks"),
	OUR_OPTION('K', "kernel-stacks-only", kernel_only, NULL, "only kernel stacks of wakers (the default)",
		   .exclusive = "stacks"),
	OUR_OPTION(0, "both", both, NULL, "kernel and user stacks of wakers", .exclusive = "stacks"),
	OUR_OPTION('d', "delimited", plan.view.delimited, NULL, "print a delimiter between kernel and user stack"),
	RUN_OPTION('f', "folded", plan.view.folded, NULL, "folded output, one line per stack, for flame graphs"),
	RUN_FRAGMENT(off_cpu_table),
	RUN_FRAGMENT(off_cpu_run_table),
	OPTION_END,
};

/* -v means addresses in bcc's wakeuptime. */
static const struct option_spec bcc_table[] = {
	RUN_OPTION('v', "verbose", plan.view.addresses, NULL,
		   "accepted for compatibility: raw addresses are always printed"),
	RUN_FRAGMENT(table),
	OPTION_END,
};

static const struct run_options defaults = {
	OFF_CPU_DEFAULTS,
	.kernel_by_default = true,
	.plan = { OFF_CPU_PLAN_DEFAULTS, .applet = "wakeuptime", .key_parts = KEY_COMM, .off_cpu.measure = MEASURE_WAKE,
		  .view = { .style = VIEW_WAKE, .offsets = true, .addresses = true } },
};

static void header(const struct plan *plan, size_t nr_attached, struct buf *line)
{
	buf_addf(line, "Tracing blocked time (us) by %s stack", stacks_name(plan));
	add_duration(plan, line);
}

static const struct applet_example examples[] = {
	{ "", "trace blocked time with waker stacks until Ctrl-C" },
	{ "5", "trace for 5 seconds only", true },
	{ "-f 5", "5 seconds, and output in folded format for flame graphs" },
	{ "-u", "do not include kernel threads (user only)" },
	{ "--both 5", "the user stacks of the wakers too" },
	{ "--histogram 5", "add a histogram of the waits of each stack", true },
	{ "-p 185", "only sleepers in process 185", true },
	{},
};

const struct applet wakeuptime_applet = {
	.name = "wakeuptime",
	.bcc_name = "wakeuptime",
	.summary = "sum up the time that threads sleep, by the stack of their waker",
	.description =
		"Measures the time from when a thread goes to sleep until another thread wakes it, and adds it to "
		"the stack of the waker (by default the kernel stack): the work that the sleeper waited for. Rows "
		"are sorted, the longest time last.\n\n"
		"A waker in interrupt context is shown as [irq], [softirq] or [nmi]; the thread that was interrupted "
		"has nothing to do with it.\n\n" COMMAND_DESCRIPTION,
	.overhead = "Follows every context switch and every wake-up of every thread, even with -p, and takes a kernel "
		    "stack at each wake-up of a sleeping thread: 1.0 microsecond an event.",
	.options = table,
	.bcc_options = bcc_table,
	.examples = examples,
	.options_size = sizeof(struct run_options),
	.defaults = &defaults,
	.plan = off_cpu_plan,
	.header = header,
	.footer = "Detaching...",
};
