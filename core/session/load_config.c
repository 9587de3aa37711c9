/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a plan makes of the object before it is loaded: the constants of the programs, the maps and their sizes. */
#include <errno.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/random.h>
#include <sys/statfs.h>

#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/host/cgroup_target.h"
#include "core/host/host.h"
#include "core/host/pidns.h"
#include "core/host/process.h"
#include "core/session/load_private.h"
#include "core/session/preempt_count.h"

#define DEFAULT_COUNT_ENTRIES 16384
/* Timed samples come at a known, low rate; every page of a ring counts twice in RSS. */
#define SAMPLE_RING_BYTES (512 << 10)
#define LEAST_RING_BYTES (64 << 10) /* a page of the largest size there is */
#define PROBE_RING_BYTES (4 << 20)
#define MIN_TASKS 16384U
#define MAX_TASKS (1U << 18) /* 40 MB of kernel memory */
#define MIN_CHILDREN 16384U
#define MAX_CHILDREN (1U << 17) /* 8 MB of kernel memory */
#define MANY_CPUS 256 /* from here on fewer scratch slots per CPU: they are allocated for all possible CPUs */

/* ---- configuration ---- */

static int set_task_filter(struct st_config *config, const struct plan *plan)
{
	uint64_t device = 0, inode = 0;
	int err = process_pidns(&device, &inode);

	config->pidns_device = device;
	config->pidns_inode = inode;
	if (err < 0)
		return err;
	if (plan->tgids.nr) {
		config->task_filter = ST_FILTER_TGID;
		config->filter_single = plan->tgids.nr == 1 ? plan->tgids.data[0] : 0;
		config->follow_children = plan->follow_children;
	} else if (plan->tids.nr) {
		config->task_filter = ST_FILTER_TID;
		config->filter_single = plan->tids.nr == 1 ? plan->tids.data[0] : 0;
	}
	return 0;
}

static uint32_t ring_bytes(const struct plan *plan, const struct attach_plan *attach)
{
	if (plan->ring_bytes)
		return plan->ring_bytes;
	if (plan->mode == EVENTS_BY_PROBE)
		return LEAST_RING_BYTES; /* nothing is sent */
	return attach->mechanism == MECHANISM_PERF_EVENT ? SAMPLE_RING_BYTES : PROBE_RING_BYTES;
}

static void set_off_cpu(struct stacktool *skeleton, const struct off_cpu_plan *plan, const struct attach_plan *attach)
{
	skeleton->rodata->st_offcpu = (struct st_offcpu_config){
		.min_ns = plan->min_ns,
		.max_ns = plan->max_ns,
		.begun_ns = clock_monotonic_ns(),
		.measure = (uint8_t)plan->measure,
		.part = (uint8_t)plan->part,
		.switch_order = (uint8_t)attach->switch_order,
		.thread_filter = (uint8_t)plan->threads,
		.state_filter = (uint8_t)plan->state_filter,
		.by_duration = plan->by_duration,
		.by_time = plan->by_time,
		.states = plan->states,
	};
}

/*
 * What tells the program the number of its place: the cookie of multi links, or of perf events where the kernel has it.
 * Of several places the guard wants to know the hottest, if that takes no copies.
 */
static bool tells_probe_by_cookie(const struct plan *plan, const struct attach_plan *attach)
{
	if (!(plan->key_parts & KEY_PROBE) && attach->places.nr < 2)
		return false;
	if (attach->mechanism == MECHANISM_KPROBE_MULTI || attach->mechanism == MECHANISM_UPROBE_MULTI)
		return true;
	return attach->mechanism != MECHANISM_FENTRY && host_has_cookies(attach->program);
}

/* Otherwise every place but the first takes a copy of the program, as any fentry program does. */
static bool needs_copies(const struct plan *plan, const struct attach_plan *attach, bool has_cookie)
{
	if (attach->mechanism == MECHANISM_FENTRY)
		return true;
	return (plan->key_parts & KEY_PROBE) && !has_cookie && attach->mechanism != MECHANISM_SYSTEM_CALLS;
}

/* The tables are those of x86_64, and reading the stack is reading user memory. */
static enum st_unwind_mode unwind_mode(const struct plan *plan, const struct attach_plan *attach)
{
	enum unwind_mode mode = plan_unwind(plan);

	if (!plan->want_user || attach->no_unwind)
		return ST_UNWIND_OFF;
	if (mode == UNWIND_DWARF)
		return ST_UNWIND_TABLES;
	return mode == UNWIND_AUTO ? ST_UNWIND_AUTO : ST_UNWIND_OFF;
}

