/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/session/drain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/host/cgroup_target.h"
#include "core/session/drain_private.h"
#include "core/session/walked_python.h"
#include "core/spaces/data_places.h"

#define LAST_TABLES_MS 500 /* for the stacks of programs that have just begun when the run ends */
#define MAX_DELTAS (1U << 16) /* more waiting deltas cause a swap */

static bool is_whole_record(const struct st_stack *stack, size_t bytes)
{
	const struct st_stack_head *head = &stack->head;

	return bytes >= sizeof(*head) && head->nr_kernel <= ST_MAX_FRAMES && head->nr_user <= ST_MAX_FRAMES &&
	       bytes == sizeof(*head) + 8 * ((size_t)head->nr_kernel + head->nr_user + 2 * (size_t)head->nr_python);
}

/* All messages have their kind at the same offset and are at least as long as struct st_delta. */
static int on_message(void *context, void *data, size_t bytes)
{
	struct drain *drain = context;
	const struct st_delta *delta = data;

	if (bytes < sizeof(*delta))
		drain->bad_messages++;
	else if ((delta->kind == ST_MESSAGE_STACK || delta->kind == ST_MESSAGE_EVENT) && is_whole_record(data, bytes))
		drain_keep_record(drain, data, bytes);
	else if (delta->kind == ST_MESSAGE_DELTA && bytes == sizeof(*delta))
		vec_push(&drain->deltas, *delta);
	else if (delta->kind == ST_MESSAGE_PAIR && bytes == sizeof(struct st_pair))
		drain_keep_pair(drain, data);
	else if (delta->kind == ST_MESSAGE_FUNCTION && bytes == sizeof(struct st_function))
		walked_python_add_function(drain->python, data);
	else if (delta->kind == ST_MESSAGE_WAKE)
		drain->woken = true;
	else
		drain->bad_messages++;
	return 0;
}

/* Empties the cache of sent records before it is full. The programs then send records again, which is harmless. */
static void renew_cache(struct drain *drain)
{
	_cleanup_(err_restore) struct err_saved before = err_save();

	if (drain->nr_received >= bpf_map__max_entries(drain->loaded->skeleton->maps.st_known) * 3 / 4)
		drain_clear_known(drain);
}

bool drain_ring(struct drain *drain, const struct drain_target *target)
{
	const volatile struct st_control *control = drain->loaded->control;
	bool woken;

	ring_buffer__consume(drain->ring);
	walked_python_update(drain->python);
	drain_add_kept(drain, target);
	walked_python_make_room(drain->python);
	renew_cache(drain);
	unwinding_work(target->unwinding, 0);
	drain_copies_walk(drain, target, false, 0);
	woken = drain->woken;
	drain->woken = false;
	return woken || drain->deltas.nr > MAX_DELTAS || control->inserted >= control->wake_at;
}

void drain_discard(struct drain *drain)
{
	ring_buffer__consume(drain->ring);
	drain->pending.nr = 0;
}

int drain_new(struct loaded *loaded, struct attachment *attachment, const struct plan *plan, struct drain **ret_drain)
{
	const struct sampling_choice *sample = &loaded->attach->sample;
	struct drain *drain = xcalloc(1, sizeof(*drain));

	drain->plan = plan;
	drain->loaded = loaded;
	drain->attachment = attachment;
	drain->sample_period = sample->is_clock || plan->period ? sample->period : 0;
	if (plan->key_parts & KEY_CGROUP)
		drain->cgroup_root = cgroup_mount_point("/proc/self/mountinfo");
	drain->generations[0] = (struct generation){ take_fd(&loaded->first_counts.inner), loaded->count_entries };
	drain->generations[1].counts = -1;
	drain->wanted_entries = loaded->count_entries;
	if (plan->off_cpu.locks)
		drain->locks = data_places_new();
	drain->ring = ring_buffer__new(bpf_map__fd(loaded->skeleton->maps.st_ring), on_message, drain, NULL);
	if (!drain->ring) {
		int err = fail(-errno, "ring buffer: cannot be opened: %s", strerror(errno));

		drain_free(drain);
		return err;
	}
	drain->copies = drain_copies_new(drain);
	*ret_drain = drain;
	return 0;
}

void drain_free(struct drain *drain)
{
	if (!drain)
		return;
	ring_buffer__free(drain->ring);
	drain_copies_free(drain->copies);
	walked_python_free(drain->python);
	data_places_free(drain->locks);
	for (uint32_t generation = 0; generation < ST_GENERATIONS; generation++)
		closep(&drain->generations[generation].counts);
	free(drain->cgroup_root);
	vec_done(&drain->pending);
	vec_done(&drain->pairs);
	vec_done(&drain->deltas);
	vec_done(&drain->recent);
	vec_done(&drain->tallies);
	free(drain);
}

