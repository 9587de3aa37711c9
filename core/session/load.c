/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/session/loaded.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/descriptors.h"
#include "core/base/err.h"
#include "core/host/host.h"
#include "core/host/kernel_types.h"
#include "core/host/libbpf_log.h"
#include "core/host/unpreempted.h"
#include "core/session/load_private.h"

#define TYPES_MAX_BYTES (1 << 20) /* more than the types that the object needs, which are some kilobytes */

/* A file for the kernel types that the object needs. -1: failed; libbpf reads all types. ftruncate() tests the limit `ulimit -f`. */
static int open_types(void)
{
	_cleanup_(closep) int fd = memfd_create("kernel-types", MFD_CLOEXEC);

	if (fd < 0 || ftruncate(fd, TYPES_MAX_BYTES) || ftruncate(fd, 0))
		return -1;
	return take_fd(&fd);
}

struct stacktool *loaded_open_copy(const struct loaded *loaded)
{
	char path[32];
	LIBBPF_OPTS(bpf_object_open_opts, options);

	snprintf(path, sizeof(path), "/proc/self/fd/%d", loaded->types);
	if (loaded->types >= 0)
		options.btf_custom_path = path;
	return stacktool__open_opts(&options);
}

void loaded_share_maps(struct stacktool *copy, const struct loaded *loaded)
{
	struct bpf_map *map, *original = NULL;

	/* Both have the same maps in the same order. The names may differ: a map takes the name of a pinned map that the user gave. */
	bpf_object__for_each_map(map, copy->obj)
	{
		original = bpf_object__next_map(loaded->skeleton->obj, original);
		if (map == copy->maps.rodata)
			continue;
		if (bpf_map__autocreate(original)) /* other maps have the descriptor of a placeholder */
			bpf_map__reuse_fd(map, bpf_map__fd(original));
		else
			bpf_map__set_autocreate(map, false);
	}
}

/*
 * libbpf calls this function before it loads a fentry program. The copies (attach_fentry.c) use its options, except those for kfuncs and
 * for the verifier's log. The pointers in the options lead into the object, which outlives the copies.
 */
static int note_load(struct bpf_program *program, struct bpf_prog_load_opts *options, long cookie)
{
	struct loaded *loaded = (struct loaded *)cookie;
	struct bpf_prog_load_opts *noted = &loaded->fentry.options;

	if (program != loaded->program)
		return 0;
	*noted = *options;
	noted->fd_array = NULL;
	noted->log_level = noted->log_size = 0;
	noted->log_buf = NULL;
	noted->attach_btf_obj_fd = 0;
	noted->expected_attach_type = BPF_TRACE_FENTRY; /* libbpf sets it after this call */
	loaded->fentry.known = true;
	return 0;
}

static int open_object(struct loaded *loaded, const struct plan *plan)
{
	LIBBPF_OPTS(libbpf_prog_handler_opts, handler, .cookie = (long)loaded, .prog_prepare_load_fn = note_load);
	int err = 0;

	if (!loaded->traits->loads_all_types && !plan->view.slow)
		loaded->types = open_types();
	if (loaded->traits->has_own_programs)
		loaded->fentry.handler =
			libbpf_register_prog_handler("fentry", BPF_PROG_TYPE_TRACING, BPF_TRACE_FENTRY, &handler);
	loaded->skeleton = loaded_open_copy(loaded);
	if (!loaded->skeleton)
		return fail(-errno, "BPF object: cannot be opened: %s", strerror(errno));
	if (loaded->types >= 0)
		err = kernel_types_write(bpf_object__btf(loaded->skeleton->obj), loaded->types);
	return err ? fail_host(err, "kernel: its type information cannot be read: %s", strerror(-err)) : 0;
}

static int open_configured(const struct plan *plan, const struct attach_plan *attach, struct loaded **ret_loaded)
{
	struct loaded *loaded = xcalloc(1, sizeof(*loaded));

	*ret_loaded = loaded;
	loaded->attach = attach;
	loaded->traits = load_traits(attach->mechanism);
	loaded->types = loaded->first_counts.inner = loaded->first_slab.inner = -1;
	descriptors_allow(0);
	libbpf_log_start();
	return open_object(loaded, plan) ?: load_configure(loaded, plan);
}

/* The kernel does not have the helper, or its lockdown mode forbids the helper because it reads kernel memory. */
static int helper_missing(int err, const struct attach_plan *attach, const char *helper)
{
	bool confidential = host_is_confidential();

	fail_host(err, "program %s: helper %s is not available %s", attach_plan_program(attach), helper,
		  confidential ? "under lockdown=confidentiality" : "in this kernel");
	if (confidential)
		hint("use a newer kernel, or boot without lockdown=confidentiality");
	return err;
}

static int load_failed(int err, const struct attach_plan *attach)
{
	if (err == -ENOMEM || err == -E2BIG)
		return fail(err, "BPF maps: the kernel refuses the memory (a memory cgroup may be full): %s",
			    strerror(-err));
	if (err != -EPERM && libbpf_log_missing_helper()[0])
		return helper_missing(err, attach, libbpf_log_missing_helper());
	fail_host(err, "program %s: the kernel refuses to load it: %s", attach_plan_program(attach), strerror(-err));
	if (err == -EPERM)
		hint("this needs CAP_BPF and CAP_PERFMON (or root), a kernel that allows BPF, and before 5.11 "
		     "`ulimit -l unlimited`");
	else if (libbpf_log_last()[0])
		hint("%s", libbpf_log_last());
	return err;
}

