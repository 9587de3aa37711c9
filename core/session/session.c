/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/session/session.h"

#include <errno.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/base/descriptors.h"
#include "core/base/err.h"
#include "core/host/cgroup_target.h"
#include "core/host/host.h"
#include "core/host/kernel_types.h"
#include "core/host/libbpf_log.h"
#include "core/host/pidns.h"
#include "core/host/process.h"
#include "core/session/attach_private.h"
#include "core/session/bpf_disasm.h"
#include "core/session/preempt_count.h"
#include "core/session/session_private.h"

#define DEFAULT_COUNT_ENTRIES 16384
#define SAMPLE_RING_BYTES \
	(512 << 10) /* timed samples come at a known, low rate; every page of a ring counts twice in RSS */
#define LEAST_RING_BYTES (64 << 10) /* a page of the largest size there is */
#define PROBE_RING_BYTES (4 << 20)
#define MIN_TASKS 16384U
#define MAX_TASKS (1U << 18) /* 40 MB of kernel memory */
#define TYPES_MAX_BYTES (1 << 20) /* of the kernel's types that the object asks for: some kilobytes */
#define MANY_CPUS 256 /* from here on fewer scratch slots per CPU: they are allocated for all possible CPUs */

static struct bpf_program *program_of(struct stacktool *skeleton, const struct attach_plan *attach)
{
	return bpf_object__find_program_by_name(skeleton->obj, attach_plan_program(attach));
}

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
 * Who tells the program the number of its probe: the cookie of multi links, or of perf events where the kernel has it.
 * Of several probes the guard wants to know the hottest, if that takes no copies.
 */
static bool tells_probe_by_cookie(const struct plan *plan, const struct attach_plan *attach)
{
	if (!(plan->key_parts & KEY_PROBE) && attach->points.nr < 2)
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
 * Whether the kernel keeps programs of this session from coming between each other on a CPU. It does for perf events
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
	for (size_t i = 0; i < attach->points.nr; i++)
		if (strstr(attach->points.data[i].category, "syscalls"))
			return false;
	return true;
}

/* Whether programs may walk user stacks themselves (bpf/frames.bpf.c) instead of asking the kernel for each. */
static bool may_walk_frames(const struct attach_plan *attach)
{
	return attach->reads.user && attach->reads.kernel && !host_freezes_on_user_reads();
}

static int set_pidns(struct st_config *config, const struct plan *plan, const struct attach_plan *attach)
{
	struct pidns pidns;
	int err;

	if (!plan->pidns)
		return 0;
	err = pidns_find(plan->pidns, &pidns);
	if (!err && !host_tells_pid_namespaces(attach->program))
		err = fail_host(-EPERM,
				"--pidns: lockdown=confidentiality forbids to read a task's namespaces on this kernel");
	config->filter_pidns = pidns.inode;
	config->pidns_level = pidns.level;
	return err;
}

/* Where the kernel does not tell interrupts, the names in a waker's stack do, whether they are shown or not. */
static bool takes_kernel_stacks(const struct plan *plan, const struct attach_plan *attach)
{
	if (plan->off_cpu.measure != MEASURE_OFF_CPU)
		for (size_t i = 0; i < attach->points.nr; i++)
			if (!strcmp(attach->points.data[i].program, "on_waking_anywhere"))
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
		.walk_frames = may_walk_frames(attach),
	};
	int err = set_pidns(&config, plan, attach);

	if (err)
		return err;
	if (getrandom(config.seed, sizeof(config.seed), 0) != sizeof(config.seed))
		return fail(-EIO, "getrandom: no random numbers");
	if (plan->mntns_map && config.task_access == TASK_ACCESS_NONE)
		return fail_host(-EPERM,
				 "--mntnsmap: lockdown=confidentiality forbids to read the task on this kernel");
	skeleton->rodata->st_config = config;
	if (attach->mechanism == MECHANISM_TP_BTF)
		set_off_cpu(skeleton, &plan->off_cpu, attach);
	return set_task_filter(&skeleton->rodata->st_config, plan);
}

