/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The two generations of counts: a map for each, and the deltas that did not fit into a map. */
#include <errno.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/host/unpreempted.h"
#include "core/session/drain_private.h"

#define MAX_COUNT_ENTRIES (1U << 20) /* the largest count map: 80 MB of kernel memory */

/*
 * Makes a count map of `wanted_entries` and puts it in place of a generation's map. The kernel waits for running programs, 10 ms or more,
 * so the map of the second generation is made when it is first needed.
 */
static int make_counts(struct drain *drain, uint32_t generation)
{
	_cleanup_(closep) int fd = load_count_map(drain->wanted_entries);
	int outer = bpf_map__fd(drain->loaded->skeleton->maps.st_generation);

	if (fd < 0)
		return fd;
	if (bpf_map_update_elem(outer, &generation, &fd, BPF_ANY))
		return fail(-errno, "count map: cannot be installed: %s", strerror(errno));
	closep(&drain->generations[generation].counts);
	drain->generations[generation] = (struct generation){ take_fd(&fd), drain->wanted_entries };
	return 0;
}

/* If the kernel refuses a larger map, the old one stays: counts that do not fit become deltas. */
int drain_prepare_generation(struct drain *drain, uint32_t next)
{
	int err;

	if (drain->generations[next].entries >= drain->wanted_entries)
		return 0;
	err = make_counts(drain, next);
	if (!err || !drain->generations[next].entries)
		return err;
	err_clear();
	drain->wanted_entries = drain->generations[next].entries;
	return 0;
}

void drain_note_pressure(struct drain *drain, uint32_t nr_entries)
{
	uint32_t wanted = drain->wanted_entries;

	if (nr_entries >= wanted / 2 && wanted < MAX_COUNT_ENTRIES)
		drain->wanted_entries = wanted < MAX_COUNT_ENTRIES / 4 ? 4 * wanted : MAX_COUNT_ENTRIES;
}

/* Puts the map of the dead generation into its slot again: this call returns when all programs that may use the map have finished. */
int drain_await_programs(struct drain *drain, uint32_t dead)
{
	_cleanup_(unpreempted_end) struct unpreempted before = unpreempted_begin();
	int outer = bpf_map__fd(drain->loaded->skeleton->maps.st_generation);

	if (bpf_map_update_elem(outer, &dead, &drain->generations[dead].counts, BPF_ANY))
		return fail(-errno, "count map: cannot be swapped: %s", strerror(errno));
	return 0;
}

static void count(const struct drain_target *target, const struct st_id *id, const struct st_count *count)
{
	profile_count(target->profile, target->interval, (struct profile_id){ id->lo, id->hi }, count->events,
		      count->sum);
	target->interval->account.counted += count->events;
}

void drain_count_deltas(struct drain *drain, const struct drain_target *target, uint32_t generation)
{
	size_t kept = 0;

	for (size_t i = 0; i < drain->deltas.nr; i++) {
		const struct st_delta *delta = &drain->deltas.data[i];

		if (delta->generation != generation) {
			drain->deltas.data[kept++] = *delta;
			continue;
		}
		count(target, &delta->id, &delta->count);
	}
	drain->deltas.nr = kept;
}

/*
 * The batch calls for hashes exist since 5.6 (commit 057996380a42 ("bpf: Add batch ops to all htab bpf map")). Entries that a program adds
 * during the call may stay in the map.
 */
int drain_read_map(int fd, void *ret_keys, void *ret_values, uint32_t *nr, bool empties, const char *name)
{
	_cleanup_(unpreempted_end) struct unpreempted before = unpreempted_begin();
	uint32_t bucket, nr_deleted;

	if (bpf_map_lookup_batch(fd, NULL, &bucket, ret_keys, ret_values, nr, NULL) && errno != ENOENT) {
		*nr = 0;
		return fail(-errno, "%s: cannot be read: %s", name, strerror(errno));
	}
	nr_deleted = *nr;
	if (empties && nr_deleted && bpf_map_delete_batch(fd, ret_keys, &nr_deleted, NULL) && errno != ENOENT)
		return fail(-errno, "%s: cannot be emptied: %s", name, strerror(errno));
	return 0;
}

int drain_dead_map(struct generation *dead, const struct drain_target *target)
{
	uint32_t nr = dead->entries;
	_cleanup_(freep) struct st_id *ids = xcalloc(nr, sizeof(*ids));
	_cleanup_(freep) struct st_count *counts = xcalloc(nr, sizeof(*counts));
	int err = drain_read_map(dead->counts, ids, counts, &nr, true, "count map");

	for (uint32_t i = 0; i < nr; i++)
		count(target, &ids[i], &counts[i]);
	if (err) {
		closep(&dead->counts);
		*dead = (struct generation){ .counts = -1 };
	}
	return err;
}
