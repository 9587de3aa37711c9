/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lock: who waits for which lock, how long, and who holds it. */
#include "applets/off_cpu.h"
#include "core/cli/applet.h"

static const struct option_spec table[] = {
	RUN_OPTION('p', "pid", plan.tgids, "PID|NAME,...", "the threads of these processes", PROCESSES,
		   .exclusive = "who"),
	RUN_OPTION('a', "all", all, NULL, "the threads of all processes", .exclusive = "who"),
	RUN_OPTION('f', "folded", plan.view.folded, NULL, "folded output, one line per stack, for flame graphs"),
	RUN_FRAGMENT(off_cpu_table),
	RUN_FRAGMENT(off_cpu_run_table),
	OPTION_END,
};

static const struct run_options defaults = {
	OFF_CPU_DEFAULTS,
	.user_only = true,
	.plan = { PLAN_DEFAULTS, .applet = "lock", .probe.kind = &probe_lock,
		  .key_parts = KEY_TGID | KEY_TID | KEY_COMM,
		  .off_cpu = { .measure = MEASURE_OFF_WAKE, .locks = true, .unfinished = true },
		  .view = { .style = VIEW_LOCK, .per_process = true } },
};

static int plan(struct run_options *options)
{
	struct plan *plan = &options->plan;
	int err;

	options->user_threads = true;
	err = require_targets(options) ?: off_cpu_plan(options);
	plan->off_cpu.by_duration = !plan->off_cpu.by_time; /* for the longest wait */
	return err;
}

static void header(const struct plan *plan, size_t nr_attached, struct buf *line)
{
	buf_adds(line, "Tracing waits for locks of ");
	add_targets(plan, line);
	add_duration(plan, line);
}

static const struct applet_example examples[] = {
	{ "-p 185 5", "the locks that threads of process 185 wait for in 5 seconds", true },
	{ "-- ./server", "a command, from start to end", true },
	{ "-m 1ms -p 185 5", "only waits of at least a millisecond", true },
	{ "-f -p 185 5", "in folded format: the waiter, the lock, and the holder" },
	{ "-o locks.html -p 185 5", "as a page, with the holder above the waiter", true },
	{ "--save locks.stk -p 185 5", "keep it, for 'stacktool report locks.stk'" },
	{ "-a 5", "all processes" },
	{},
};

const struct applet lock_applet = {
	.name = "lock",
	.summary = "show who waits for which lock, and who holds it",
	.description =
		"For each lock of a program: how long threads have waited for it together, how often, the longest wait, the "
		"number of threads that waited, and the threads that held it meanwhile, with their functions. A lock has the "
		"name of its variable, if it has one.\n\n"
		"A wait is a sleep in the system call futex. A thread that is woken and finds the lock taken waits again. Time "
		"in which a thread spins for a lock is time on the CPU, and does not count.\n\n"
		"'held by' is the thread that a mutex of glibc has as its owner when the wait begins, with the stack with which "
		"it releases the mutex. Other locks keep no owner: 'woken by' is the thread that ended the wait, with its "
		"stack. Waits that have not ended when the run ends count too.\n\n" COMMAND_DESCRIPTION,
	.overhead =
		"Follows every context switch of the host, and walks the stacks of threads of the targets that wait for a lock "
		"or end such a wait.",
	.options = table,
	.examples = examples,
	.options_size = sizeof(struct run_options),
	.defaults = &defaults,
	.plan = plan,
	.header = header,
};