void drain_begin_python(struct drain *drain, const struct drain_target *target)
{
	if (loaded_config(drain->loaded)->python == ST_PYTHON_OFF)
		return;
	drain->python = walked_python_new(drain, target);
	walked_python_update(drain->python);
}

void drain_add_python_notes(const struct drain *drain, struct buf *notes)
{
	walked_python_add_notes(drain->python, notes);
}

int drain_fd(const struct drain *drain)
{
	return ring_buffer__epoll_fd(drain->ring);
}

/* Drains a generation that no program uses any more. If its map cannot be read, its counts become a loss. */
static int drain_generation(struct drain *drain, const struct drain_target *target, uint32_t generation,
			    struct st_stats *sum)
{
	struct profile_account *account = &target->interval->account;
	uint64_t before = account->recorded, counted;
	int err;

	drain_count_deltas(drain, target, generation);
	counted = account->counted;
	err = drain_dead_map(&drain->generations[generation], target);
	drain_account_generation(drain, target, generation, sum);
	if (drain->plan->mode == EVENTS_BY_LENGTH)
		drain_name_calls(drain, target);
	if (err)
		target->interval->losses[ST_LOSS_DRAIN_FAILED] +=
			account->recorded - before - (account->counted - counted);
	return err;
}

/* EVENTS_BY_PROBE uses no count map, and only the statistics of generation 0. Both are read while the programs run. */
static int drain_by_probe(struct drain *drain, const struct drain_target *target)
{
	int err = drain_tallies(drain, target);
	struct st_stats fresh = {};

	target->interval->end_ns = clock_monotonic_ns();
	drain_account_generation(drain, target, 0, &fresh);
	return err;
}

int drain_swap(struct drain *drain, const struct drain_target *target)
{
	volatile struct st_control *control = drain->loaded->control;
	uint32_t dead = control->generation & (ST_GENERATIONS - 1);
	uint64_t inserted = control->inserted;
	struct sample_clock end;
	struct st_stats fresh = {};
	int err;

	if (drain->plan->mode == EVENTS_BY_PROBE)
		return drain_by_probe(drain, target);
	err = drain_prepare_generation(drain, !dead);
	if (err)
		return err;
	/* Before the generation changes, because the programs compare with wake_at at once. */
	control->wake_at = inserted + drain->generations[!dead].entries / 2;
	__atomic_fetch_add(&control->generation, 1, __ATOMIC_RELEASE);
	target->interval->end_ns = clock_monotonic_ns();
	end = drain_read_sample_clock(drain);
	err = drain_await_programs(drain, dead);
	if (err)
		return err;
	drain->holds_live = true;
	drain->woken = drain_ring(drain, target); /* the new generation may already be half full */
	drain_copies_walk(drain, target, true, 0);
	drain->holds_live = false;
	if (drain->plan->mode == EVENTS_EACH)
		target->interval->end_ns = clock_monotonic_ns(); /* single events belong to no generation */
	err = drain_generation(drain, target, dead, &fresh);
	err = err ?: drain_read_depths(drain, target->profile);
	drain_account_samples(drain, target->interval, &fresh, end);
	drain_note_pressure(drain, (uint32_t)(inserted - drain->inserted_before));
	drain->inserted_before = inserted;
	return err;
}

/* Nothing is attached any more, so both generations are drained without a swap. */
int drain_all(struct drain *drain, const struct drain_target *target)
{
	int err = drain_await_programs(drain, drain->loaded->control->generation & (ST_GENERATIONS - 1));
	struct sample_clock end = drain_read_sample_clock(drain);
	struct st_stats fresh = {};

	if (!err)
		drain_ring(drain, target);
	if (!err)
		drain_copies_walk(drain, target, true, LAST_TABLES_MS);
	if (!err && drain->plan->mode == EVENTS_BY_PROBE)
		return drain_by_probe(drain, target);
	for (uint32_t generation = 0; !err && generation < ST_GENERATIONS; generation++)
		if (drain->generations[generation].entries)
			err = drain_generation(drain, target, generation, &fresh);
	err = err ?: drain_read_depths(drain, target->profile);
	drain_account_samples(drain, target->interval, &fresh, end);
	if (drain->plan->mode == EVENTS_EACH)
		drain_add_dropped(drain, target, (uint32_t)drain->loaded->control->lost);
	if (!err && drain->plan->mode == EVENTS_BY_LENGTH)
		err = drain_open_calls(drain, target);
	if (!err && drain->plan->off_cpu.unfinished)
		err = drain_unfinished(drain->loaded, &drain->plan->off_cpu, target);
	return err;
}
