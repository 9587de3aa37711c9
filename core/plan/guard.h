/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When the cost of a run is too much: pure arithmetic, fed with what the programs say they have taken.
 *
 * Shares are thousandths of a percent of the time of all CPUs: 5000 is a twentieth of each, or the tenth of one of two.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base/clock.h"

/* At most UINT32_MAX; 0 without time or CPUs. */
uint32_t guard_share(uint64_t cost_ns, uint64_t elapsed_ns, uint32_t nr_cpus);

struct guard {
	uint32_t limit; /* a share; UINT32_MAX: never too much */
	uint64_t time_ns, cost_ns; /* at the last look; at the start before the first */
	uint64_t elapsed_ns; /* between the last two */
	unsigned int nr_over; /* looks in a row that found more than the limit */
};

/*
 * Compares the cost since the last call with the limit. True when this call and the one before both found more than the
 * limit: a single one may be a burst. The next true then takes two such calls again.
 */
bool guard_look(struct guard *guard, uint64_t now_ns, uint64_t cost_ns, uint32_t nr_cpus);

#define GUARD_MANY_PROBES 100
#define GUARD_MANY_PROBES_NS (5 * 60 * NSEC_PER_SEC)

/*
 * For how long a run of so many probes goes on that was asked for `asked_ns` (0: without end): patterns that match a lot are
 * easily typed and easily forgotten. 0, or -ERANGE for an asked time that is too long.
 */
int guard_duration(uint64_t nr_probes, uint64_t asked_ns, uint64_t *ret_ns);