/*
 * Whether the kernel keeps programs of this object from coming between each other on a CPU. It does for perf events
 * (commit aa6a5f3cb2b2 ("perf, bpf: add perf events core support for BPF_PROG_TYPE_PERF_EVENT programs"), v4.9) and for
 * classic tracepoints (commit 2541517c32be ("tracing, perf: Implement BPF programs attached to kprobes"), v4.1):
 * preemption is off, and bpf_prog_active is asked. Not counted on for system calls, whose tracepoints may sleep in
 * newer kernels.
 */
static bool is_alone(const struct attach_plan *attach)
{
	if (attach->mechanism == MECHANISM_PERF_EVENT)
		return true;
	if (attach->mechanism != MECHANISM_TRACEPOINT)
		return false;
	for (size_t i = 0; i < attach->places.nr; i++)
		if (strstr(attach->places.data[i].category, "syscalls"))
			return false;
	return true;
}

static int set_pidns(struct st_config *config, const struct plan *plan, const struct attach_plan *attach)
{
	struct pidns pidns;
	int err;

	if (!plan->pidns)
		return 0;
	err = pidns_find(plan->pidns, &pidns);
	if (!err && !host_tells_pid_namespaces(attach->program))
		err = fail_host(-EPERM, "--pidns: on this kernel, lockdown=confidentiality forbids reading a task's "
					"namespaces");
	config->filter_pidns = pidns.inode;
	config->pidns_level = pidns.level;
	return err;
}

/* Where the kernel does not tell interrupts, the names in a waker's stack do, whether they are shown or not. */
static bool takes_kernel_stacks(const struct plan *plan, const struct attach_plan *attach)
{
	if (plan->off_cpu.measure != MEASURE_OFF_CPU)
		for (size_t i = 0; i < attach->places.nr; i++)
			if (!strcmp(attach->places.data[i].program, "on_waking_anywhere"))
				return true;
	return plan->want_kernel;
}

static int set_config(struct stacktool *skeleton, const struct plan *plan, const struct attach_plan *attach)
{
	struct st_config config = {
		.key_parts = plan->key_parts,
		.task_access = attach->reads.task,
		.cpu = plan->cpu,
		.want_kernel = takes_kernel_stacks(plan, attach),
		.want_user = plan->want_user && plan->unwind != UNWIND_NONE,
		.unwind = (uint8_t)unwind_mode(plan, attach),
		.include_idle = plan->include_idle,
		.use_cgroup = plan->cgroup || plan->container,
		.use_cgroup_map = plan->cgroup_map != NULL,
		.use_mntns_map = plan->mntns_map != NULL,
		.read_user = attach->program == PROGRAM_UPROBE && !attach->inside_functions && attach->reads.user,
		.sample_period_ns = attach->sample.is_clock ? attach->sample.period : 0,
		.ring_wake_bytes = ring_bytes(plan, attach) / 4,
		.mode = (uint8_t)plan->mode,
		.has_cookie = tells_probe_by_cookie(plan, attach),
		.alone = is_alone(attach),
		/* by bpf/frames.bpf.c, instead of asking the kernel for each stack */
		.walk_frames = attach->reads.user && attach->reads.kernel && !host_freezes_on_user_reads(),
	};
	int err = set_pidns(&config, plan, attach);

	if (err)
		return err;
	if (getrandom(config.seed, sizeof(config.seed), 0) != sizeof(config.seed))
		return fail(-EIO, "getrandom: no random numbers");
	if (plan->mntns_map && config.task_access == TASK_ACCESS_NONE)
		return fail_host(-EPERM,
				 "--mntnsmap: on this kernel, lockdown=confidentiality forbids reading the task");
	skeleton->rodata->st_config = config;
	if (attach->mechanism == MECHANISM_TP_BTF)
		set_off_cpu(skeleton, &plan->off_cpu, attach);
	err = set_task_filter(&skeleton->rodata->st_config, plan);
	skeleton->rodata->st_config.filters = st_has_filters(&skeleton->rodata->st_config);
	return err;
}

/* ---- maps ---- */

/*
 * To the kernel a file of any other file system is "permission denied", which root would look for in the wrong place.
 */
static const char *why_not_pinned(const char *path, int err)
{
	struct statfs status;

	if (err == EACCES && !statfs(path, &status) && status.f_type != BPF_FS_MAGIC)
		return "not in a BPF file system";
	return strerror(err);
}

/* Takes the place of one of our maps: a pinned hash with 8-byte keys. */
static int reuse_pinned(struct bpf_map *map, const char *option, const char *path)
{
	_cleanup_(closep) int fd = bpf_obj_get(path);
	struct bpf_map_info info = {};
	__u32 length = sizeof(info);

	if (fd < 0)
		return fail(fd, "%s: '%s': no pinned BPF map: %s", option, path, why_not_pinned(path, -fd));
	if (bpf_map_get_info_by_fd(fd, &info, &length))
		return fail(-errno, "%s: '%s': not a BPF map: %s", option, path, strerror(errno));
	if (info.type != BPF_MAP_TYPE_HASH || info.key_size != sizeof(uint64_t)) {
		fail(-EINVAL, "%s: '%s': the map must be a hash with keys of 8 bytes, not type %u with keys of %u",
		     option, path, info.type, info.key_size);
		hint("bpftool map create %s type hash key 8 value 8 entries 128 name filter", path);
		return -EINVAL;
	}
	return bpf_map__reuse_fd(map, fd);
}

