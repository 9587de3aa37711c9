/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decides whether a run costs too much. This is arithmetic only; the caller measures.
 *
 * Shares are thousandths of a percent of a base, such as the time of all CPUs: 5000 is 5 % of each CPU.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base/clock.h"

/* The share of a cost, at most UINT32_MAX; 0 if the base is 0. */
uint32_t guard_share(uint64_t cost_ns, uint64_t base_ns);

/* What a cost is compared with. */
enum guard_base {
	GUARD_HOST, /* the time of all CPUs */
	GUARD_TRACED, /* the time in which the traced processes ran */
	GUARD_NR_BASES,
};

/* Totals since the programs were attached. */
struct guard_reading {
	uint64_t time_ns;
	uint64_t timed; /* runs of the programs that were timed: the costs are estimates from these */
	uint64_t cost_ns[GUARD_NR_BASES], base_ns[GUARD_NR_BASES];
};

struct guard {
	uint32_t limit; /* a share; UINT32_MAX: none */
	struct guard_reading begin; /* of the window */
	struct guard_reading last; /* of the last call */
	unsigned int nr_over[GUARD_NR_BASES]; /* calls in a row that found more than the limit since the call before */
};

enum guard_verdict {
	GUARD_GO_ON,
	GUARD_NEXT, /* go on: the window is over, and a new one has begun */
	GUARD_TOO_MUCH, /* of *ret_base; call guard_begin() when something was done about it */
};

/* Begins a window. */
void guard_begin(struct guard *guard, const struct guard_reading *now);

/*
 * To be called many times a second. A cost is too much as soon as it is more than the limit allows for a whole second, so a run that
 * costs ten times the limit is found after a tenth of a second. A window is a second, or longer if few runs were timed.
 *
 * One call alone may find a burst, or a timed run that was interrupted: two in a row must find more than the limit.
 */
enum guard_verdict guard_look(struct guard *guard, const struct guard_reading *now, enum guard_base *ret_base);

/* What was measured in the window, at the last guard_look(). */
struct guard_reading guard_window(const struct guard *guard);

#define GUARD_MANY_PROBES 100
#define GUARD_MANY_PROBES_NS (5 * 60 * NSEC_PER_SEC)

/*
 * Limits the duration of a run with many probes, because patterns with many matches are easily typed and forgotten. `asked_ns`: the
 * duration that the user wants, 0 for no end. Sets the duration and returns 0, or -ERANGE if `asked_ns` is too long.
 */
int guard_duration(uint64_t nr_probes, uint64_t asked_ns, uint64_t *ret_ns);
