/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which of several places was hit: told by the attach cookie, or by a copy of the program for each place, all of them on the
 * same maps. Copies take some milliseconds each to load, so they are what is left where the kernel has no cookies.
 */
#include <errno.h>

#include "core/base/alloc.h"
#include "core/session/attach_private.h"

__u64 attach_cookie(const struct attachment *attachment, size_t index)
{
	return attachment->loaded->skeleton->rodata->st_config.has_cookie ? index : 0;
}

__u64 *attach_cookies(const struct attachment *attachment, size_t first, size_t nr)
{
	__u64 *cookies;

	if (!attachment->loaded->skeleton->rodata->st_config.has_cookie)
		return NULL;
	cookies = xcalloc(nr, sizeof(*cookies));
	for (size_t i = 0; i < nr; i++)
		cookies[i] = first + i;
	return cookies;
}

/* ---- copies ---- */

static void share_maps(struct stacktool *copy, const struct loaded *loaded)
{
	struct bpf_map *map, *original;

	bpf_object__for_each_map(map, copy->obj)
	{
		original = bpf_object__find_map_by_name(loaded->skeleton->obj, bpf_map__name(map));
		if (map == copy->maps.rodata || !original)
			continue;
		if (bpf_map__autocreate(original)) /* others have a descriptor too: libbpf's placeholder */
			bpf_map__reuse_fd(map, bpf_map__fd(original));
		else
			bpf_map__set_autocreate(map, false);
	}
}

static int configure_copy(struct stacktool *copy, const struct attachment *attachment, size_t index)
{
	struct bpf_program *program =
		bpf_object__find_program_by_name(copy->obj, attach_plan_program(attachment->plan));

	copy->rodata->st_config = attachment->loaded->skeleton->rodata->st_config;
	copy->rodata->st_config.probe = (__u32)index;
	share_maps(copy, attachment->loaded);
	bpf_program__set_autoload(program, true);
	return attachment->plan->mechanism == MECHANISM_FENTRY
		       ? bpf_program__set_attach_target(program, 0, attachment->plan->places.data[index].name)
		       : 0;
}

static struct bpf_program *load_copy(struct attachment *attachment, size_t index)
{
	struct stacktool *copy = loaded_open_copy(attachment->loaded);
	int err = copy ? configure_copy(copy, attachment, index) : -errno;

	if (!err)
		err = stacktool__load(copy);
	if (err) {
		stacktool__destroy(copy);
		errno = -err;
		return NULL;
	}
	vec_push(&attachment->copies, copy);
	return bpf_object__find_program_by_name(copy->obj, attach_plan_program(attachment->plan));
}

struct bpf_program *attach_program(struct attachment *attachment, size_t index)
{
	return index && attachment->loaded->needs_copies ? load_copy(attachment, index) : attachment->loaded->program;
}
