/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The CPU time that processes and threads use. */
#pragma once

#include <stdint.h>

#include "core/base/vec.h"

struct cpu_time {
	const struct u32_list *tgids, *tids; /* borrowed; in our pid namespace */
	VEC(uint64_t) used; /* of each, when it was last read */

	/* of cpu_time_used() */
	uint64_t sum_ns, read_ns,
		due_ns; /* the last sum; when it was read, and when it is read again: CLOCK_MONOTONIC */
	double rate; /* CPUs in use, before it was read */
};

void cpu_time_init(struct cpu_time *time, const struct u32_list *tgids, const struct u32_list *tids);
void cpu_time_done(struct cpu_time *time);

/*
 * The sum of their CPU times. It never falls: what has ended keeps its time. That of a thread is 0 on kernels that do not account for it
 * (CONFIG_SCHED_INFO).
 */
uint64_t cpu_time_read(struct cpu_time *time);

/*
 * The CPU time that they have used in the last `elapsed_ns`; to be called many times a second. Reading hundreds of processes takes
 * milliseconds, so a sum is read so seldom that this costs a thousandth of a CPU. Between two sums the last rate holds.
 */
uint64_t cpu_time_used(struct cpu_time *time, uint64_t elapsed_ns);

/* That of all threads of one process since its start; 0 if there is none. */
uint64_t cpu_time_of_process(uint32_t tgid);
