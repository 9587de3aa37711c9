/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "applets/off_cpu.h"

#include "core/base/err.h"
#include "core/resolve/probe_kinds.h"

const struct option_spec off_cpu_table[] = {
	OPTION('m', "min-block-time", struct off_cpu_options, min_us, "US",
	       "only intervals of at least US microseconds", .noun = "a number of microseconds"),
	OPTION('M', "max-block-time", struct off_cpu_options, max_us, "US", "only intervals of at most US microseconds",
	       .min = 1, .noun = "a number of microseconds"),
	OPTION(0, "stack-storage-size", struct off_cpu_options, stack_entries, "N",
	       "size of the kernel's table of stacks already sent; seldom needed", .min = 1, .max = 1 << 24),
	OPTION(0, "unfinished", struct off_cpu_options, unfinished, NULL,
	       "include threads that are still off the CPU at the end, marked as such", .ours = true),
	OPTION(0, "histogram", struct off_cpu_options, histogram, NULL,
	       "below each stack, print the number of intervals, the shortest, the longest, and a histogram of their "
	       "lengths; the last histogram covers all stacks",
	       .ours = true),
	OPTION(0, "timestamps", struct off_cpu_options, times, NULL,
	       "keep the time at which each interval ended, for the format 'perf' and 'report --since'; needs more "
	       "memory",
	       .ours = true),
	OPTION(0, "per-thread", struct off_cpu_options, per_thread, NULL, "separate threads, named PID/TID",
	       .ours = true),
	OPTION(0, "interval", struct off_cpu_options, interval, "SECONDS", "print a report every SECONDS",
	       .ours = true),
	OPTION_END,
};

const struct option_spec off_cpu_run_table[] = {
	OPTION_FRAGMENT(pick_table, struct off_cpu_options, pick),
	OPTION_FRAGMENT(limit_table, struct off_cpu_options, limit),
	OPTION_FRAGMENT(group_table, struct off_cpu_options, groups),
	OPTION_FRAGMENT(guard_table, struct off_cpu_options, guard),
	OPTION_FRAGMENT(common_table, struct off_cpu_options, common),
	OPERAND("duration", struct off_cpu_options, duration, "seconds to trace (default: until Ctrl-C)"),
	COMMAND(struct off_cpu_options, command),
	OPTION_END,
};

/* A saved profile has the histogram, whatever form the report of the run itself takes. */
static int histogram_plan(const struct plan *plan)
{
	if (!plan->view.histogram || plan->save_path)
		return 0;
	return output_options_histogram(&plan->output, plan->view.folded);
}

/* Both limits are inclusive; an interval of 1.9 us is one of 1 us. */
int off_cpu_plan(const struct off_cpu_options *options, struct plan *plan)
{
	if (options->min_us > options->max_us)
		return fail_usage("-m %llu is more than -M %llu: no interval can match",
				  (unsigned long long)options->min_us, (unsigned long long)options->max_us);
	plan->probe.kind = &probe_scheduler;
	plan->off_cpu.min_ns = options->min_us > UINT64_MAX / 1000 ? UINT64_MAX : options->min_us * 1000;
	plan->off_cpu.max_ns = options->max_us >= UINT64_MAX / 1000 ? UINT64_MAX : options->max_us * 1000 + 999;
	plan->off_cpu.unfinished = options->unfinished;
	plan->off_cpu.by_duration = plan->view.histogram = options->histogram;
	plan->off_cpu.by_time = plan->view.times = options->times;
	plan->view.by_thread = options->per_thread;
	if (options->times || options->per_thread) /* times are those of a thread */
		plan->key_parts |= KEY_TGID | KEY_TID;
	plan->record_entries = options->stack_entries;
	plan->interval_ns = options->interval.ns;
	plan->duration_ns = options->duration.ns;
	plan->command = options->command;
	pick_plan(&options->pick, plan);
	group_plan(&options->groups, plan);
	limit_plan(&options->limit, plan);
	guard_plan(&options->guard, plan);
	return common_plan(&options->common, plan) ?: histogram_plan(plan);
}

static int parse_state(const char *text, void *field)
{
	return off_cpu_state_parse(text, field);
}

#define STATE_FIELD(structure, field) .kind = OPTION_KIND_TEXT, .offset = offsetof(structure, field)

const struct option_spec sleeper_table[] = {
	OPTION('p', "pid", struct sleeper_options, tgids, "PID,...", "only threads of these processes", .min = 1,
	       .max = PID_MAX, .noun = "a list of process ids", .exclusive = "who"),
	OPTION('t', "tid", struct sleeper_options, tids, "TID,...", "only these threads", .min = 1, .max = PID_MAX,
	       .noun = "a list of thread ids", .exclusive = "who"),
	OPTION('u', "user-threads-only", struct sleeper_options, user_threads, NULL,
	       "only user threads, no kernel threads", .exclusive = "who"),
	OPTION('k', "kernel-threads-only", struct sleeper_options, kernel_threads, NULL,
	       "only kernel threads, no user threads", .exclusive = "who"),
	{ STATE_FIELD(struct sleeper_options, state), .name = "state", .metavar = "STATE",
	  .help = "only threads that left the CPU in this state: letters as in ps (R preempted, S, D, I, T, t, P), or "
		  "a mask as in include/linux/sched.h (0: preempted)",
	  .parse = parse_state },
	OPTION_END,
};

int sleeper_plan(const struct sleeper_options *options, struct plan *plan)
{
	plan_add_ids(&plan->tgids, &options->tgids);
	plan_add_ids(&plan->tids, &options->tids);
	if (options->kernel_threads && !plan->want_kernel)
		return fail_usage("argument -k: not allowed with argument -U: kernel threads have no user stacks");
	if (options->user_threads)
		plan->off_cpu.threads = THREADS_USER;
	else if (options->kernel_threads)
		plan->off_cpu.threads = THREADS_KERNEL;
	plan->off_cpu.state_filter = options->state.state_filter;
	plan->off_cpu.states = options->state.states;
	return 0;
}

const char *off_cpu_stacks(const struct plan *plan)
{
	if (!plan->want_kernel)
		return "user";
	return plan->want_user ? "user + kernel" : "kernel";
}

void off_cpu_end_header(const struct plan *plan, struct buf *line)
{
	if (!plan->duration_ns) {
		buf_adds(line, "... Hit Ctrl-C to end.");
		return;
	}
	buf_adds(line, " for ");
	seconds_describe(plan->duration_ns, line);
	buf_adds(line, " secs.");
}
