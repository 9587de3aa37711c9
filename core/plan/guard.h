/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decides whether a run costs too much; the caller measures. A share is in thousandths of a percent of a base: 5000 is 5 %. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base/clock.h"

/* The share of a cost in a base, at most UINT32_MAX; 0 if the base is 0. */
uint32_t guard_share(uint64_t cost_ns, uint64_t base_ns);

enum guard_base {
	GUARD_HOST, /* the time of all CPUs */
	GUARD_TRACED, /* the time for which the traced processes ran */
	GUARD_NR_BASES,
};

/* Totals since the programs were attached. */
struct guard_reading {
	uint64_t time_ns;
	uint64_t timed; /* runs of the programs that were timed, from which the costs are estimated */
	uint64_t cost_ns[GUARD_NR_BASES], base_ns[GUARD_NR_BASES];
};

struct guard {
	uint32_t limit; /* a share; UINT32_MAX: none */
	struct guard_reading begin; /* of the window */
	struct guard_reading last; /* of the last call */
	unsigned int nr_over[GUARD_NR_BASES]; /* calls in a row that found more than the limit */
};

enum guard_verdict {
	GUARD_GO_ON,
	GUARD_NEXT, /* go on: a new window has begun */
	GUARD_TOO_MUCH, /* of *ret_base; call guard_begin() after reducing the cost */
};

void guard_begin(struct guard *guard, const struct guard_reading *now);

/*
 * Call it many times a second. The verdict is GUARD_TOO_MUCH as soon as the cost in the window exceeds what the limit allows for a whole
 * second: ten times the limit is found after a tenth of a second. A window lasts a second, or longer if few runs were timed. Two calls in a
 * row must find more than the limit, because one can find a burst or a run that was interrupted.
 */
enum guard_verdict guard_look(struct guard *guard, const struct guard_reading *now, enum guard_base *ret_base);

/* The costs in the window up to the last guard_look(). */
struct guard_reading guard_window(const struct guard *guard);

#define GUARD_MANY_PROBES 100
#define GUARD_MANY_PROBES_NS (5 * 60 * NSEC_PER_SEC)

/*
 * Limits the duration of a run with many probes: a pattern with many matches is easily typed and forgotten. `asked_ns` is the user's
 * duration, 0: no end. Returns 0 and the duration, or -ERANGE if `asked_ns` is too long.
 */
int guard_duration(uint64_t nr_probes, uint64_t asked_ns, uint64_t *ret_ns);
