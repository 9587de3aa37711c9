/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Forgets records without losing the stack of a later event.
 *
 * A program sends a record if its id is new in the live generation and not in the cache of sent records. So the cache is emptied, and then
 * the generations are swapped. Each id in the new generation is either sent again, or was sent after the cache was emptied. The latter
 * records are kept. Records of threads that are off the CPU at that time are kept too, because the programs count them by id later.
 */

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/session/drain_private.h"
#include "core/session/walked_python.h"

/* The numbers of deep stacks begin again with the next event. */
static int clear_depths(struct drain *drain)
{
	const struct bpf_map *map = drain->loaded->skeleton->maps.st_depths;
	uint32_t nr = bpf_map__max_entries(map);
	_cleanup_(freep) struct st_id *ids = NULL;
	_cleanup_(freep) struct st_depth *depths = NULL;

	if (!bpf_map__autocreate(map))
		return 0;
	ids = xcalloc(nr, sizeof(*ids));
	depths = xcalloc(nr, sizeof(*depths));
	return drain_read_map(bpf_map__fd(map), ids, depths, &nr, true, "numbers of elided frames");
}

int drain_clear_known(struct drain *drain)
{
	const struct bpf_map *map = drain->loaded->skeleton->maps.st_known;
	uint32_t nr = bpf_map__max_entries(map);
	_cleanup_(freep) struct st_id *ids = xcalloc(nr, sizeof(*ids));
	_cleanup_(freep) uint32_t *values = xcalloc(nr, sizeof(*values));

	drain->nr_received = 0;
	return drain_read_map(bpf_map__fd(map), ids, values, &nr, true, "cache of sent records");
}

void drain_note_recent(struct drain *drain, const struct st_id *id)
{
	if (drain->forgetting)
		vec_push(&drain->recent, (struct profile_id){ id->lo, id->hi });
}

static int note_tasks(struct drain *drain)
{
	_cleanup_(freep) struct st_task *tasks = NULL;
	uint32_t nr;
	int err = drain_read_tasks(drain->loaded, &tasks, &nr);

	for (uint32_t i = 0; !err && i < nr; i++) {
		drain_note_recent(drain, &tasks[i].sleeper);
		drain_note_recent(drain, &tasks[i].waker);
	}
	return err;
}

int drain_forget_begin(struct drain *drain)
{
	drain->forgetting = true;
	return clear_depths(drain) ?: drain_clear_known(drain) ?: note_tasks(drain);
}

void drain_forget_end(struct drain *drain, struct profile *profile)
{
	walked_python_forget(drain->python);
	profile_keep_only(profile, drain->recent.data, drain->recent.nr);
	vec_done(&drain->recent);
	drain->forgetting = false;
}
