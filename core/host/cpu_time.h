/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The CPU time of processes and threads. */
#pragma once

#include <stdint.h>

#include "core/base/vec.h"

struct cpu_time {
	const struct u32_list *tgids, *tids; /* borrowed; in our pid namespace */
	VEC(uint64_t) used; /* by each, when it was last read */

	/* for cpu_time_used(): */
	uint64_t sum_ns, read_ns,
		due_ns; /* the last sum, when it was read, and when to read it again (CLOCK_MONOTONIC) */
	double rate; /* CPUs in use between the last two sums */
};

void cpu_time_init(struct cpu_time *time, const struct u32_list *tgids, const struct u32_list *tids);
void cpu_time_done(struct cpu_time *time);

/* The sum of their CPU times in ns, including what has ended. Threads count 0 on kernels without CONFIG_SCHED_INFO. */
uint64_t cpu_time_read(struct cpu_time *time);

/*
 * The CPU time, in ns, that they used in the last `elapsed_ns`. Can be called many times a second: reading hundreds of processes takes
 * milliseconds, so sums are read only as often as costs a thousandth of a CPU. In between, the last rate is used.
 */
uint64_t cpu_time_used(struct cpu_time *time, uint64_t elapsed_ns);

/* The CPU time of a process since its start, in ns; 0: no such process. */
uint64_t cpu_time_of_process(uint32_t tgid);
