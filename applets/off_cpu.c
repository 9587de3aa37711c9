/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "applets/off_cpu.h"

const struct option_spec off_cpu_table[] = {
	OPTION_MICROSECONDS('m', "min-block-time", struct run_options, min_us,
			    "only intervals of at least US microseconds, or like 10ms"),
	OPTION_MICROSECONDS('M', "max-block-time", struct run_options, max_us,
			    "only intervals of at most US microseconds, or like 10ms", .min = 1),
	RUN_OPTION(0, "stack-storage-size", plan.record_entries, "N",
		   "size of the kernel's table of stacks already sent; seldom needed", MAP_ENTRIES),
	OUR_OPTION(0, "unfinished", plan.off_cpu.unfinished, NULL,
		   "include threads that are still off the CPU at the end, marked as such"),
	OUR_OPTION(
		0, "histogram", plan.view.histogram, NULL,
		"below each stack, print the number of intervals, the shortest, the mean, the longest, and a histogram of "
		"their lengths; the last histogram covers all stacks"),
	OUR_OPTION(0, "timestamps", plan.view.times, NULL,
		   "keep the time at which each interval ended, for html, the format 'perf' and 'report --since'; "
		   "needs more memory"),
	OUR_OPTION(0, "per-thread", plan.view.by_thread, NULL, "separate threads, named PID/TID"),
	OUR_OPTION(0, "by-name", plan.view.by_name, NULL, "merge rows whose printed stacks are the same"),
	OPTION_SECONDS('D', "duration", struct run_options, plan.duration_ns, "trace for SECONDS, like the operand",
		       .ours = true, .exclusive = "duration"),
	OPTION_SECONDS('i', "interval", struct run_options, plan.interval_ns, "print a report every SECONDS",
		       .ours = true),
	OPTION_END,
};

const struct option_spec off_cpu_run_table[] = {
	OPTION_FRAGMENT(pick_table, struct run_options, plan.filter),
	OPTION_MICROSECONDS(0, "min-count", struct run_options, plan.presentation.least,
			    "print only rows of at least US microseconds, or like 10ms", .min = 1, .ours = true),
	RUN_FRAGMENT(limit_table),
	RUN_FRAGMENT(group_table),
	RUN_FRAGMENT(guard_table),
	RUN_FRAGMENT(screen_table),
	RUN_FRAGMENT(common_table),
	OPTION_SECONDS(0, "duration", struct run_options, plan.duration_ns, "seconds to trace (default: until Ctrl-C)",
		       .operand = true, .exclusive = "duration"),
	COMMAND,
	OPTION_END,
};

const struct option_spec sleeper_table[] = {
	RUN_OPTION('p', "pid", plan.tgids, "PID|NAME,...", "only threads of these processes", PROCESSES,
		   .exclusive = "who"),
	RUN_OPTION('t', "tid", plan.tids, "TID,...", "only these threads", THREAD_IDS, .exclusive = "who"),
	RUN_OPTION('u', "user-threads-only", user_threads, NULL, "only user threads, no kernel threads",
		   .exclusive = "who"),
	RUN_OPTION('k', "kernel-threads-only", kernel_threads, NULL, "only kernel threads, no user threads",
		   .exclusive = "who"),
	{ .kind = OPTION_KIND_TEXT,
	  .offset = offsetof(struct run_options, plan.off_cpu),
	  .name = "state",
	  .metavar = "STATE",
	  .help = "only threads that left the CPU in this state: letters as in ps (R preempted, S, D, I, T, t, P), or "
		  "a mask as in include/linux/sched.h (0: preempted)",
	  .parse = off_cpu_state_parse },
	OPTION_END,
};

/* Both limits are inclusive, in whole microseconds: 1.9 us is 1 us. */
int off_cpu_plan(struct run_options *options)
{
	struct plan *plan = &options->plan;
	struct off_cpu_plan *off_cpu = &plan->off_cpu;
	int err;

	if (options->min_us > options->max_us)
		return fail_usage("-m %llu is more than -M %llu: no interval can match",
				  (unsigned long long)options->min_us, (unsigned long long)options->max_us);
	off_cpu->min_ns = options->min_us > UINT64_MAX / 1000 ? UINT64_MAX : options->min_us * 1000;
	off_cpu->max_ns = options->max_us >= UINT64_MAX / 1000 ? UINT64_MAX : options->max_us * 1000 + 999;
	off_cpu->by_duration = plan->view.histogram;
	off_cpu->by_time = plan->view.times;
	off_cpu->threads = options->user_threads     ? THREADS_USER
			   : options->kernel_threads ? THREADS_KERNEL
						     : THREADS_ALL;
	if (plan->view.times || plan->view.by_thread) /* the times are those of one thread */
		plan->key_parts |= KEY_TGID | KEY_TID;
	stack_plan(options);
	err = common_plan(options);
	/* A saved profile can have the histogram even if the format of the report cannot. */
	if (!err && plan->view.histogram && !plan->save_path)
		err = output_options_histogram(&plan->output, plan->view.folded);
	if (!err && options->kernel_threads && !plan->want_kernel)
		err = fail_usage("argument -k: not allowed with argument -U: kernel threads have no user stacks");
	return err;
}
