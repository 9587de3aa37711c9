/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Configures the object for a plan before it is loaded: the programs and their constants, the maps and their sizes. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "bpf/calls_abi.h"
#include "bpf/interpreter_abi.h"
#include "bpf/lock.h"
#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/names.h"
#include "core/files/proc_maps.h"
#include "core/host/cgroup_target.h"
#include "core/host/host.h"
#include "core/host/pidns.h"
#include "core/host/process.h"
#include "core/session/load_private.h"
#include "core/session/preempt_count.h"

#define COUNT_ENTRIES 16384 /* of the first map; a map that becomes half full is replaced by a larger one */
/* For timed samples, whose rate is known and low. Small maps, because each start waits until the kernel has cleared them. */
#define SAMPLE_COUNT_ENTRIES 4096
#define SAMPLE_RECORD_ENTRIES 8192
#define SAMPLE_RING_BYTES (512 << 10) /* each page counts twice in RSS */
#define LEAST_RING_BYTES (64 << 10) /* the largest page size */
#define PROBE_RING_BYTES (4 << 20)
#define WAIT_STACKS_HZ 50 /* on each CPU, of the whole host */
#define WAIT_STACKS_CHOSEN 40 /* times as many, of processes that the user chose */
#define MIN_TASKS 16384U
#define MIN_WALLS 8192U /* of 256 bytes */
#define MAX_TASKS (1U << 18) /* 40 MB of kernel memory */
#define MIN_CALLERS 1024U
#define MAX_CALLERS 16384U /* 34 MB of kernel memory */
#define MAX_INSIDES 4096U /* 22 MB */
#define MIN_CHILDREN 16384U
#define MAX_CHILDREN (1U << 17) /* 8 MB of kernel memory */
/* With more CPUs, each has half as many scratch slots: they are allocated for all possible CPUs. */
#define MANY_CPUS 256

/* ---- mechanisms ---- */

const struct mechanism_traits *load_traits(enum mechanism mechanism)
{
	static const struct mechanism_traits traits[] = {
		[MECHANISM_PERF_EVENT] = { .is_sampled = true, .has_no_places = true, .is_alone = true },
		[MECHANISM_TRACEPOINT] = { .is_alone = true },
		[MECHANISM_UPROBE_MULTI] = { .has_cookies = true },
		[MECHANISM_KPROBE_MULTI] = { .has_cookies = true },
		[MECHANISM_FENTRY] = { .has_own_programs = true, .loads_all_types = true },
		[MECHANISM_SYSTEM_CALLS] = { .has_numbers = true },
		[MECHANISM_TP_BTF] = { .has_no_places = true, .loads_all_types = true },
		[MECHANISM_WALL] = { .has_no_places = true, .loads_all_types = true },
	};

	return &traits[mechanism];
}

/* ---- configuration ---- */

/* A process that has ended matches no process, even if its number is used again. */
static uint64_t start_of(uint32_t pid)
{
	uint64_t start_ns;

	return process_start_boot(pid, &start_ns) ? UINT64_MAX : start_ns;
}

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
	if (config->filter_single)
		config->filter_start_ns = start_of(config->filter_single);
	return 0;
}

static uint32_t ring_bytes(const struct loaded *loaded, const struct plan *plan)
{
	if (plan->ring_bytes)
		return plan->ring_bytes;
	if (plan_counts_functions(plan))
		return LEAST_RING_BYTES; /* no records are sent */
	return loaded->traits->is_sampled ? SAMPLE_RING_BYTES : PROBE_RING_BYTES;
}

/* False for each Nth page fault or context switch, which may be as frequent as calls. */
static bool is_timed(const struct loaded *loaded, const struct plan *plan)
{
	return loaded->traits->is_sampled && (loaded->attach->sample.is_clock || !plan->period);
}

static uint32_t count_entries(const struct loaded *loaded, const struct plan *plan)
{
	if (plan->count_entries)
		return plan->count_entries;
	return is_timed(loaded, plan) ? SAMPLE_COUNT_ENTRIES : COUNT_ENTRIES;
}

/* 0: the number in bpf/maps.bpf.h. */
static uint32_t record_entries(const struct loaded *loaded, const struct plan *plan)
{
	if (plan->record_entries)
		return plan->record_entries;
	return is_timed(loaded, plan) ? SAMPLE_RECORD_ENTRIES : 0;
}