/* ---- maps ---- */

/*
 * To the kernel a file of any other file system is "permission denied", which root would look for in the wrong place.
 */
static const char *why_not_pinned(const char *path, int err)
{
	struct statfs status;

	if (err == EACCES && !statfs(path, &status) && status.f_type != BPF_FS_MAGIC)
		return "it lies in no BPF file system";
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
static void set_tasks(struct stacktool *skeleton, bool wanted)
{
	uint32_t entries = 2 * host_nr_threads();

	bpf_map__set_autocreate(skeleton->maps.st_tasks, wanted);
	if (entries < MIN_TASKS)
		entries = MIN_TASKS;
	bpf_map__set_max_entries(skeleton->maps.st_tasks, entries < MAX_TASKS ? entries : MAX_TASKS);
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
		bpf_map__set_max_entries(skeleton->maps.st_syscalls, (__u32)attach->points.nr);
	bpf_map__set_autocreate(skeleton->maps.st_tallies, plan->mode == EVENTS_BY_PROBE);
	if (plan->mode == EVENTS_BY_PROBE)
		bpf_map__set_max_entries(skeleton->maps.st_tallies, (__u32)attach->points.nr);
	bpf_map__set_max_entries(skeleton->maps.st_costs, session_nr_costs(attach));
	bpf_map__set_autocreate(skeleton->maps.st_pids, nr_filter_ids(plan) > 1);
	if (nr_filter_ids(plan) > 1)
		bpf_map__set_max_entries(skeleton->maps.st_pids, nr_filter_ids(plan));
	return set_filter_maps(skeleton, plan);
}

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
	return err ? fail(err, "cgroup '%s': the kernel takes it for no cgroup of version 2: %s",
			  plan->cgroup ? plan->cgroup : plan->container, strerror(-err))
		   : 0;
}

struct bpf_program *session_program(const struct session *session, const char *name)
{
	return bpf_object__find_program_by_name(session->skeleton->obj, name);
}

/* ---- control ---- */

static int map_control(struct session *session)
{
	void *memory = mmap(NULL, sizeof(struct st_control), PROT_READ | PROT_WRITE, MAP_SHARED,
			    bpf_map__fd(session->skeleton->maps.st_control), 0);

	if (memory == MAP_FAILED)
		return fail(-errno, "control map: mmap: %s", strerror(errno));
	session->control = memory;
	session->control->poke_at = session->wanted_entries / 2;
	return 0;
}

/* ---- load ---- */

/* A helper that this kernel does not have, or keeps from programs that could read its memory. */
static int helper_missing(int err, const struct attach_plan *attach, const char *helper)
{
	bool confidential = host_is_confidential();

	fail_host(err, "program %s: %s no helper %s", attach_plan_program(attach),
		  confidential ? "lockdown=confidentiality leaves it" : "this kernel has", helper);
	if (confidential)
		hint("a newer kernel may have another way; or boot without lockdown=confidentiality");
	return err;
}

static int load_failed(int err, const struct attach_plan *attach)
{
	const char *said = libbpf_log_last();

	if (err == -EPERM) {
		fail_host(err, "program %s: the kernel refuses to load it: %s", attach_plan_program(attach),
			  strerror(-err));
		hint("it takes CAP_BPF and CAP_PERFMON (or root), a kernel that allows BPF, and before 5.11 `ulimit -l unlimited`");
		return err;
	}
	if (err == -ENOMEM || err == -E2BIG)
		return fail(err, "BPF maps: the kernel refuses the memory (a memory cgroup may be full): %s",
			    strerror(-err));
	if (libbpf_log_missing_helper()[0])
		return helper_missing(err, attach, libbpf_log_missing_helper());
	fail_host(err, "program %s: the kernel refuses to load it: %s", attach_plan_program(attach), strerror(-err));
	if (said[0])
		hint("%s", said);
	return err;
}

