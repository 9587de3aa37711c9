/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The programs that walk Python frames are loaded when there is a Python, so that a run without one starts faster. They are in a copy of
 * the object with the same maps. From the next event on, ST_HAND_OVER() calls them.
 */
#include <errno.h>

#include "core/host/libbpf_log.h"
#include "core/session/load_private.h"

static const struct {
	const char *program, *map;
} handed_over[] = {
	{ "on_sample", "st_python_sample" },
	{ "on_wall_sample", "st_python_sample" },
	{ "on_switch", "st_python_switch" },
	{ "on_wall_switch", "st_python_switch" },
	{ "on_wall_latency", "st_python_sample" },
	{ "on_wall_back", "st_python_back" },
	{ "on_waking", "st_python_waking" },
	{ "on_waking_anywhere", "st_python_waking" },
	{ "on_lock_switch", "st_python_switch" },
	{ "on_lock_waking", "st_python_waking" },
	{ "on_lock_waking_anywhere", "st_python_waking" },
};

#define NR_HANDED_OVER (sizeof(handed_over) / sizeof(*handed_over))

static struct bpf_program *program_of(const struct stacktool *object, size_t i)
{
	return bpf_object__find_program_by_name(object->obj, handed_over[i].program);
}

static int configure(struct stacktool *copy, const struct loaded *loaded)
{
	*copy->rodata = *loaded->skeleton->rodata;
	copy->rodata->st_config.python = ST_PYTHON_WALK;
	copy->rodata->st_config.walks = copy->rodata->st_config.walks_python = copy->rodata->st_config.walks_php = 1;
	loaded_share_maps(copy, loaded);
	bpf_map__set_autocreate(copy->maps.st_interpreters, true);
	bpf_map__set_autocreate(copy->maps.st_python_walks, true);
	bpf_map__set_autocreate(copy->maps.st_told, true);
	bpf_map__set_max_entries(copy->maps.st_python_walks, bpf_map__max_entries(loaded->skeleton->maps.st_scratch));
	for (size_t i = 0; i < NR_HANDED_OVER; i++)
		if (bpf_program__autoload(program_of(loaded->skeleton, i)))
			bpf_program__set_autoload(program_of(copy, i), true);
	return load_name_preempt_count(copy, loaded->attach);
}

static int hand_over(const struct stacktool *copy, const struct loaded *loaded)
{
	for (size_t i = 0; i < NR_HANDED_OVER; i++) {
		struct bpf_map *map = bpf_object__find_map_by_name(loaded->skeleton->obj, handed_over[i].map);
		int program = bpf_program__fd(program_of(copy, i));
		const __u32 zero = 0;

		if (bpf_program__autoload(program_of(copy, i)) &&
		    bpf_map_update_elem(bpf_map__fd(map), &zero, &program, BPF_ANY))
			return -errno;
	}
	return 0;
}

int load_python(const struct loaded *loaded, struct stacktool **ret_copy)
{
	struct stacktool *copy = loaded_open_copy(loaded);
	int err = copy ? configure(copy, loaded) ?: stacktool__load(copy) ?: hand_over(copy, loaded) : -errno;

	if (err) {
		stacktool__destroy(copy);
		return err;
	}
	*ret_copy = copy;
	return 0;
}
