/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Forgetting the records of a run without losing the stack of a later event.
 *
 * The kernel sends a record when its id is new to the live generation and not in the cache of sent records. So the cache is
 * emptied first and the generations are swapped then: every id that gets into the new generation either is sent again, or
 * was sent since the cache was emptied. The latter are kept, and so are the records of threads that were off the CPU between
 * the two: they are counted by id when they come back.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/host/unpreempted.h"
#include "core/session/drain_private.h"

/* Ids that come in meanwhile may stay: they are sent already. */
int drain_clear_known(struct drain *drain)
{
	const struct bpf_map *map = drain->loaded->skeleton->maps.st_known;
	uint32_t room = bpf_map__max_entries(map), nr = room, bucket;
	_cleanup_(freep) struct st_id *ids = xcalloc(room, sizeof(*ids));
	_cleanup_(freep) uint32_t *values = xcalloc(room, sizeof(*values));
	_cleanup_(unpreempted_end) struct unpreempted before = unpreempted_begin();
	int fd = bpf_map__fd(map);

	drain->nr_received = 0;
	if (bpf_map_lookup_batch(fd, NULL, &bucket, ids, values, &nr, NULL) && errno != ENOENT)
		return fail(-errno, "cache of sent records: cannot be read: %s", strerror(errno));
	if (nr && bpf_map_delete_batch(fd, ids, &nr, NULL) && errno != ENOENT)
		return fail(-errno, "cache of sent records: cannot be emptied: %s", strerror(errno));
	return 0;
}

void drain_note_recent(struct drain *drain, const struct st_id *id)
{
	if (drain->forgetting)
		vec_push(&drain->recent, (struct profile_id){ id->lo, id->hi });
}

static int note_tasks(struct drain *drain)
{
	const struct bpf_map *map = drain->loaded->skeleton->maps.st_tasks;
	uint32_t room = bpf_map__max_entries(map), nr = room, bucket;
	_cleanup_(freep) uint64_t *keys = NULL;
	_cleanup_(freep) struct st_task *tasks = NULL;

	if (!bpf_map__autocreate(map)) /* only where threads are followed */
		return 0;
	keys = xcalloc(room, sizeof(*keys));
	tasks = xcalloc(room, sizeof(*tasks));
	if (bpf_map_lookup_batch(bpf_map__fd(map), NULL, &bucket, keys, tasks, &nr, NULL) && errno != ENOENT)
		return fail(-errno, "map of threads: cannot be read: %s", strerror(errno));
	for (uint32_t i = 0; i < nr; i++) {
		drain_note_recent(drain, &tasks[i].sleeper);
		drain_note_recent(drain, &tasks[i].waker);
	}
	return 0;
}

int drain_forget_begin(struct drain *drain)
{
	int err;

	drain->forgetting = true;
	err = drain_clear_known(drain);
	return err ? err : note_tasks(drain);
}

void drain_forget_end(struct drain *drain, struct profile *profile)
{
	profile_keep_only(profile, drain->recent.data, drain->recent.nr);
	vec_done(&drain->recent);
	drain->forgetting = false;
}
