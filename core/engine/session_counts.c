/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The count maps of the two generations.
 *
 * Putting a map into its slot waits for a grace period of RCU, 4 ms on an idle host and 100 on a busy one. For the first
 * map nobody could be using the slot yet, but the kernel waits all the same; so a thread does it while the programs are
 * prepared.
 */
#include "core/engine/session_private.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/err.h"

static int make_map(const struct session *session)
{
	uint32_t entries = session->wanted_entries;
	int fd = bpf_map_create(BPF_MAP_TYPE_HASH, "st_counts", sizeof(struct st_id), sizeof(struct st_count), entries,
				NULL);

	return fd >= 0 ? fd : fail(-errno, "count map of %u entries: refused: %s", entries, strerror(errno));
}

static int not_in_place(int err)
{
	return fail(err, "count map: cannot be put in place: %s", strerror(-err));
}

int session_make_counts(struct session *session, uint32_t generation)
{
	_cleanup_(closep) int fd = make_map(session);
	int outer = bpf_map__fd(session->skeleton->maps.st_generation);

	if (fd < 0)
		return fd;
	if (bpf_map_update_elem(outer, &generation, &fd, BPF_ANY))
		return not_in_place(-errno);
	closep(&session->counts[generation]);
	session->counts[generation] = take_fd(&fd);
	session->count_entries[generation] = session->wanted_entries;
	return 0;
}

/* ---- the first ---- */

static void *put_first(void *argument)
{
	struct first_counts *first = argument;
	const uint32_t generation = 0;

	first->err = bpf_map_update_elem(first->outer, &generation, &first->inner, BPF_ANY) ? -errno : 0;
	return NULL;
}

int session_begin_counts(struct session *session)
{
	struct bpf_map *map = session->skeleton->maps.st_generation;
	_cleanup_(closep) int inner = make_map(session);
	_cleanup_(closep) int outer = -1;
	LIBBPF_OPTS(bpf_map_create_opts, options, .inner_map_fd = inner < 0 ? 0U : (uint32_t)inner);
	int err;

	if (inner < 0)
		return inner;
	outer = bpf_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, bpf_map__name(map), sizeof(uint32_t), sizeof(uint32_t),
			       bpf_map__max_entries(map), &options);
	if (outer < 0)
		return fail(-errno, "map of the generations: refused: %s", strerror(errno));
	err = bpf_map__reuse_fd(map, outer); /* a duplicate: ours may go */
	if (err)
		return fail(err, "map of the generations: %s", strerror(-err));
	session->counts[0] = inner;
	session->count_entries[0] = session->wanted_entries;
	session->first = (struct first_counts){ .outer = bpf_map__fd(map), .inner = take_fd(&inner) };
	err = pthread_create(&session->first.thread, NULL, put_first, &session->first);
	session->first.running = err == 0;
	return err ? fail(-err, "thread: cannot be started: %s", strerror(err)) : 0;
}

int session_await_counts(struct session *session)
{
	if (!session->first.running)
		return 0;
	pthread_join(session->first.thread, NULL);
	session->first.running = false;
	return session->first.err ? not_in_place(session->first.err) : 0;
}
