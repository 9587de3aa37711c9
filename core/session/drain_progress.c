/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel side has counted until now, read while it goes on: a view of moments, from which nothing is taken
 * away.
 */
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/host/unpreempted.h"
#include "core/session/drain_private.h"

#define TALLIES_MAX 256 /* places; a system call for each, twice a second */

static uint64_t lost_events(const struct st_stats *stats)
{
	uint64_t lost = 0;

	for (size_t i = 0; i < ST_NR_LOSSES; i++)
		if (profile_losses[i].class == LOSS_EVENT)
			lost += stats->losses[i];
	return lost;
}

static uint64_t counted_by_probe(const struct drain *drain)
{
	int nr_cpus = libbpf_num_possible_cpus(), map = bpf_map__fd(drain->loaded->skeleton->maps.st_tallies);
	_cleanup_(freep) struct st_tally *each = xcalloc((size_t)(nr_cpus > 0 ? nr_cpus : 1), sizeof(*each));
	_cleanup_(unpreempted_end) struct unpreempted before = unpreempted_begin();
	uint64_t events = 0;

	for (uint32_t i = 0; i < drain->loaded->attach->places.nr; i++) {
		if (bpf_map_lookup_elem(map, &i, each))
			continue;
		for (int cpu = 0; cpu < nr_cpus; cpu++)
			events += each[cpu].events;
	}
	return events;
}

void drain_progress(const struct drain *drain, struct drain_progress *ret_progress)
{
	if (drain->plan->mode == EVENTS_BY_PROBE) {
		bool is_few = drain->loaded->attach->places.nr <= TALLIES_MAX;

		*ret_progress = (struct drain_progress){
			.has_events = is_few,
			.events = is_few ? counted_by_probe(drain) : 0,
		};
		return;
	}
	*ret_progress = (struct drain_progress){ .has_events = true, .has_lost = true };
	for (uint32_t generation = 0; generation < 2; generation++) {
		struct st_stats stats;

		loaded_sum_stats(drain->loaded, generation, &stats);
		ret_progress->events += stats.recorded + stats.losses[ST_LOSS_SPILLED];
		ret_progress->lost += lost_events(&stats);
	}
}
