/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts by probe, and the numbers of a run so far. The counters in the kernel only grow. An interval gets the difference to the last read,
 * so no event is lost between two intervals although nothing is swapped.
 */
#include <errno.h>
#include <string.h>

#include "bpf/calls_abi.h"
#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/host/unpreempted.h"
#include "core/session/drain_private.h"

#define TALLIES_MAX 256 /* limit for drain_progress(), which makes a system call for each place */

/* Adds a record whose only frame is the name of a place. id = NULL: places of the same name share a record. */
static struct profile_id add_record(struct profile *profile, const struct attach_plan *attach, size_t index,
				    const struct st_id *id)
{
	const struct probe_place *place = &attach->places.data[index];
	string_id name = profile_add_string(profile, place->shown ? place->shown : place->name);
	const struct profile_frame frame = { .kind = FRAME_TEXT, .name = name, .where = name };
	const struct profile_record record = {
		.id = { .lo = id ? id->lo : name, .hi = id ? id->hi : 1 },
		.tgid = id ? ST_LENGTH_TGID(*id) : 0,
		.program = (uint8_t)(profile->view.slow ? PROGRAM_CALL : attach->program),
		.kernel_status = STACK_OK,
		.user_status = STACK_NOT_ASKED,
		.nr_kernel = 1,
	};
	uint32_t frames = profile_add_frame(profile, &frame);
	uint64_t address = 0;

	profile_add_record(profile, &record, &frames, &address);
	return record.id;
}

/* Adds the row of a place. Places of the same name (copies of a static function, sites of a USDT probe) share a row. */
static struct profile_id row_of(struct profile *profile, const struct attach_plan *attach, size_t index)
{
	return add_record(profile, attach, index, NULL);
}

void drain_name_calls(const struct drain *drain, const struct drain_target *target)
{
	const struct attach_plan *attach = drain->loaded->attach;

	for (size_t i = 0; i < target->interval->rows.nr; i++) {
		const struct profile_record *record =
			&target->profile->records.data[target->interval->rows.data[i].record];
		const struct st_id id = { record->id.lo, record->id.hi };

		if (record->stack_lost && ST_LENGTH_FUNCTION(id) < attach->nr_functions)
			add_record(target->profile, attach, ST_LENGTH_FUNCTION(id), &id);
	}
}

/* A call that has left its function, as far as the programs can know, ended at that time. The others are counted as open. */
static void add_open(const struct drain *drain, const struct drain_target *target, const struct st_calls *list,
		     const struct st_call *call)
{
	struct profile_account *account = &target->interval->account;
	uint64_t length_ns = call->left_ns - call->begun_ns;
	struct st_id id =
		ST_LENGTH_ID(call->function, list->tgid, st_class(length_ns / view_unit_ns(&drain->plan->view)));

	if (drain->plan->view.slow && length_ns >= drain->plan->view.limit_ns)
		id.lo |= ST_LENGTH_SLOW;
	if (call->function == ST_NO_FUNCTION)
		return;
	if (!call->left_ns) {
		target->interval->losses[ST_LOSS_CALL_OPEN]++;
		return;
	}
	profile_count(target->profile, target->interval, (struct profile_id){ id.lo, id.hi }, 1, length_ns);
	account->seen++;
	account->recorded++;
	account->counted++;
}

int drain_open_calls(const struct drain *drain, const struct drain_target *target)
{
	const struct bpf_map *map = drain->loaded->skeleton->maps.st_calls;
	const uint32_t levels = drain->plan->levels ?: ST_CALLS_MAX;
	uint32_t nr = bpf_map__max_entries(map);
	_cleanup_(freep) uint64_t *keys = xcalloc(nr, sizeof(*keys));
	_cleanup_(freep) struct st_calls *lists = xcalloc(nr, sizeof(*lists));
	int err = drain_read_map(bpf_map__fd(map), keys, lists, &nr, false, "map of calls");

	for (uint32_t i = 0; i < nr; i++)
		for (uint32_t k = 0; k < lists[i].depth && k < levels && k < ST_CALLS_MAX; k++)
			add_open(drain, target, &lists[i], &lists[i].calls[k]);
	drain_name_calls(drain, target);
	return err;
}

/* Sums the counters of a place over all CPUs. `each` has room for the counters of each CPU. False and errno: they cannot be read. */
static bool read_tally(const struct drain *drain, uint32_t index, struct st_tally *each, struct st_tally *ret_sum)
{
	*ret_sum = (struct st_tally){};
	if (bpf_map_lookup_elem(bpf_map__fd(drain->loaded->skeleton->maps.st_tallies), &index, each))
		return false;
	for (int cpu = 0; cpu < libbpf_num_possible_cpus(); cpu++) {
		ret_sum->events += each[cpu].events;
		ret_sum->filtered += each[cpu].filtered;
	}
	return true;
}

static struct st_tally *new_tallies(void)
{
	int nr_cpus = libbpf_num_possible_cpus();

	return xcalloc((size_t)(nr_cpus > 0 ? nr_cpus : 1), sizeof(struct st_tally));
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
	_cleanup_(freep) struct st_tally *each = new_tallies();
	_cleanup_(unpreempted_end) struct unpreempted before = unpreempted_begin();
	struct st_tally sum = {};

	while (drain->tallies.nr < drain->loaded->attach->places.nr)
		vec_push(&drain->tallies, sum);
	for (uint32_t i = 0; i < drain->tallies.nr; i++) {
		if (!read_tally(drain, i, each, &sum))
			return fail(-errno, "counts of the probes: cannot be read: %s", strerror(errno));
		add_tally(drain, target, i, sum);
	}
	return 0;
}

static uint64_t counted_by_probe(const struct drain *drain)
{
	_cleanup_(freep) struct st_tally *each = new_tallies();
	_cleanup_(unpreempted_end) struct unpreempted before = unpreempted_begin();
	uint64_t events = 0;

	for (uint32_t i = 0; i < drain->loaded->attach->places.nr; i++) {
		struct st_tally sum;

		read_tally(drain, i, each, &sum);
		events += sum.events;
	}
	return events;
}

static uint64_t lost_events(const struct st_stats *stats)
{
	uint64_t lost = 0;

	for (size_t i = 0; i < ST_NR_LOSSES; i++)
		if (profile_losses[i].class == LOSS_EVENT)
			lost += stats->losses[i];
	return lost;
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
	for (uint32_t generation = 0; generation < ST_GENERATIONS; generation++) {
		struct st_stats stats;

		loaded_sum_stats(drain->loaded, generation, &stats);
		ret_progress->events += stats.recorded + stats.losses[ST_LOSS_SPILLED];
		ret_progress->lost += lost_events(&stats);
	}
}