/* Where every place has a program of its own. */
static void autoload_points(struct session *session, const struct attach_plan *attach)
{
	for (size_t i = 0; i < attach->points.nr; i++)
		if (attach->points.data[i].program)
			bpf_program__set_autoload(session_program(session, attach->points.data[i].program), true);
}

static int configure(struct session *session, const struct plan *plan, const struct attach_plan *attach)
{
	int err = set_config(session->skeleton, plan, attach);

	if (!err)
		err = set_maps(session->skeleton, plan, attach);
	if (err)
		return err;
	session->program = program_of(session->skeleton, attach);
	if (!session->program)
		return fail(-ENOENT, "program %s: not in the BPF object", attach_plan_program(attach));
	bpf_program__set_autoload(session->program, true);
	if (attach->mechanism == MECHANISM_FENTRY)
		err = bpf_program__set_attach_target(session->program, 0, attach->points.data[0].name);
	if (err)
		return fail_host(err, "fentry: '%s' is no function that the kernel knows by type",
				 attach->points.data[0].name);
	autoload_points(session, attach);
	session_prepare_children(session, plan);
	if (attach->preempt_count)
		err = preempt_count_name(session_program(session, "on_waking"), attach->preempt_count);
	if (err)
		return fail(err, "program on_waking: cannot be given the preemption count: %s", strerror(-err));
	session->mode = plan->mode;
	session->only_process = attach->only_process ? attach->only_process : -1;
	session->names_probes = plan->key_parts & KEY_PROBE;
	session->needs_copies = needs_copies(plan, attach, session->skeleton->rodata->st_config.has_cookie);
	session->wanted_entries = plan->count_entries ? plan->count_entries : DEFAULT_COUNT_ENTRIES;
	session->sample_period = attach->sample.is_clock || plan->period ? attach->sample.period : 0;
	session->tells_expected = attach->sample.tells_expected;
	session->wants_idle = plan->include_idle;
	session->off_cpu = plan->off_cpu;
	session->counts_misses = attach->mechanism != MECHANISM_PERF_EVENT && host_counts_misses(attach->program);
	return 0;
}

/* Where the types that the object needs are put; -1: nowhere, and libbpf reads them all. Files may have no size (ulimit -f). */
static int open_types(void)
{
	_cleanup_(closep) int fd = memfd_create("kernel-types", MFD_CLOEXEC);

	if (fd < 0 || ftruncate(fd, TYPES_MAX_BYTES) || ftruncate(fd, 0))
		return -1;
	return take_fd(&fd);
}

static int open_object(struct session *session, const struct attach_plan *attach)
{
	bool all_types = attach->mechanism == MECHANISM_TP_BTF || attach->mechanism == MECHANISM_FENTRY;
	_cleanup_(closep) int types = all_types ? -1 : open_types();
	char path[32];
	LIBBPF_OPTS(bpf_object_open_opts, options);
	int err = 0;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", types);
	if (types >= 0)
		options.btf_custom_path = path;
	if (attach->mechanism == MECHANISM_FENTRY)
		attach_fentry_listen(session);
	session->skeleton = stacktool__open_opts(&options);
	if (!session->skeleton)
		return fail(-errno, "BPF object: cannot be opened: %s", strerror(errno));
	if (types >= 0)
		err = kernel_types_write(bpf_object__btf(session->skeleton->obj), types);
	if (err)
		return fail_host(err, "kernel: its type information cannot be read: %s", strerror(-err));
	session->types = take_fd(&types);
	return 0;
}

static int session_open(const struct plan *plan, const struct attach_plan *attach, struct session **ret_session)
{
	struct session *session = xcalloc(1, sizeof(*session));
	int err;

	*ret_session = session;
	session->attach = attach;
	descriptors_allow(0);
	if (plan->key_parts & KEY_CGROUP)
		session->cgroup_root = cgroup_mount_point("/proc/self/mountinfo");
	libbpf_log_start();
	session->counts[0] = session->counts[1] = session->types = session->slab = -1;
	err = open_object(session, attach);
	return err ? err : configure(session, plan, attach);
}

