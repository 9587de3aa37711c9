/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wakeuptime: how long threads slept, by the kernel stack of the one who woke them. A drop-in for bcc's wakeuptime. */
#include "applets/off_cpu.h"
#include "core/cli/applet.h"

struct wakeuptime_options {
	struct u32_list tgids, tids;
	bool user_only;
	bool verbose, addresses;
	struct stack_options stacks;
	struct off_cpu_options off_cpu;
};

static const struct option_spec table[] = {
	OPTION('u', "useronly", struct wakeuptime_options, user_only, NULL,
	       "only sleepers that are user threads, no kernel threads", .exclusive = "who"),
	OPTION('p', "pid", struct wakeuptime_options, tgids, "PID,...", "only sleepers in these processes", .min = 1,
	       .max = PID_MAX, .noun = "a list of process ids", .exclusive = "who"),
	OPTION('t', "tid", struct wakeuptime_options, tids, "TID,...", "only sleepers with these thread ids", .min = 1,
	       .max = PID_MAX, .noun = "a list of thread ids", .exclusive = "who", .ours = true),
	OPTION('v', "verbose", struct wakeuptime_options, verbose, NULL,
	       "accepted for compatibility: raw addresses are always printed"),
	OPTION('A', "address", struct wakeuptime_options, addresses, NULL, "same as -v", .ours = true),
	/* Not stack_table: --u is a prefix of bcc's --useronly alone. */
	OPTION('U', "user-stacks-only", struct wakeuptime_options, stacks.user_only, NULL, "only user stacks of wakers",
	       .exclusive = "stacks", .ours = true),
	OPTION('K', "kernel-stacks-only", struct wakeuptime_options, stacks.kernel_only, NULL,
	       "only kernel stacks of wakers (the default)", .exclusive = "stacks", .ours = true),
	OPTION(0, "both", struct wakeuptime_options, stacks.both, NULL, "kernel and user stacks of wakers",
	       .exclusive = "stacks", .ours = true),
	OPTION('d', "delimited", struct wakeuptime_options, stacks.delimited, NULL,
	       "print a delimiter between kernel and user stack", .ours = true),
	OPTION('f', "folded", struct wakeuptime_options, stacks.folded, NULL,
	       "folded output, one line per stack, for flame graphs"),
	OPTION_FRAGMENT(off_cpu_table, struct wakeuptime_options, off_cpu),
	OPTION_FRAGMENT(off_cpu_run_table, struct wakeuptime_options, off_cpu),
	OPTION_END,
};

static const struct wakeuptime_options defaults = { .stacks.kernel_by_default = true, .off_cpu = OFF_CPU_DEFAULTS };

static int plan(const void *block, struct plan *plan)
{
	const struct wakeuptime_options *options = block;

	plan->applet = "wakeuptime";
	plan_add_ids(&plan->tgids, &options->tgids);
	plan_add_ids(&plan->tids, &options->tids);
	plan->key_parts = KEY_COMM;
	plan->off_cpu.measure = MEASURE_WAKE;
	plan->off_cpu.threads = options->user_only ? THREADS_USER : THREADS_ALL;
	plan->view = (struct profile_view){
		.style = VIEW_WAKE,
		.offsets = true,
		.addresses = true,
	};
	stack_plan(&options->stacks, plan);
	return off_cpu_plan(&options->off_cpu, plan);
}

static void header(const struct plan *plan, size_t nr_attached, struct buf *line)
{
	(void)nr_attached;
	buf_addf(line, "Tracing blocked time (us) by %s stack", off_cpu_stacks(plan));
	off_cpu_end_header(plan, line);
}

static const struct applet_example examples[] = {
	{ "", "trace blocked time with waker stacks until Ctrl-C" },
	{ "5", "trace for 5 seconds only" },
	{ "-f 5", "5 seconds, and output in folded format for flame graphs" },
	{ "-u", "do not include kernel threads (user only)" },
	{ "--both 5", "the user stacks of the wakers too" },
	{ "--histogram 5", "add a histogram of the waits of each stack" },
	{ "-p 185", "only sleepers in process 185" },
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
	.examples = examples,
	.options_size = sizeof(struct wakeuptime_options),
	.defaults = &defaults,
	.plan = plan,
	.header = header,
	.footer = "Detaching...",
};
