/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The first count map and the first map of unwind tables.
 *
 * To put a map into a slot of a map of maps takes an RCU grace period, even if the slot is empty: 4 ms on an idle host, 100 ms on a busy
 * one. So threads do it while the programs are loaded.
 */
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "bpf/unwind_space.h"
#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/host/signals.h"
#include "core/session/load_private.h"

/*
 * The process may use BPF, or it would have failed before. So EPERM means the limit on locked memory, which includes maps before 5.11
 * (commit 97306be45fbe ("bpf: Eliminate rlimit-based memory accounting")).
 */
static int map_refused(const char *name, int err)
{
	if (err != -EPERM)
		return fail(err, "%s: refused: %s", name, strerror(-err));
	fail_host(
		err,
		"%s: refused: this kernel counts BPF maps as locked memory, and the limit on locked memory is too low",
		name);
	hint("run it as root, give the program CAP_SYS_RESOURCE, or raise the limit: ulimit -l unlimited");
	return err;
}

int load_count_map(uint32_t entries)
{
	int fd = bpf_map_create(BPF_MAP_TYPE_HASH, "st_counts", sizeof(struct st_id), sizeof(struct st_count), entries,
				NULL);

	return fd >= 0 ? fd : map_refused("count map", -errno);
}

static void *put_first(void *argument)
{
	struct first_inner *first = argument;
	const uint32_t slot = 0;

	first->err = bpf_map_update_elem(first->outer, &slot, &first->inner, BPF_ANY) ? -errno : 0;
	return NULL;
}

/* Makes the outer map and begins to put the inner one into its first slot. Returns 0 or a recorded failure. */
static int begin_first(struct bpf_map *map, struct first_inner *first)
{
	LIBBPF_OPTS(bpf_map_create_opts, options, .inner_map_fd = (uint32_t)first->inner);
	_cleanup_(closep) int outer = bpf_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, bpf_map__name(map), sizeof(uint32_t),
						     sizeof(uint32_t), bpf_map__max_entries(map), &options);
	sigset_t before;
	int err;

	if (outer < 0)
		return map_refused(bpf_map__name(map), -errno);
	err = bpf_map__reuse_fd(map, outer); /* it is duplicated, so ours can be closed */
	if (err)
		return fail(err, "map %s: %s", bpf_map__name(map), strerror(-err));
	first->outer = bpf_map__fd(map);
	signals_hold(&before);
	first->running = !pthread_create(&first->thread, NULL, put_first, first);
	signals_release(&before);
	if (!first->running)
		put_first(first); /* a limit forbids another thread */
	return 0;
}

static int begin_slab(struct loaded *loaded)
{
	LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = BPF_F_MMAPABLE);

	if (loaded_config(loaded)->unwind == ST_UNWIND_OFF)
		return 0;
	loaded->first_slab.inner =
		bpf_map_create(BPF_MAP_TYPE_ARRAY, "st_slab", sizeof(uint32_t), ST_SLAB_BYTES, 1, &options);
	if (loaded->first_slab.inner < 0)
		return map_refused("map of unwind tables", -errno);
	return begin_first(loaded->skeleton->maps.st_slabs, &loaded->first_slab);
}

int load_begin_first(struct loaded *loaded)
{
	loaded->first_counts.inner = load_count_map(loaded->count_entries);
	if (loaded->first_counts.inner < 0)
		return loaded->first_counts.inner;
	return begin_slab(loaded) ?: begin_first(loaded->skeleton->maps.st_generation, &loaded->first_counts);
}

static int await_first(struct first_inner *first)
{
	if (first->running)
		pthread_join(first->thread, NULL);
	first->running = false;
	return first->err;
}

int load_await_first(struct loaded *loaded)
{
	int err = await_first(&loaded->first_counts), slab_err = await_first(&loaded->first_slab);

	if (err)
		return fail(err, "count map: cannot be installed: %s", strerror(-err));
	return slab_err ? fail(slab_err, "map of unwind tables: cannot be installed: %s", strerror(-slab_err)) : 0;
}
