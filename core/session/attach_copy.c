/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which of several probes fired: told by the attach cookie, or by a copy of the program for each probe, all of them on the
 * same maps. Copies take some milliseconds each to load, so they are what is left where the kernel has no cookies.
 */
#include <errno.h>
#include <stdio.h>

#include "core/base/alloc.h"
#include "core/session/attach_private.h"

__u64 attach_cookie(const struct session *session, size_t index)
{
	return session->skeleton->rodata->st_config.has_cookie ? index : 0;
}

__u64 *attach_cookies(const struct session *session, size_t first, size_t nr)
{
	__u64 *cookies;

	if (!session->skeleton->rodata->st_config.has_cookie)
		return NULL;
	cookies = xcalloc(nr, sizeof(*cookies));
	for (size_t i = 0; i < nr; i++)
		cookies[i] = first + i;
	return cookies;
}

/* ---- copies ---- */

static void share_maps(struct stacktool *copy, const struct session *session)
{
	struct bpf_map *map, *original;

	bpf_object__for_each_map(map, copy->obj)
	{
		original = bpf_object__find_map_by_name(session->skeleton->obj, bpf_map__name(map));
		if (map == copy->maps.rodata || !original)
			continue;
		if (bpf_map__autocreate(original)) /* others have a descriptor too: libbpf's placeholder */
			bpf_map__reuse_fd(map, bpf_map__fd(original));
		else
			bpf_map__set_autocreate(map, false);
	}
}

static int configure_copy(struct stacktool *copy, const struct session *session, const struct attach_plan *attach,
			  size_t index)
{
	struct bpf_program *program = bpf_object__find_program_by_name(copy->obj, attach_plan_program(attach));

	copy->rodata->st_config = session->skeleton->rodata->st_config;
	copy->rodata->st_config.probe = (__u32)index;
	share_maps(copy, session);
	bpf_program__set_autoload(program, true);
	return attach->mechanism == MECHANISM_FENTRY
		       ? bpf_program__set_attach_target(program, 0, attach->points.data[index].name)
		       : 0;
}

static struct bpf_program *load_copy(struct session *session, const struct attach_plan *attach, size_t index)
{
	char path[32];
	LIBBPF_OPTS(bpf_object_open_opts, options);
	struct stacktool *copy;
	int err;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", session->types);
	if (session->types >= 0)
		options.btf_custom_path = path;
	copy = stacktool__open_opts(&options);
	err = copy ? configure_copy(copy, session, attach, index) : -errno;

	if (!err)
		err = stacktool__load(copy);
	if (err) {
		stacktool__destroy(copy);
		errno = -err;
		return NULL;
	}
	vec_push(&session->copies, copy);
	return bpf_object__find_program_by_name(copy->obj, attach_plan_program(attach));
}

struct bpf_program *attach_program(struct session *session, const struct attach_plan *attach, size_t index)
{
	return index && session->needs_copies ? load_copy(session, attach, index) : session->program;
}
