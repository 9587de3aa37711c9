/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decides whether a run costs too much. This is arithmetic only; the caller measures the cost.
 *
 * Shares are thousandths of a percent of the time of all CPUs: 5000 is 5 % of each CPU.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base/clock.h"

/* The share of a cost, at most UINT32_MAX; 0 if the time or the number of CPUs is 0. */
uint32_t guard_share(uint64_t cost_ns, uint64_t elapsed_ns, uint32_t nr_cpus);

struct guard {
	uint32_t limit; /* a share; UINT32_MAX: none */
	uint64_t time_ns, cost_ns; /* at the last guard_look(); the caller sets them at the start */
	uint64_t elapsed_ns; /* between the last two calls */
	unsigned int nr_over; /* calls in a row that found more than the limit */
};

/*
 * Compares the cost since the last call with the limit. True if two calls in a row found more than the limit, because one alone may be
 * a burst. Two more calls are needed for the next true.
 */
bool guard_look(struct guard *guard, uint64_t now_ns, uint64_t cost_ns, uint32_t nr_cpus);

#define GUARD_MANY_PROBES 100
#define GUARD_MANY_PROBES_NS (5 * 60 * NSEC_PER_SEC)

/*
 * Limits the duration of a run with many probes, because patterns with many matches are easily typed and forgotten. `asked_ns`: the
 * duration that the user wants, 0 for no end. Sets the duration and returns 0, or -ERANGE if `asked_ns` is too long.
 */
int guard_duration(uint64_t nr_probes, uint64_t asked_ns, uint64_t *ret_ns);