static int set_filter_maps(struct stacktool *skeleton, const struct plan *plan)
{
	int err = 0;

	bpf_map__set_autocreate(skeleton->maps.st_cgroup, plan->cgroup || plan->container);
	bpf_map__set_autocreate(skeleton->maps.st_cgroups, plan->cgroup_map != NULL);
	bpf_map__set_autocreate(skeleton->maps.st_mntns, plan->mntns_map != NULL);
	if (plan->cgroup_map)
		err = reuse_pinned(skeleton->maps.st_cgroups, "--cgroupmap", plan->cgroup_map);
	if (!err && plan->mntns_map)
		err = reuse_pinned(skeleton->maps.st_mntns, "--mntnsmap", plan->mntns_map);
	return err;
}

/*
 * Twice as many entries as there are threads now: they come and go. Not pid_max, which is four million on most hosts:
 * half a gigabyte.
 */
static uint32_t twice_the_threads(uint32_t least, uint32_t most)
{
	uint32_t entries = 2 * host_nr_threads();

	if (entries < least)
		return least;
	return entries < most ? entries : most;
}

static void set_tasks(struct stacktool *skeleton, bool wanted)
{
	bpf_map__set_autocreate(skeleton->maps.st_tasks, wanted);
	bpf_map__set_max_entries(skeleton->maps.st_tasks, twice_the_threads(MIN_TASKS, MAX_TASKS));
}

static void set_unwinding(struct stacktool *skeleton)
{
	bool wanted = skeleton->rodata->st_config.unwind != ST_UNWIND_OFF;

	bpf_map__set_autocreate(skeleton->maps.st_slabs, wanted);
	bpf_map__set_autocreate(skeleton->maps.st_processes, wanted);
	bpf_map__set_autocreate(skeleton->maps.st_recent, wanted);
}

static uint32_t nr_filter_ids(const struct plan *plan)
{
	return (uint32_t)(plan->tgids.nr ? plan->tgids.nr : plan->tids.nr);
}

/* Where no program can tell which place was hit, there is one entry for all. */
static uint32_t nr_costs(const struct attach_plan *attach)
{
	if (attach->mechanism == MECHANISM_TP_BTF || attach->mechanism == MECHANISM_PERF_EVENT || !attach->places.nr)
		return 1;
	return (uint32_t)attach->places.nr;
}

static int set_maps(struct stacktool *skeleton, const struct plan *plan, const struct attach_plan *attach)
{
	if (plan->record_entries)
		bpf_map__set_max_entries(skeleton->maps.st_known, plan->record_entries);
	bpf_map__set_max_entries(skeleton->maps.st_ring, ring_bytes(plan, attach));
	if (libbpf_num_possible_cpus() > MANY_CPUS)
		bpf_map__set_max_entries(skeleton->maps.st_scratch, ST_MAX_SLOTS / 2);
	set_unwinding(skeleton);
	set_tasks(skeleton, attach->mechanism == MECHANISM_TP_BTF);
	bpf_map__set_autocreate(skeleton->maps.st_grid, attach->mechanism == MECHANISM_PERF_EVENT);
	bpf_map__set_autocreate(skeleton->maps.st_nowhere, attach->program == PROGRAM_UPROBE);
	bpf_map__set_autocreate(skeleton->maps.st_syscalls, attach->mechanism == MECHANISM_SYSTEM_CALLS);
	if (attach->mechanism == MECHANISM_SYSTEM_CALLS)
		bpf_map__set_max_entries(skeleton->maps.st_syscalls, (__u32)attach->places.nr);
	bpf_map__set_autocreate(skeleton->maps.st_tallies, plan->mode == EVENTS_BY_PROBE);
	if (plan->mode == EVENTS_BY_PROBE)
		bpf_map__set_max_entries(skeleton->maps.st_tallies, (__u32)attach->places.nr);
	bpf_map__set_max_entries(skeleton->maps.st_costs, nr_costs(attach));
	bpf_map__set_autocreate(skeleton->maps.st_pids, nr_filter_ids(plan) > 1);
	if (nr_filter_ids(plan) > 1)
		bpf_map__set_max_entries(skeleton->maps.st_pids, nr_filter_ids(plan));
	return set_filter_maps(skeleton, plan);
}

/* ---- programs ---- */

