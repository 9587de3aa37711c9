/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>

#include "applets/probe.h"
#include "core/base/err.h"
#include "core/cli/applet.h"
#include "core/resolve/probe_kinds.h"

static const struct option_spec table[] = {
	RUN_FRAGMENT(watch_table),
	OUR_OPTION('c', "cpu", plan.cpus, "CPU,...", "only calls that begin on these CPUs, like 0-3,5", CPUS,
		   .also = 'C'),
	OPTION_SECONDS('i', "interval", struct run_options, plan.interval_ns, "print a report every SECONDS"),
	OPTION_SECONDS('d', "duration", struct run_options, plan.duration_ns,
		       "stop after this time (default: at Ctrl-C)", .also = 'D'),
	RUN_OPTION('T', "timestamp", plan.view.timestamps, NULL, "print the time before each report"),
	RUN_OPTION('u', "microseconds", plan.view.microseconds, NULL, "in microseconds (default: nanoseconds)"),
	RUN_OPTION('m', "milliseconds", plan.view.milliseconds, NULL, "in milliseconds, also with -u"),
	RUN_OPTION('F', "function", plan.view.by_function, NULL, "a histogram for each function"),
	RUN_OPTION('l', "level", plan.levels, "LEVEL",
		   "time only the outermost LEVEL calls of those nested in each other (default: all, up to 64)",
		   .min = 1, .max = 64),
	OUR_OPTION(0, "library", library, "LIB", "the library or program of the function, as in LIB:PATTERN"),
	RUN_FRAGMENT(probe_table),
	RUN_FRAGMENT(group_table),
	RUN_FRAGMENT(common_table),
	COMMAND,
	OPTION_END,
};

static const struct run_options defaults = {
	.plan = { PLAN_DEFAULTS, .applet = "funclatency", .mode = EVENTS_BY_LENGTH, .key_parts = KEY_PROBE,
		  .include_idle = true, .view = { .style = VIEW_FUNCLATENCY, .want_kernel = true } },
};

/* Like bcc, separates functions of libraries by process, unless there is only one. */
static int plan(struct run_options *options)
{
	struct plan *plan = &options->plan;
	int err = common_plan(options) ?: probe_plan(options) ?: probe_plan_calls(plan);

	if (err)
		return err;
	if (plan->probe.kind->in_user_code && (plan->view.by_function || plan->tgids.nr != 1)) {
		plan->key_parts |= KEY_TGID;
		plan->view.by_function = plan->view.per_process = true;
	}
	plan->view.percentiles = !options->as_link;
	return 0;
}

static const struct applet_example examples[] = {
	{ "do_sys_open", "time the kernel function do_sys_open()" },
	{ "c:read", "time read() of the C library, in all processes", true },
	{ "-u vfs_read", "time vfs_read(), in microseconds" },
	{ "-m do_nanosleep", "time do_nanosleep(), in milliseconds" },
	{ "-i 2 -d 10 c:open", "a report every 2 seconds, for 10 seconds" },
	{ "-mTi 5 vfs_read", "a report every 5 seconds, with the time" },
	{ "-p 181 vfs_read", "only calls of process 181", true },
	{ "'vfs_fstat*'", "time vfs_fstat() and vfs_fstatat() together" },
	{ "'c:*printf'", "time the printf family" },
	{ "-F 'vfs_r*'", "a histogram for each function", true },
	{ "t:syscalls:sys_enter_fsync", "time a system call" },
	{ "-u ./server:handle -- ./server", "time a function of a command, from start to end", true },
	{},
};

const struct applet funclatency_applet = {
	.name = "funclatency",
	.bcc_name = "funclatency",
	.summary = "show how long calls of functions take, as a histogram",
	.description =
		"Times calls of the functions that match a PATTERN, from their first instruction to their return, with "
		"everything they wait for. Nested calls and recursion are timed too, each by itself: their times "
		"overlap.\n\n"
		"User functions get no return probe, which would break programs that throw exceptions through them. "
		"Each return instruction gets a probe, and so does each jump to another function: time that is spent "
		"there does not count. A call that ends by an exception, by longjmp() or with its thread is counted in "
		"a message, not in the histogram. Calls that the compiler has inlined are not seen. Functions whose "
		"code cannot be decoded as a whole, and those of Go, are refused.\n\n"
		"'t:syscalls:sys_enter_NAME' times a system call. Two USDT probes time what a thread does from the first to the second.\n\n" COMMAND_DESCRIPTION,
	.overhead =
		"A call costs about 0.3 microseconds, and two probes: those of user functions trap into the kernel and "
		"back, 1 to 2 microseconds each. The times include a part of this: user functions that take less than "
		"about 10 microseconds look longer than they are.",
	.options = table,
	.examples = examples,
	.options_size = sizeof(struct run_options),
	.defaults = &defaults,
	.plan = plan,
	.header = probe_header,
	.footer = "Detaching...",
};