static int session_load(struct session *session, const struct plan *plan, const struct attach_plan *attach)
{
	int err = session_begin_counts(session);

	if (err)
		return err;
	err = stacktool__load(session->skeleton);
	if (!session->needs_copies) { /* they ask for the same types */
		closep(&session->types);
		session->types = -1;
	}
	if (err)
		return load_failed(err, attach);
	err = fill_pids(session->skeleton, plan) ?: set_cgroup(session->skeleton, plan);
	err = err ?: map_control(session) ?: session_map_costs(session);
	return err ?: session_await_counts(session);
}

int session_new(const struct plan *plan, const struct attach_plan *attach, struct session **ret_session)
{
	struct session *session = NULL;
	int err = session_open(plan, attach, &session);

	if (!err)
		err = session_load(session, plan, attach);
	if (err) {
		session_free(session);
		return err;
	}
	*ret_session = session;
	return 0;
}

void session_free(struct session *session)
{
	if (!session)
		return;
	session_await_counts(session);
	session_detach(session);
	closep(&session->types);
	closep(&session->slab);
	sampling_free(session->sampling);
	ring_buffer__free(session->ring);
	if (session->control)
		munmap((void *)session->control, sizeof(struct st_control));
	session_unmap_costs(session);
	for (uint32_t generation = 0; generation < ST_GENERATIONS; generation++)
		closep(&session->counts[generation]);
	for (size_t i = 0; i < session->copies.nr; i++)
		stacktool__destroy(session->copies.data[i]);
	vec_done(&session->copies);
	free(session->refused.example);
	free(session->cgroup_root);
	stacktool__destroy(session->skeleton);
	attach_fentry_done(session);
	vec_done(&session->pending);
	vec_done(&session->deltas);
	vec_done(&session->pairs);
	vec_done(&session->recent);
	vec_done(&session->tallies);
	vec_done(&session->costs_before);
	vec_done(&session->costs_fresh);
	vec_done(&session->links);
	free(session);
}

void session_tick(struct session *session)
{
	if (session->sampling)
		sampling_follow_cpus(session->sampling);
}

bool session_will_unwind(const struct plan *plan, const struct attach_plan *attach)
{
	return unwind_mode(plan, attach) != ST_UNWIND_OFF;
}

bool session_unwind_maps(const struct session *session, struct unwind_store_options *ret_maps)
{
	if (session->skeleton->rodata->st_config.unwind == ST_UNWIND_OFF)
		return false;
	ret_maps->slabs = bpf_map__fd(session->skeleton->maps.st_slabs);
	ret_maps->processes = bpf_map__fd(session->skeleton->maps.st_processes);
	ret_maps->first_slab = session->slab;
	return true;
}

/* ---- description ---- */

static void describe_config(const struct session *session, struct buf *text)
{
	const struct st_config *config = &session->skeleton->rodata->st_config;

	buf_addf(
		text,
		"config: key_parts=%#x task_access=%u task_filter=%u cpu=%d kernel=%u user=%u unwind=%u frames=%u idle=%u\n",
		config->key_parts, config->task_access, config->task_filter, config->cpu, config->want_kernel,
		config->want_user, config->unwind, config->walk_frames, config->include_idle);
	buf_addf(text, "maps: counts 2 x %u, records sent %u, ring %u bytes, slots %u per CPU\n",
		 session->wanted_entries, bpf_map__max_entries(session->skeleton->maps.st_known),
		 bpf_map__max_entries(session->skeleton->maps.st_ring),
		 bpf_map__max_entries(session->skeleton->maps.st_scratch));
}

int session_describe(const struct plan *plan, const struct attach_plan *attach, struct buf *ret_text)
{
	struct session *session = NULL;
	int err = session_open(plan, attach, &session);

	if (!err) {
		describe_config(session, ret_text);
		bpf_disassemble(bpf_program__name(session->program), bpf_program__insns(session->program),
				bpf_program__insn_cnt(session->program), ret_text);
	}
	session_free(session);
	return err;
}