/* Where every place has a program of its own. */
static void autoload_places(const struct loaded *loaded)
{
	const struct attach_plan *attach = loaded->attach;

	for (size_t i = 0; i < attach->places.nr; i++)
		if (attach->places.data[i].program)
			bpf_program__set_autoload(loaded_program(loaded, attach->places.data[i].program), true);
}

/* The programs and the table of what a command starts (bpf/on_fork.bpf.c). */
static void set_children(struct loaded *loaded, const struct plan *plan)
{
	/* attached in this order and removed in the other: what the second report finds not dealt with was missed by the first */
	static const char *const by_memory[NR_CHILD_PROGRAMS] = { "on_birth", "on_fork", "on_free" };
	static const char *const by_type[NR_CHILD_PROGRAMS] = { "on_birth_by_type", "on_fork_by_type",
								"on_free_by_type" };
	struct bpf_map *map = loaded->skeleton->maps.st_children;

	bpf_map__set_autocreate(map, plan->follow_children);
	bpf_map__set_autocreate(loaded->skeleton->maps.st_births, plan->follow_children);
	if (!plan->follow_children)
		return;
	bpf_map__set_max_entries(map, twice_the_threads(MIN_CHILDREN, MAX_CHILDREN));
	loaded->child_programs = host_task_access(PROGRAM_RAW_TRACEPOINT) == TASK_ACCESS_PROBE_READ ? by_memory
												    : by_type;
	for (size_t i = 0; i < NR_CHILD_PROGRAMS; i++)
		bpf_program__set_autoload(loaded_program(loaded, loaded->child_programs[i]), true);
}

static int set_programs(struct loaded *loaded, const struct plan *plan)
{
	const struct attach_plan *attach = loaded->attach;
	int err = 0;

	loaded->program = loaded_program(loaded, attach_plan_program(attach));
	if (!loaded->program)
		return fail(-ENOENT, "program %s: not in the BPF object", attach_plan_program(attach));
	bpf_program__set_autoload(loaded->program, true);
	if (attach->mechanism == MECHANISM_FENTRY)
		err = bpf_program__set_attach_target(loaded->program, 0, attach->places.data[0].name);
	if (err)
		return fail_host(err, "fentry: '%s': not a function with BTF type information",
				 attach->places.data[0].name);
	autoload_places(loaded);
	set_children(loaded, plan);
	if (attach->preempt_count)
		err = preempt_count_name(loaded_program(loaded, "on_waking"), attach->preempt_count);
	return err ? fail(err, "program on_waking: cannot set the address of the preemption count: %s", strerror(-err))
		   : 0;
}

int load_configure(struct loaded *loaded, const struct plan *plan)
{
	struct stacktool *skeleton = loaded->skeleton;
	int err = set_config(skeleton, plan, loaded->attach) ?: set_maps(skeleton, plan, loaded->attach);

	err = err ?: set_programs(loaded, plan);
	loaded->mode = plan->mode;
	loaded->needs_copies = needs_copies(plan, loaded->attach, skeleton->rodata->st_config.has_cookie);
	loaded->count_entries = plan->count_entries ? plan->count_entries : DEFAULT_COUNT_ENTRIES;
	return err;
}

bool loaded_will_unwind(const struct plan *plan, const struct attach_plan *attach)
{
	return unwind_mode(plan, attach) != ST_UNWIND_OFF;
}

/* ---- filters ---- */

static int fill_pids(struct stacktool *skeleton, const struct plan *plan)
{
	uint32_t nr = nr_filter_ids(plan), one = 1;
	const uint32_t *ids = plan->tgids.nr ? plan->tgids.data : plan->tids.data;

	for (uint32_t i = 0; nr > 1 && i < nr; i++) {
		int err = bpf_map__update_elem(skeleton->maps.st_pids, &ids[i], sizeof(ids[i]), &one, sizeof(one),
					       BPF_ANY);

		if (err)
			return fail(err, "pid filter: cannot fill the map: %s", strerror(-err));
	}
	return 0;
}

static int set_cgroup(struct stacktool *skeleton, const struct plan *plan)
{
	_cleanup_(closep) int fd = -1;
	const __u32 zero = 0;
	int err;

	if (!plan->cgroup && !plan->container)
		return 0;
	fd = plan->cgroup ? cgroup_open(plan->cgroup) : cgroup_open_container(plan->container);
	if (fd < 0)
		return fd;
	err = bpf_map__update_elem(skeleton->maps.st_cgroup, &zero, sizeof(zero), &fd, sizeof(fd), BPF_ANY);
	return err ? fail(err, "cgroup '%s': not a cgroup v2 directory: %s",
			  plan->cgroup ? plan->cgroup : plan->container, strerror(-err))
		   : 0;
}

int load_fill_filters(const struct loaded *loaded, const struct plan *plan)
{
	return fill_pids(loaded->skeleton, plan) ?: set_cgroup(loaded->skeleton, plan);
}
