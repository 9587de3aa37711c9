/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/plan/guard.h"

#include <errno.h>

#define WHOLE 100000 /* thousandths of a percent */
#define LOOKS_TO_ACT 2

uint32_t guard_share(uint64_t cost_ns, uint64_t elapsed_ns, uint32_t nr_cpus)
{
	double share;

	if (!elapsed_ns || !nr_cpus)
		return 0;
	share = (double)cost_ns * WHOLE / ((double)elapsed_ns * nr_cpus);
	return share < UINT32_MAX ? (uint32_t)share : UINT32_MAX;
}

bool guard_look(struct guard *guard, uint64_t now_ns, uint64_t cost_ns, uint32_t nr_cpus)
{
	uint64_t cost = cost_ns - guard->cost_ns;

	guard->elapsed_ns = now_ns - guard->time_ns;
	guard->time_ns = now_ns;
	guard->cost_ns = cost_ns;
	if (guard_share(cost, guard->elapsed_ns, nr_cpus) <= guard->limit)
		guard->nr_over = 0;
	else
		guard->nr_over++;
	if (guard->nr_over < LOOKS_TO_ACT)
		return false;
	guard->nr_over = 0;
	return true;
}

int guard_duration(uint64_t nr_probes, uint64_t asked_ns, uint64_t *ret_ns)
{
	bool many = nr_probes > GUARD_MANY_PROBES;

	if (many && asked_ns > GUARD_MANY_PROBES_NS)
		return -ERANGE;
	*ret_ns = many && !asked_ns ? GUARD_MANY_PROBES_NS : asked_ns;
	return 0;
}
