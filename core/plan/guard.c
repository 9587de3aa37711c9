/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/plan/guard.h"

#include <errno.h>

#define WHOLE 100000 /* thousandths of a percent */
#define LOOKS_TO_ACT 2
#define LEAST_TIMED 16 /* runs; the cost of fewer is dominated by cold caches */

uint32_t guard_share(uint64_t cost_ns, uint64_t base_ns)
{
	double share;

	if (!base_ns)
		return 0;
	share = (double)cost_ns * WHOLE / (double)base_ns;
	return share < UINT32_MAX ? (uint32_t)share : UINT32_MAX;
}

static struct guard_reading difference(const struct guard_reading *now, const struct guard_reading *before)
{
	struct guard_reading fresh = { now->time_ns - before->time_ns, now->timed - before->timed, {}, {} };

	for (int base = 0; base < GUARD_NR_BASES; base++) {
		fresh.cost_ns[base] = now->cost_ns[base] - before->cost_ns[base];
		fresh.base_ns[base] = now->base_ns[base] - before->base_ns[base];
	}
	return fresh;
}

struct guard_reading guard_window(const struct guard *guard)
{
	return difference(&guard->last, &guard->begin);
}

void guard_begin(struct guard *guard, const struct guard_reading *now)
{
	guard->begin = guard->last = *now;
	for (int base = 0; base < GUARD_NR_BASES; base++)
		guard->nr_over[base] = 0;
}

/* Whether the cost in the window exceeds what the limit allows for the window, or for a second if the window is shorter. */
static bool is_spent(const struct guard *guard, const struct guard_reading *window, int base)
{
	double base_ns = (double)window->base_ns[base];

	if (window->time_ns && window->time_ns < NSEC_PER_SEC)
		base_ns *= (double)NSEC_PER_SEC / (double)window->time_ns;
	return (double)window->cost_ns[base] * WHOLE > base_ns * guard->limit;
}

enum guard_verdict guard_look(struct guard *guard, const struct guard_reading *now, enum guard_base *ret_base)
{
	struct guard_reading fresh = difference(now, &guard->last), window;

	if (guard->limit == UINT32_MAX)
		return GUARD_GO_ON;
	guard->last = *now;
	window = guard_window(guard);
	for (int base = 0; base < GUARD_NR_BASES; base++) {
		bool is_over = guard_share(fresh.cost_ns[base], fresh.base_ns[base]) > guard->limit;

		guard->nr_over[base] = is_over ? guard->nr_over[base] + 1 : 0;
		if (guard->nr_over[base] < LOOKS_TO_ACT || window.timed < LEAST_TIMED ||
		    !is_spent(guard, &window, base))
			continue;
		*ret_base = (enum guard_base)base;
		return GUARD_TOO_MUCH;
	}
	if (window.time_ns < NSEC_PER_SEC || window.timed < LEAST_TIMED)
		return GUARD_GO_ON;
	guard->begin = *now;
	return GUARD_NEXT;
}

int guard_duration(uint64_t nr_probes, uint64_t asked_ns, uint64_t *ret_ns)
{
	bool many = nr_probes > GUARD_MANY_PROBES;

	if (many && asked_ns > GUARD_MANY_PROBES_NS)
		return -ERANGE;
	*ret_ns = many && !asked_ns ? GUARD_MANY_PROBES_NS : asked_ns;
	return 0;
}
