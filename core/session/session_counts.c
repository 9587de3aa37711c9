/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The count maps of the two generations.
 *
 * Putting a map into its slot waits for a grace period of RCU, 4 ms on an idle host and 100 on a busy one. For the first
 * map nobody could be using the slot yet, but the kernel waits all the same; so a thread does it while the programs are
 * prepared.
 */
#include "core/session/session_private.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "bpf/unwind_space.h"
#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/host/signals.h"

/* We may use BPF, or would not be here: before 5.11 (commit 97306be45fbe ("bpf: Eliminate rlimit-based memory accounting")) it is memory. */
static int map_refused(const char *name, int err)
{
	if (err != -EPERM)
		return fail(err, "%s: refused: %s", name, strerror(-err));
	fail_host(err, "%s: refused: this kernel counts BPF maps as locked memory, and the limit of that is too low",
		  name);
	hint("run it as root, give the program CAP_SYS_RESOURCE, or raise the limit: ulimit -l unlimited");
	return err;
}

static int make_map(const struct session *session)
{
	uint32_t entries = session->wanted_entries;
	int fd = bpf_map_create(BPF_MAP_TYPE_HASH, "st_counts", sizeof(struct st_id), sizeof(struct st_count), entries,
				NULL);

	return fd >= 0 ? fd : map_refused("count map", -errno);
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
	struct first_inner *first = argument;
	const uint32_t slot = 0;

	first->err = bpf_map_update_elem(first->outer, &slot, &first->inner, BPF_ANY) ? -errno : 0;
	return NULL;
}

/* Makes the outer map and begins to put the inner one into its first slot. */
static int begin_first(struct bpf_map *map, int inner, struct first_inner *first)
{
	LIBBPF_OPTS(bpf_map_create_opts, options, .inner_map_fd = (uint32_t)inner);
	_cleanup_(closep) int outer = bpf_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, bpf_map__name(map), sizeof(uint32_t),
						     sizeof(uint32_t), bpf_map__max_entries(map), &options);
	sigset_t before;
	int err;

	if (outer < 0)
		return map_refused(bpf_map__name(map), -errno);
	err = bpf_map__reuse_fd(map, outer); /* a duplicate: ours may go */
	if (err)
		return fail(err, "map %s: %s", bpf_map__name(map), strerror(-err));
	*first = (struct first_inner){ .outer = bpf_map__fd(map), .inner = inner };
	signals_hold(&before);
	first->running = !pthread_create(&first->thread, NULL, put_first, first);
	signals_release(&before);
	if (!first->running)
		put_first(first); /* no threads are allowed: we wait here */
	return 0;
}

static int begin_slab(struct session *session)
{
	LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = BPF_F_MMAPABLE);

	if (session->skeleton->rodata->st_config.unwind == ST_UNWIND_OFF)
		return 0;
	session->slab = bpf_map_create(BPF_MAP_TYPE_ARRAY, "st_slab", sizeof(uint32_t), ST_SLAB_BYTES, 1, &options);
	if (session->slab < 0)
		return map_refused("map of unwind tables", -errno);
	return begin_first(session->skeleton->maps.st_slabs, session->slab, &session->first_slab);
}

int session_begin_counts(struct session *session)
{
	_cleanup_(closep) int inner = make_map(session);
	int err = inner < 0 ? inner : begin_slab(session);

	if (err)
		return err;
	session->counts[0] = take_fd(&inner);
	session->count_entries[0] = session->wanted_entries;
	return begin_first(session->skeleton->maps.st_generation, session->counts[0], &session->first_counts);
}

static int await_first(struct first_inner *first)
{
	if (first->running)
		pthread_join(first->thread, NULL);
	first->running = false;
	return first->err;
}

int session_await_counts(struct session *session)
{
	int err = await_first(&session->first_counts), slab_err = await_first(&session->first_slab);

	return err || slab_err ? not_in_place(err ? err : slab_err) : 0;
}
