/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>

#include "applets/off_cpu.h"
#include "core/base/err.h"
#include "core/cli/applet.h"

static const struct option_spec table[] = {
	RUN_FRAGMENT(sleeper_table),
	RUN_FRAGMENT(stack_table),
	RUN_OPTION('s', "offset", plan.view.offsets, NULL, "print the offset after each name"),
	RUN_FRAGMENT(off_cpu_table),
	OUR_OPTION(0, "blocked", blocked, NULL,
		   "count only the time until the thread was woken, not the wait for a CPU", .exclusive = "part"),
	OUR_OPTION(0, "runqueue", runqueue, NULL,
		   "count only the time that the thread was runnable and waited for a CPU", .exclusive = "part"),
	OUR_OPTION('A', "address", plan.view.addresses, NULL, "print raw addresses before the names"),
	RUN_FRAGMENT(off_cpu_run_table),
	OPTION_END,
};

static const struct run_options defaults = {
	OFF_CPU_DEFAULTS,
	.plan = { OFF_CPU_PLAN_DEFAULTS, .applet = "offcputime", .key_parts = KEY_TGID | KEY_TID | KEY_COMM,
		  .view = { .style = VIEW_OFFCPU, .per_process = true } },
};

static int plan(struct run_options *options)
{
	struct plan *plan = &options->plan;

	if (plan->view.folded && plan->view.offsets)
		return fail(-EINVAL, "argument -s: not allowed with argument -f: folded lines have no offsets");
	if (options->blocked)
		plan->off_cpu.part = PART_BLOCKED;
	else if (options->runqueue)
		plan->off_cpu.part = PART_RUNQUEUE;
	return off_cpu_plan(options);
}

static void add_ids(const char *what, const struct u32_list *ids, struct buf *line)
{
	buf_addf(line, "%s ", what);
	for (size_t i = 0; i < ids->nr; i++)
		buf_addf(line, "%s%" PRIu32, i ? "," : "", ids->data[i]);
}

static void header(const struct plan *plan, size_t nr_attached, struct buf *line)
{
	static const char *const threads[] = {
		[THREADS_ALL] = "all threads",
		[THREADS_USER] = "user threads",
		[THREADS_KERNEL] = "kernel threads",
	};

	buf_adds(line, "Tracing off-CPU time (us) of ");
	if (plan->tgids.nr)
		add_ids("PIDs", &plan->tgids, line);
	else if (plan->tids.nr)
		add_ids("TIDs", &plan->tids, line);
	else
		buf_adds(line, threads[plan->off_cpu.threads]);
	if (plan->follow_children)
		buf_adds(line, " and its children");
	buf_addf(line, " by %s stack", stacks_name(plan));
	add_duration(plan, line);
}

static const struct applet_example examples[] = {
	{ "", "trace off-CPU stack time until Ctrl-C" },
	{ "5", "trace for 5 seconds only" },
	{ "-f 5", "5 seconds, and output in folded format for flame graphs" },
	{ "-- sort words.txt", "a command, from start to end", true },
	{ "-s 5", "5 seconds, and show symbol offsets" },
	{ "-m 1000", "only intervals of at least 1000 us" },
	{ "-M 10000", "only intervals of at most 10000 us" },
	{ "-p 185,175,165", "only the processes 185, 175 and 165", true },
	{ "-t 188,120,134", "only the threads 188, 120 and 134" },
	{ "-u", "only user threads (no kernel)" },
	{ "-k", "only kernel threads (no user)" },
	{ "-U", "only user space stacks (no kernel)" },
	{ "-K", "only kernel space stacks (no user)" },
	{ "--state D 5", "only uninterruptible sleep: mostly disks and kernel locks", true },
	{ "--runqueue 5", "only time spent waiting for a CPU" },
	{ "--histogram 5", "add a histogram of the waits of each stack" },
	{ "--timestamps --save wait.stk 60", "keep when each wait ended, for 'stacktool report --since 10 wait.stk'" },
	{ "--unfinished 5", "include threads that did not come back within the 5 seconds" },
	{},
};

const struct applet offcputime_applet = {
	.name = "offcputime",
	.bcc_name = "offcputime",
	.summary = "sum up the time that threads spend off the CPU, by stack",
	.description =
		"Measures the time from when a thread leaves the CPU until it runs again, and adds it to the stack "
		"that the thread had when it left, which shows what it waited for. This includes blocked time and "
		"time waiting for a CPU, unless an option selects one of them. Rows are sorted, the longest time "
		"last.\n\n"
		"Only intervals that begin and end while tracing are counted. The idle task is not "
		"counted.\n\n" COMMAND_DESCRIPTION,
	.overhead =
		"Follows every context switch of every thread, even with -p; a busy host has a million a second. A "
		"switch out and back in, with 16 user frames, costs 1.7 microseconds with frame pointers "
		"(--unwind=fp) and 2.3 with unwind tables (the default). Two threads that only pass a byte back and "
		"forth take 2.2 to 2.4 times as long with frame pointers and 3.0 times with tables; bpftrace and "
		"libbpf-tools make them take 3.4 times. With -m and -M fewer intervals are counted, but all stacks "
		"are still walked.",
	.options = table,
	.examples = examples,
	.options_size = sizeof(struct run_options),
	.defaults = &defaults,
	.plan = plan,
	.header = header,
};
