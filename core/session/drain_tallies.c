/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts by probe. The numbers in the kernel only grow, and the difference to what was reported before is what an interval
 * gets: no event falls between two intervals, although nothing is swapped.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/host/unpreempted.h"
#include "core/session/drain_private.h"

/* The row of a name: places of one name (copies of a static function, sites of a USDT probe) are one. */
static struct profile_id row_of(struct profile *profile, const struct attach_plan *attach, size_t index)
{
	const struct probe_place *place = &attach->places.data[index];
	string_id name = profile_add_string(profile, place->shown ? place->shown : place->name);
	const struct profile_frame frame = { .kind = FRAME_TEXT, .name = name, .where = name };
	const struct profile_record record = {
		.id = { .lo = name, .hi = 1 },
		.program = (uint8_t)attach->program,
		.kernel_status = STACK_OK,
		.user_status = STACK_NOT_ASKED,
		.nr_kernel = 1,
	};
	uint32_t frames = profile_add_frame(profile, &frame);
	uint64_t address = 0;

	profile_add_record(profile, &record, &frames, &address);
	return record.id;
}

static struct st_tally sum_of(const struct st_tally *each, int nr_cpus)
{
	struct st_tally sum = {};

	for (int cpu = 0; cpu < nr_cpus; cpu++) {
		sum.events += each[cpu].events;
		sum.filtered += each[cpu].filtered;
	}
	return sum;
}

static void add_tally(struct drain *drain, const struct drain_target *target, size_t index, struct st_tally now)
{
	struct profile_account *account = &target->interval->account;
	struct st_tally *before = &drain->tallies.data[index];
	uint64_t fresh = now.events - before->events, filtered = now.filtered - before->filtered;

	*before = now;
	account->counted += fresh;
	account->recorded += fresh;
	account->filtered += filtered;
	account->seen += fresh + filtered;
	if (fresh)
		profile_count(target->profile, target->interval, row_of(target->profile, drain->loaded->attach, index),
			      fresh, 0);
}

int drain_tallies(struct drain *drain, const struct drain_target *target)
{
	int nr_cpus = libbpf_num_possible_cpus(), map = bpf_map__fd(drain->loaded->skeleton->maps.st_tallies);
	_cleanup_(freep) struct st_tally *each = xcalloc((size_t)(nr_cpus > 0 ? nr_cpus : 1), sizeof(*each));
	_cleanup_(unpreempted_end) struct unpreempted before = unpreempted_begin();
	const struct st_tally none = {};

	while (drain->tallies.nr < drain->loaded->attach->places.nr)
		vec_push(&drain->tallies, none);
	for (uint32_t i = 0; i < drain->tallies.nr; i++) {
		if (bpf_map_lookup_elem(map, &i, each))
			return fail(-errno, "counts of the probes: cannot be read: %s", strerror(errno));
		add_tally(drain, target, i, sum_of(each, nr_cpus));
	}
	return 0;
}
