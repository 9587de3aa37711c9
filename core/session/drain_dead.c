/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Entries of a count map that no program uses any more. */
#include <errno.h>
#include <string.h>

#include <bpf/bpf.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/host/unpreempted.h"
#include "core/session/drain_private.h"
#include "core/session/session_private.h"

static void count_entries(const struct drain_target *target, const struct st_id *ids, const struct st_count *counts,
			  uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++) {
		profile_count(target->profile, target->interval, (struct profile_id){ ids[i].lo, ids[i].hi },
			      counts[i].events, counts[i].sum);
		target->interval->account.counted += counts[i].events;
	}
}

/*
 * Every kernel from 5.6 on has the batch calls for hashes (commit 057996380a42 ("bpf: Add batch ops to all htab bpf map"));
 * the map is dead, so nothing can be lost.
 * `nr`: in, room; out, how many were read, whatever is returned.
 */
static int take_dead_map(int fd, struct st_id *ret_ids, struct st_count *ret_counts, uint32_t *nr)
{
	_cleanup_(unpreempted_end) struct unpreempted before = unpreempted_begin();
	uint32_t bucket, nr_deleted;

	if (bpf_map_lookup_batch(fd, NULL, &bucket, ret_ids, ret_counts, nr, NULL) && errno != ENOENT) {
		*nr = 0;
		return fail(-errno, "count map: cannot be read: %s", strerror(errno));
	}
	nr_deleted = *nr;
	if (nr_deleted && bpf_map_delete_batch(fd, ret_ids, &nr_deleted, NULL))
		return fail(-errno, "count map: cannot be emptied: %s", strerror(errno));
	return 0;
}

int drain_dead_map(struct session *session, const struct drain_target *target, uint32_t generation)
{
	uint32_t nr = session->count_entries[generation];
	_cleanup_(freep) struct st_id *ids = xcalloc(nr, sizeof(*ids));
	_cleanup_(freep) struct st_count *counts = xcalloc(nr, sizeof(*counts));
	int err = take_dead_map(session->counts[generation], ids, counts, &nr);

	count_entries(target, ids, counts, nr);
	return err;
}
