/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What offcputime, offwaketime and wakeuptime have in common: how long, for how long, and the end of their headers. */
#pragma once

#include "applets/common.h"

/* Put OFF_CPU_DEFAULTS into the defaults. */
struct off_cpu_options {
	/* limits of an interval, and when to report: off_cpu_table */
	uint64_t min_us, max_us;
	uint32_t stack_entries;
	bool unfinished;
	bool histogram;
	bool times, per_thread;
	struct seconds interval;
	/* what is shown, and for how long: off_cpu_run_table */
	struct pick_options pick;
	struct limit_options limit;
	struct group_options groups;
	struct guard_options guard;
	struct common_options common;
	struct seconds duration;
	char *const *command;
};

#define OFF_CPU_DEFAULTS { .min_us = 1, .max_us = UINT64_MAX }

extern const struct option_spec off_cpu_table[];
/* With the operands: the last entry of an applet's table. */
extern const struct option_spec off_cpu_run_table[];

/* After plan->view and plan->key_parts are set. 0 or a usage error. */
_must_check_ int off_cpu_plan(const struct off_cpu_options *options, struct plan *plan);

/* Which threads, and in which state they were when they left the CPU: offcputime and offwaketime. */
struct sleeper_options {
	struct u32_list tgids, tids;
	bool user_threads, kernel_threads;
	struct off_cpu_plan state; /* only its states */
};

extern const struct option_spec sleeper_table[];

/* After stack_plan(): user stacks of kernel threads are a usage error. */
_must_check_ int sleeper_plan(const struct sleeper_options *options, struct plan *plan);

/* "user + kernel", "user" or "kernel". */
const char *off_cpu_stacks(const struct plan *plan);

/* " for 5 secs." or "... Hit Ctrl-C to end." */
void off_cpu_end_header(const struct plan *plan, struct buf *line);
