/* SPDX-License-Identifier: GPL-2.0-or-later */
/* offwaketime: time off the CPU by the stack of the sleeper and of the one who woke it. A drop-in for bcc's offwaketime. */
#include "applets/off_cpu.h"
#include "core/cli/applet.h"

struct offwaketime_options {
	struct sleeper_options sleepers;
	struct stack_options stacks;
	struct off_cpu_options off_cpu;
	bool addresses;
};

static const struct option_spec table[] = {
	OPTION_FRAGMENT(sleeper_table, struct offwaketime_options, sleepers),
	OPTION_FRAGMENT(stack_table, struct offwaketime_options, stacks),
	OPTION_FRAGMENT(off_cpu_table, struct offwaketime_options, off_cpu),
	OPTION('A', "address", struct offwaketime_options, addresses, NULL, "print raw addresses before the names",
	       .ours = true),
	OPTION_FRAGMENT(off_cpu_run_table, struct offwaketime_options, off_cpu),
	OPTION_END,
};

static const struct offwaketime_options defaults = { .off_cpu = OFF_CPU_DEFAULTS };

static int plan(const void *block, struct plan *plan)
{
	const struct offwaketime_options *options = block;

	plan->applet = "offwaketime";
	plan->key_parts = KEY_TGID | KEY_TID | KEY_COMM;
	plan->off_cpu.measure = MEASURE_OFF_WAKE;
	plan->view = (struct profile_view){ .style = VIEW_OFFWAKE, .per_process = true };
	stack_plan(&options->stacks, plan);
	plan->view.addresses = options->addresses;
	return off_cpu_plan(&options->off_cpu, plan) ?: sleeper_plan(&options->sleepers, plan);
}

static void header(const struct plan *plan, size_t nr_attached, struct buf *line)
{
	(void)nr_attached;
	buf_addf(line, "Tracing blocked time (us) by %s off-CPU and waker stack", off_cpu_stacks(plan));
	off_cpu_end_header(plan, line);
}

static const struct applet_example examples[] = {
	{ "", "trace off-CPU and waker stack time until Ctrl-C" },
	{ "5", "trace for 5 seconds only" },
	{ "-f 5", "5 seconds, and output in folded format for flame graphs" },
	{ "-fu 5", "the same for user threads only" },
	{ "-m 1000", "only intervals of at least 1000 us" },
	{ "-M 9000", "only intervals of at most 9000 us" },
	{ "--histogram 5", "add a histogram of the waits of each stack" },
	{ "-p 185", "only threads of process 185" },
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
	.options_size = sizeof(struct offwaketime_options),
	.defaults = &defaults,
	.plan = plan,
	.header = header,
};