static int map_control(struct loaded *loaded, const struct plan *plan)
{
	void *memory = mmap(NULL, sizeof(struct st_control), PROT_READ | PROT_WRITE, MAP_SHARED,
			    bpf_map__fd(loaded->skeleton->maps.st_control), 0);

	if (memory == MAP_FAILED)
		return fail(-errno, "control map: mmap: %s", strerror(errno));
	loaded->control = memory;
	loaded->control->wake_at = loaded->count_entries / 2;
	loaded->control->wall_period_ns = plan->waits == WAITS_SAMPLED ? ST_WALL_PERIOD_NS : 0;
	loaded->control->wall_sampled = plan->waits == WAITS_SAMPLED;
	loaded->control->wall_begin_ns = loaded->control->wall_end_ns =
		ST_WALL_NEVER_NS; /* core/session/wall.c sets these */
	return 0;
}

static int load(struct loaded *loaded, const struct plan *plan)
{
	int err = load_begin_first(loaded);

	if (err)
		return err;
	err = stacktool__load(loaded->skeleton);
	if (!loaded->needs_copies &&
	    loaded_config(loaded)->python != ST_PYTHON_LATER) { /* copies need the same types */
		closep(&loaded->types);
		loaded->types = -1;
	}
	if (err)
		return load_failed(err, loaded->attach);
	return load_fill_filters(loaded, plan) ?: map_control(loaded, plan) ?: load_await_first(loaded);
}

int loaded_new(const struct plan *plan, const struct attach_plan *attach, struct loaded **ret_loaded)
{
	struct loaded *loaded = NULL;
	int err = open_configured(plan, attach, &loaded) ?: load(loaded, plan);

	if (err) {
		loaded_free(loaded);
		return err;
	}
	*ret_loaded = loaded;
	return 0;
}

void loaded_free(struct loaded *loaded)
{
	if (!loaded)
		return;
	load_await_first(loaded);
	closep(&loaded->types);
	closep(&loaded->first_counts.inner);
	closep(&loaded->first_slab.inner);
	if (loaded->control)
		munmap((void *)loaded->control, sizeof(struct st_control));
	stacktool__destroy(loaded->skeleton);
	if (loaded->fentry.handler > 0)
		libbpf_unregister_prog_handler(loaded->fentry.handler);
	free(loaded);
}

void loaded_note_remap(const struct loaded *loaded, uint32_t tgid)
{
	loaded->control->remaps[tgid & (ST_REMAPS - 1)]++;
}

bool loaded_unwind_maps(const struct loaded *loaded, struct unwind_store_options *ret_maps)
{
	if (loaded_config(loaded)->unwind == ST_UNWIND_OFF)
		return false;
	ret_maps->slabs = bpf_map__fd(loaded->skeleton->maps.st_slabs);
	ret_maps->processes = bpf_map__fd(loaded->skeleton->maps.st_processes);
	ret_maps->first_slab = loaded->first_slab.inner;
	return true;
}

void stats_add(struct st_stats *sum, const struct st_stats *one)
{
	const uint64_t *from = (const uint64_t *)one;
	uint64_t *to = (uint64_t *)sum;

	for (size_t i = 0; i < sizeof(*sum) / sizeof(*to); i++)
		to[i] += from[i];
}

bool loaded_sum_stats(const struct loaded *loaded, uint32_t generation, struct st_stats *ret_sum)
{
	int nr_cpus = libbpf_num_possible_cpus();
	_cleanup_(freep) struct st_stats *each = xcalloc((size_t)(nr_cpus > 0 ? nr_cpus : 1), sizeof(*each));
	_cleanup_(unpreempted_end) struct unpreempted before = unpreempted_begin();

	*ret_sum = (struct st_stats){};
	if (bpf_map_lookup_elem(bpf_map__fd(loaded->skeleton->maps.st_stats), &generation, each))
		return false;
	for (int cpu = 0; cpu < nr_cpus; cpu++)
		stats_add(ret_sum, &each[cpu]);
	return true;
}

static void describe_config(const struct loaded *loaded, struct buf *text)
{
	const struct st_config *config = loaded_config(loaded);

	buf_addf(
		text,
		"config: key_parts=%#x task_access=%u task_filter=%u cpus=%u kernel=%u user=%u unwind=%u frames=%u idle=%u\n",
		config->key_parts, config->task_access, config->task_filter, config->use_cpus, config->want_kernel,
		config->want_user, config->unwind, config->walk_frames, config->include_idle);
	buf_addf(text, "maps: counts 2 x %u, records sent %u, ring %u bytes, slots %u per CPU\n", loaded->count_entries,
		 bpf_map__max_entries(loaded->skeleton->maps.st_known),
		 bpf_map__max_entries(loaded->skeleton->maps.st_ring),
		 bpf_map__max_entries(loaded->skeleton->maps.st_scratch));
}

int loaded_describe(const struct plan *plan, const struct attach_plan *attach, struct buf *ret_text)
{
	struct loaded *loaded = NULL;
	int err = open_configured(plan, attach, &loaded);

	if (!err)
		describe_config(loaded, ret_text);
	loaded_free(loaded);
	return err;
}