static struct st_offcpu_config off_cpu_config(const struct off_cpu_plan *plan, const struct attach_plan *attach)
{
	return (struct st_offcpu_config){
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
 * Whether programs read the number of their place from the attach cookie: if the plan distinguishes probes, or if there are several places,
 * so that the guard can find the most expensive one.
 */
static bool tells_probe_by_cookie(const struct loaded *loaded, const struct plan *plan)
{
	if (!(plan->key_parts & KEY_PROBE) && loaded->attach->places.nr < 2)
		return false;
	return loaded->traits->has_cookies ||
	       (!loaded->traits->has_own_programs && host_has_cookies(loaded->attach->program));
}

static bool needs_copies(const struct loaded *loaded, const struct plan *plan)
{
	return loaded->traits->has_own_programs || ((plan->key_parts & KEY_PROBE || loaded->attach->nr_functions) &&
						    !loaded_config(loaded)->has_cookie && !loaded->traits->has_numbers);
}

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
 * Whether the kernel runs only one program of this object at a time on a CPU. It does for perf events (commit aa6a5f3cb2b2 ("perf, bpf: add
 * perf events core support for BPF_PROG_TYPE_PERF_EVENT programs"), v4.9) and for classic tracepoints (commit 2541517c32be ("tracing, perf:
 * Implement BPF programs attached to kprobes"), v4.1): it disables preemption and checks bpf_prog_active. This may not be true for system
 * calls, whose tracepoints can sleep in newer kernels.
 */
static bool is_alone(const struct loaded *loaded)
{
	for (size_t i = 0; i < loaded->attach->places.nr; i++) {
		const char *category = loaded->attach->places.data[i].category;

		if (category && strstr(category, "syscalls"))
			return false;
	}
	return loaded->traits->is_alone;
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

/* If programs cannot read whether they run in an interrupt, they need the waker's kernel stack for that, even if it is not printed. */
static bool takes_kernel_stacks(const struct plan *plan, const struct attach_plan *attach)
{
	if (plan->off_cpu.measure != MEASURE_OFF_CPU)
		for (size_t i = 0; i < attach->places.nr; i++)
			if (strstr(attach->places.data[i].program, "_waking_anywhere"))
				return true;
	return plan->want_kernel;
}

/* The languages of interpreters with such a name: a bit for each. */
static unsigned int languages_in(const char *path)
{
	const char *name = path_name(path);

	return (strstr(name, "python") ? 1u << ST_LANGUAGE_PYTHON : 0) |
	       (strstr(name, "php") ? 1u << ST_LANGUAGE_PHP : 0);
}

static void look_for_languages(void *context, const struct proc_mapping *mapping)
{
	if (mapping->kind == MAPPING_FILE)
		*(unsigned int *)context |= languages_in(mapping->path);
}

/* Those of files that a process of -p maps, and of the command. */
static unsigned int languages_of(const struct plan *plan)
{
	unsigned int languages = plan->command ? languages_in(plan->command[0]) : 0;

	for (size_t i = 0; i < plan->tgids.nr; i++)
		proc_maps_read_of(plan->tgids.data[i], look_for_languages, &languages);
	return languages;
}

/*
 * Timed samples and the scheduler's programs begin to walk the frames of interpreters of all processes once there is one. Programs of probes
 * walk them only if there is one at the start, because each probe may have a copy of the program.
 */
static void set_walks(struct st_config *config, const struct loaded *loaded, const struct plan *plan)
{
	unsigned int languages;

	if (!config->unwind || plan->looks || plan->frames == FRAMES_NATIVE)
		return;
	languages = languages_of(plan);
	config->walks = languages != 0;
	config->walks_python = languages >> ST_LANGUAGE_PYTHON & 1;
	config->walks_php = languages >> ST_LANGUAGE_PHP & 1;
	if (languages)
		config->python = ST_PYTHON_WALK;
	else if (loaded->traits->has_no_places)
		config->python = ST_PYTHON_LATER;
}

/* Opens the cgroup of the plan. Returns a descriptor or a recorded failure. */
static int open_cgroup(const struct plan *plan)
{
	return plan->cgroup ? cgroup_open(plan->cgroup) : cgroup_open_container(plan->container);
}

static int set_cgroup_id(struct st_config *config, const struct plan *plan)
{
	_cleanup_(closep) int fd = -1;
	struct stat status;

	if (!plan->wall || !config->use_cgroup)
		return 0;
	fd = open_cgroup(plan);
	if (fd >= 0 && fstat(fd, &status))
		return fail(-errno, "cgroup: %s", strerror(errno));
	config->cgroup_id = fd < 0 ? 0 : status.st_ino;
	return fd < 0 ? fd : 0;
}

/* Sampled waits in a slot. Whole host: a few hundredths of a percent of each CPU. Chosen processes: about as much as offcputime. */
static uint32_t wall_budget(const struct plan *plan, const struct attach_plan *attach)
{
	uint32_t in_slot = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN) * WAIT_STACKS_HZ / (NSEC_PER_SEC / ST_WALL_SLOT_NS);

	if (!attach->samples_waits)
		return 0;
	return plan->tgids.nr || plan->command ? in_slot * WAIT_STACKS_CHOSEN : in_slot;
}

/* The processes of -p have their tables before the first event. */
static bool copies_stacks(const struct loaded *loaded, const struct plan *plan)
{
	return is_timed(loaded, plan) && plan->mode == EVENTS_BY_STACK && (plan->command || !plan->tgids.nr) &&
	       !plan->tids.nr;
}

static int set_config(struct loaded *loaded, const struct plan *plan)
{
	const struct attach_plan *attach = loaded->attach;
	struct st_config config = {
		.key_parts = plan->key_parts | (plan->view.latency ? KEY_PROBE : 0),
		.task_access = attach->reads.task,
		.use_cpus = plan->cpus.nr > 0,
		.want_kernel = takes_kernel_stacks(plan, attach),
		.want_user = plan->want_user && plan->unwind != UNWIND_NONE,
		.unwind = (uint8_t)unwind_mode(plan, attach),
		.include_idle = plan->include_idle,
		.use_cgroup = plan->cgroup || plan->container,
		.use_cgroup_map = plan->cgroup_map != NULL,
		.use_mntns_map = plan->mntns_map != NULL,
		.read_user = attach->program == PROGRAM_UPROBE && !attach->inside_functions && attach->reads.user,
		.sample_period_ns = attach->sample.is_clock ? attach->sample.period : 0,
		.ring_wake_bytes = ring_bytes(loaded, plan) / 4,
		.mode = (uint8_t)plan->mode,
		.has_cookie = tells_probe_by_cookie(loaded, plan),
		.alone = is_alone(loaded),
		.follows_walls = plan->wall,
		.latency = plan->view.latency,
		.nr_cpus = (uint32_t)libbpf_num_possible_cpus(),
		.wall_budget = wall_budget(plan, attach),
		/* bpf/frames.bpf.c follows frame pointers instead of bpf_get_stack() */
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
	if (plan->view.slow && config.task_access != TASK_ACCESS_PROBE_READ)
		return fail_host(-EPERM, "slow: on this kernel, lockdown=confidentiality forbids reading the task");
	config.copies = config.unwind && copies_stacks(loaded, plan);
	set_walks(&config, loaded, plan);
	err = set_task_filter(&config, plan) ?: set_cgroup_id(&config, plan);
	config.filters = st_has_filters(&config);
	loaded->skeleton->rodata->st_config = config;
	for (size_t i = 0; i < plan->cpus.nr; i++)
		loaded->skeleton->rodata->st_cpus[plan->cpus.data[i] / 64 % ST_CPU_WORDS] |= 1ULL
											     << plan->cpus.data[i] % 64;
	loaded->skeleton->rodata->st_offcpu = off_cpu_config(&plan->off_cpu, attach);
	loaded->skeleton->rodata->st_calls_config =
		(struct st_calls_config){ .unit_ns = (uint32_t)view_unit_ns(&plan->view),
					  .levels = plan->levels,
					  .limit_ns = plan->view.slow ? plan->view.limit_ns : 0,
					  .below = plan->view.fast,
					  .in_order = plan->is_pair,
					  .in_user_code = attach->program == PROGRAM_UPROBE };
	return err;
}

/* ---- maps ---- */

/* For a file outside a BPF file system the kernel returns EACCES, which would mislead root. */
static const char *why_not_pinned(const char *path, int err)
{
	struct statfs status;

	if (err == EACCES && !statfs(path, &status) && status.f_type != BPF_FS_MAGIC)
		return "not in a BPF file system";
	return strerror(err);
}

/* Uses a pinned map, a hash with 8-byte keys, instead of one of ours. path = NULL: does nothing. Returns 0 or a recorded failure. */
static int reuse_pinned(struct bpf_map *map, const char *option, const char *path)
{
	_cleanup_(closep) int fd = path ? bpf_obj_get(path) : -1;
	struct bpf_map_info info = {};
	__u32 length = sizeof(info);

	if (!path)
		return 0;
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

/* Room for twice as many threads as exist now. A map for pid_max, four million on most hosts, would take half a gigabyte. */
static uint32_t twice_the_threads(uint32_t least, uint32_t most)
{
	uint32_t nr_runnable, entries = 2 * host_nr_threads(&nr_runnable);

	if (entries < least)
		return least;
	return entries < most ? entries : most;
}

static uint32_t nr_filter_ids(const struct plan *plan)
{
	return (uint32_t)(plan->tgids.nr ? plan->tgids.nr : plan->tids.nr);
}

/* Sets whether a map is created, and its number of entries. 0: the number in bpf/maps.bpf.h. */
static void want_map(struct bpf_map *map, bool wanted, size_t entries)
{
	bpf_map__set_autocreate(map, wanted);
	if (wanted && entries)
		bpf_map__set_max_entries(map, (__u32)entries);
}

static int set_maps(struct loaded *loaded, const struct plan *plan)
{
	const struct attach_plan *attach = loaded->attach;
	const struct mechanism_traits *traits = loaded->traits;
	bool is_many_cpus = libbpf_num_possible_cpus() > MANY_CPUS, unwinds = loaded_config(loaded)->unwind;
	const enum st_python_mode python = loaded_config(loaded)->python;
	typeof(loaded->skeleton->maps) *maps = &loaded->skeleton->maps;

	want_map(maps->st_known, true, record_entries(loaded, plan));
	want_map(maps->st_ring, true, ring_bytes(loaded, plan));
	want_map(maps->st_copies, loaded_config(loaded)->copies, (size_t)libbpf_num_possible_cpus());
	want_map(maps->st_scratch, true, is_many_cpus ? ST_MAX_SLOTS / 2 : 0);
	want_map(maps->st_slabs, unwinds, 0);
	want_map(maps->st_processes, unwinds, 0);
	want_map(maps->st_recent, unwinds, 0);
	want_map(maps->st_interpreters, python == ST_PYTHON_WALK, 0);
	want_map(maps->st_python_walks, python == ST_PYTHON_WALK, is_many_cpus ? ST_MAX_SLOTS / 2 : 0);
	want_map(maps->st_told, loaded_config(loaded)->walks_php, 0);
	want_map(maps->st_python_sample, python == ST_PYTHON_LATER && (traits->is_sampled || plan->wall), 0);
	want_map(maps->st_python_back, python == ST_PYTHON_LATER && plan->wall, 0);
	want_map(maps->st_python_switch, python == ST_PYTHON_LATER && !traits->is_sampled, 0);
	want_map(maps->st_python_waking, python == ST_PYTHON_LATER && attach->mechanism == MECHANISM_TP_BTF, 0);
	want_map(maps->st_deep, unwinds, 0);
	want_map(maps->st_depths, unwinds, 0);
	want_map(maps->st_look, plan->looks || plan->wall, 0);
	want_map(maps->st_tasks, attach->mechanism == MECHANISM_TP_BTF, twice_the_threads(MIN_TASKS, MAX_TASKS));
	want_map(maps->st_threads, plan->off_cpu.locks, twice_the_threads(MIN_TASKS, MAX_TASKS));
	want_map(maps->st_calls, attach->nr_functions, twice_the_threads(MIN_CALLERS, MAX_CALLERS));
	want_map(maps->st_no_calls, attach->nr_functions, 0);
	want_map(maps->st_call_places, attach->nr_functions, attach->places.nr);
	want_map(maps->st_insides, plan->view.slow, twice_the_threads(MIN_CALLERS, MAX_INSIDES));
	want_map(maps->st_no_inside, plan->view.slow, 0);
	want_map(maps->st_walls, plan->wall, twice_the_threads(MIN_WALLS, MAX_TASKS));
	want_map(maps->st_running, plan->wall, loaded_config(loaded)->nr_cpus);
	want_map(maps->st_grid, traits->is_sampled, 0);
	want_map(maps->st_nowhere, attach->program == PROGRAM_UPROBE, 0);
	want_map(maps->st_syscalls, traits->has_numbers, attach->places.nr);
	want_map(maps->st_tallies, plan->mode == EVENTS_BY_PROBE, attach->places.nr);
	want_map(maps->st_costs, true, traits->has_no_places ? 1 : attach->places.nr);
	want_map(maps->st_pids, nr_filter_ids(plan) > 1, nr_filter_ids(plan));
	want_map(maps->st_children, plan->follow_children, twice_the_threads(MIN_CHILDREN, MAX_CHILDREN));
	want_map(maps->st_births, plan->follow_children, 0);
	want_map(maps->st_cgroup, plan->cgroup || plan->container, 0);
	want_map(maps->st_cgroups, plan->cgroup_map, 0);
	want_map(maps->st_mntns, plan->mntns_map, 0);
	return reuse_pinned(maps->st_cgroups, "--cgroupmap", plan->cgroup_map)
		       ?: reuse_pinned(maps->st_mntns, "--mntnsmap", plan->mntns_map);
}

/* ---- programs ---- */

int load_want_program(const struct loaded *loaded, struct bpf_program *program, size_t place)
{
	bpf_program__set_autoload(program, true);
	if (!loaded->traits->has_own_programs)
		return 0;
	return bpf_program__set_attach_target(program, 0, loaded->attach->places.data[place].name);
}

/* Selects the programs that follow the descendants of a command (bpf/on_fork.bpf.c). */
static void set_children(struct loaded *loaded, const struct plan *plan)
{
	/* They are attached in this order and detached in reverse, so a birth that only the second program sees was missed by the first. */
	static const char *const by_memory[NR_CHILD_PROGRAMS] = { "on_birth", "on_fork", "on_free" };
	static const char *const by_type[NR_CHILD_PROGRAMS] = { "on_birth_by_type", "on_fork_by_type",
								"on_free_by_type" };

	if (!plan->follow_children)
		return;
	loaded->child_programs = host_task_access(PROGRAM_RAW_TRACEPOINT) == TASK_ACCESS_PROBE_READ ? by_memory
												    : by_type;
	for (size_t i = 0; i < NR_CHILD_PROGRAMS; i++)
		bpf_program__set_autoload(loaded_program(loaded, loaded->child_programs[i]), true);
}

int load_name_preempt_count(const struct stacktool *object, const struct attach_plan *attach)
{
	if (!attach->preempt_count)
		return 0;
	return preempt_count_name(bpf_object__find_program_by_name(object->obj, attach->places.data[1].program),
				  attach->preempt_count);
}

const char *const programs_of_ended_calls[NR_ENDED_CALLS] = { "on_call_gone", "on_call_exec" };

size_t load_nr_ended_calls(const struct attach_plan *attach)
{
	return !attach->nr_functions ? 0 : attach->program == PROGRAM_UPROBE ? NR_ENDED_CALLS : 1;
}

const char *const slow_programs[NR_SLOW_PROGRAMS] = { "on_slow_switch", "on_slow_wakeup", "on_slow_sample" };

const char *load_wall_sample(const struct plan *plan)
{
	return plan->view.latency ? "on_wall_latency" : "on_wall_sample";
}

static int set_programs(struct loaded *loaded, const struct plan *plan)
{
	const struct attach_plan *attach = loaded->attach;
	int err;

	loaded->program = loaded_program(loaded, attach_plan_program(attach));
	if (!loaded->program)
		return fail(-ENOENT, "program %s: not in the BPF object", attach_plan_program(attach));
	err = load_want_program(loaded, loaded->program, 0);
	if (err)
		return fail_host(err, "fentry: '%s': not a function with BTF type information",
				 attach->places.data[0].name);
	for (size_t i = 0; i < load_nr_ended_calls(attach); i++)
		bpf_program__set_autoload(loaded_program(loaded, programs_of_ended_calls[i]), true);
	for (size_t i = 0; i < attach->places.nr && !loaded->traits->has_own_programs; i++)
		if (attach->places.data[i].program)
			bpf_program__set_autoload(loaded_program(loaded, attach->places.data[i].program), true);
	if (plan->looks || plan->wall)
		bpf_program__set_autoload(loaded_program(loaded, "on_task"), true);
	if (plan->wall)
		bpf_program__set_autoload(loaded_program(loaded, load_wall_sample(plan)), true);
	for (size_t i = 0; plan->view.slow && i < NR_SLOW_PROGRAMS; i++)
		bpf_program__set_autoload(loaded_program(loaded, slow_programs[i]), true);
	set_children(loaded, plan);
	err = load_name_preempt_count(loaded->skeleton, attach);
	return err ? fail(err, "program on_waking: cannot set the address of the preemption count: %s", strerror(-err))
		   : 0;
}

int load_configure(struct loaded *loaded, const struct plan *plan)
{
	int err = set_config(loaded, plan) ?: set_maps(loaded, plan) ?: set_programs(loaded, plan);

	loaded->mode = plan->mode;
	loaded->needs_copies = needs_copies(loaded, plan);
	loaded->count_entries = count_entries(loaded, plan);
	return err;
}

bool loaded_will_unwind(const struct plan *plan, const struct attach_plan *attach)
{
	return unwind_mode(plan, attach) != ST_UNWIND_OFF;
}

/* ---- filters ---- */

static int fill_pids(struct stacktool *skeleton, const struct plan *plan)
{
	uint32_t nr = nr_filter_ids(plan);
	const uint32_t *ids = plan->tgids.nr ? plan->tgids.data : plan->tids.data;

	for (uint32_t i = 0; nr > 1 && i < nr; i++) {
		uint64_t start_ns = start_of(ids[i]);
		int err = bpf_map__update_elem(skeleton->maps.st_pids, &ids[i], sizeof(ids[i]), &start_ns,
					       sizeof(start_ns), BPF_ANY);

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
	fd = open_cgroup(plan);
	if (fd < 0)
		return fd;
	err = bpf_map__update_elem(skeleton->maps.st_cgroup, &zero, sizeof(zero), &fd, sizeof(fd), BPF_ANY);
	return err ? fail(err, "cgroup '%s': not a cgroup v2 directory: %s",
			  plan->cgroup ? plan->cgroup : plan->container, strerror(-err))
		   : 0;
}

static int fill_call_places(const struct loaded *loaded)
{
	const struct attach_plan *attach = loaded->attach;
	int err = 0;

	for (uint32_t i = 0; attach->nr_functions && i < attach->places.nr && !err; i++) {
		const struct probe_place *place = &attach->places.data[i];
		struct st_call_place value = { place->function, place->part };

		err = bpf_map__update_elem(loaded->skeleton->maps.st_call_places, &i, sizeof(i), &value, sizeof(value),
					   BPF_ANY);
	}
	return err ? fail(err, "places of functions: cannot fill the map: %s", strerror(-err)) : 0;
}

/*
 * The programs know a thread once it has left a CPU. The owner of a lock may not have done so during the run. Below the initial pid
 * namespace the keys of threads cannot be told.
 */
static void fill_threads(const struct stacktool *skeleton, uint32_t tgid)
{
	char path[32];
	struct dirent *entry;
	DIR *directory;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task", tgid);
	directory = opendir(path);
	while (directory && (entry = readdir(directory))) {
		uint32_t tid = (uint32_t)strtoul(entry->d_name, NULL, 10);
		uint64_t key = tid ? ST_THREAD_KEY(tgid, process_inner_tid(tid)) : 0;

		if (tid) /* if it cannot be added, its owner is unknown */
			bpf_map__update_elem(skeleton->maps.st_threads, &key, sizeof(key), &tid, sizeof(tid), BPF_ANY);
	}
	if (directory)
		closedir(directory);
}

int load_fill_filters(const struct loaded *loaded, const struct plan *plan)
{
	const bool fills = plan->off_cpu.locks && !loaded_config(loaded)->pidns_inode;

	for (size_t i = 0; fills && i < plan->tgids.nr; i++)
		fill_threads(loaded->skeleton, plan->tgids.data[i]);
	return fill_pids(loaded->skeleton, plan) ?: set_cgroup(loaded->skeleton, plan) ?: fill_call_places(loaded);
}
