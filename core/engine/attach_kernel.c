/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Attaching to kernel functions: by address, because aliases hide one another by name. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/engine/attach_private.h"
#include "core/engine/host.h"

/* ---- kprobe.multi ---- */

static struct bpf_link *link_multi(struct session *session, const struct attach_point *points, size_t nr)
{
	_cleanup_(freep) unsigned long *addresses = xcalloc(nr, sizeof(*addresses));
	LIBBPF_OPTS(bpf_kprobe_multi_opts, options, .addrs = addresses, .cnt = nr);

	for (size_t i = 0; i < nr; i++)
		addresses[i] = points[i].address;
	return bpf_program__attach_kprobe_multi_opts(session->program, NULL, &options);
}

/*
 * One link takes all functions or none: when it is refused, the halves are tried, down to the functions that are to
 * blame.
 */
static void attach_multi(struct session *session, const struct attach_point *points, size_t nr)
{
	struct bpf_link *link = link_multi(session, points, nr);

	if (link) {
		attach_keep(session, link, nr);
	} else if (nr == 1) {
		attach_refused(session, points, -errno);
	} else {
		attach_multi(session, points, nr / 2);
		attach_multi(session, points + nr / 2, nr - nr / 2);
	}
}

/* ---- perf kprobes ---- */

/* attr.kprobe_func = 0 means "at kprobe_addr": commit e12f03d7031a ("perf/core: Implement the 'perf_kprobe' PMU"). */
static struct bpf_link *link_kprobe(struct session *session, int type, uint64_t address)
{
	struct perf_event_attr attributes = {
		.size = sizeof(attributes),
		.type = (__u32)type,
		.kprobe_addr = address,
	};
	_cleanup_(closep) int fd = (int)syscall(SYS_perf_event_open, &attributes, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	struct bpf_link *link;

	if (fd < 0)
		return NULL;
	link = bpf_program__attach_perf_event(session->program, fd);
	if (link)
		take_fd(&fd);
	return link;
}

static void attach_kprobes(struct session *session, const struct attach_plan *attach)
{
	int type = host_kprobe_event_type();

	for (size_t i = 0; i < attach->points.nr; i++) {
		struct bpf_link *link = link_kprobe(session, type, attach->points.data[i].address);

		if (link)
			attach_keep(session, link, 1);
		else
			attach_refused(session, &attach->points.data[i], -errno);
	}
}

/* ---- fentry ---- */

static void share_maps(struct stacktool *copy, const struct session *session)
{
	struct bpf_map *map, *original;

	bpf_object__for_each_map(map, copy->obj)
	{
		original = bpf_object__find_map_by_name(session->skeleton->obj, bpf_map__name(map));
		if (map == copy->maps.rodata || !original)
			continue;
		if (bpf_map__fd(original) >= 0)
			bpf_map__reuse_fd(map, bpf_map__fd(original));
		else
			bpf_map__set_autocreate(map, false);
	}
}

/* A program has one place to be attached to, so every function gets a copy that works on the same maps. */
static int load_copy(struct session *session, const char *function, struct stacktool **ret_copy)
{
	struct stacktool *copy = stacktool__open();
	int err;

	if (!copy)
		return -errno;
	copy->rodata->st_config = session->skeleton->rodata->st_config;
	share_maps(copy, session);
	bpf_program__set_autoload(copy->progs.on_fentry, true);
	err = bpf_program__set_attach_target(copy->progs.on_fentry, 0, function);
	if (!err)
		err = stacktool__load(copy);
	if (err) {
		stacktool__destroy(copy);
		return err;
	}
	*ret_copy = copy;
	return 0;
}

static int attach_copy(struct session *session, const struct attach_point *point)
{
	struct stacktool *copy = NULL;
	struct bpf_link *link;
	int err = load_copy(session, point->name, &copy);

	if (err)
		return err;
	vec_push(&session->copies, copy);
	link = bpf_program__attach(copy->progs.on_fentry);
	if (!link)
		return -errno;
	attach_keep(session, link, 1);
	return 0;
}

/* The first function is the target of the session's own program (session.c). */
static void attach_fentry(struct session *session, const struct attach_plan *attach)
{
	struct bpf_link *link = bpf_program__attach(session->program);

	if (link)
		attach_keep(session, link, 1);
	else
		attach_refused(session, &attach->points.data[0], -errno);
	for (size_t i = 1; i < attach->points.nr; i++) {
		int err = attach_copy(session, &attach->points.data[i]);

		if (err)
			attach_refused(session, &attach->points.data[i], err);
	}
}

int attach_kernel_functions(struct session *session, const struct attach_plan *attach)
{
	if (attach->mechanism == MECHANISM_KPROBE_MULTI)
		attach_multi(session, attach->points.data, attach->points.nr);
	else if (attach->mechanism == MECHANISM_KPROBE)
		attach_kprobes(session, attach);
	else
		attach_fentry(session, attach);
	if (session->nr_attached)
		return 0;
	return attach_failed(&attach->points.data[0], session->refused.err);
}
