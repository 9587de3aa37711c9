// SPDX-License-Identifier: GPL-2.0-or-later
/* The filters on the current task. */
#include "bpf/task.bpf.h"

static __always_inline __u64 st_mount_namespace(void)
{
	struct task_struct *task;
	struct nsproxy *proxy;

	if (st_config.task_access == TASK_ACCESS_BTF) {
		task = (struct task_struct *)bpf_get_current_task_btf();
		proxy = task->nsproxy;
		return proxy ? proxy->mnt_ns->ns.inum : 0; /* NULL while a task exits */
	}
	if (st_config.task_access == TASK_ACCESS_PROBE_READ) {
		task = (struct task_struct *)bpf_get_current_task();
		return BPF_CORE_READ(task, nsproxy, mnt_ns, ns.inum);
	}
	return 0;
}

/* Tells a process from a later one with the same id. */
__noinline int st_began_at(__u64 start_ns)
{
	struct task_struct *task;
	__u64 began_ns;

	if (!start_ns)
		return 1;
	if (st_config.task_access == TASK_ACCESS_BTF) {
		task = (struct task_struct *)bpf_get_current_task_btf();
		began_ns = st_config.task_filter == ST_FILTER_TGID ? task->group_leader->start_boottime
								   : task->start_boottime;
	} else if (st_config.task_access == TASK_ACCESS_PROBE_READ) {
		task = (struct task_struct *)bpf_get_current_task();
		began_ns = st_config.task_filter == ST_FILTER_TGID ? BPF_CORE_READ(task, group_leader, start_boottime)
								   : BPF_CORE_READ(task, start_boottime);
	} else {
		return 1;
	}
	return began_ns - start_ns < ST_START_NS;
}

/*
 * A task has an id in its own pid namespace and in each namespace above. Its struct pid lists them by level, the initial namespace first,
 * so a namespace is found by its level without a loop. nsproxy->pid_ns_for_children is not used: after unshare() it is the namespace of
 * future children. A released task has no struct pid and is in no namespace.
 */

/* Address of the element of a struct pid that has the namespace at the filter's level. */
static __always_inline __u64 st_place_in_pid(const struct pid *pid)
{
	return (__u64)pid + bpf_core_field_offset(struct pid, numbers) + bpf_core_field_offset(struct upid, ns) +
	       (__u64)st_config.pidns_level * bpf_core_type_size(struct upid);
}

static __always_inline __u32 st_pid_namespace_by_btf(void)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task_btf();
	struct pid *pid = task->thread_pid;
	struct pid_namespace *space;

	if (!pid || pid->level < st_config.pidns_level)
		return 0;
	space = *(struct pid_namespace **)st_place_in_pid(pid);
	return space->ns.inum;
}

static __always_inline __u32 st_pid_namespace_by_read(void)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	struct pid *pid = BPF_CORE_READ(task, thread_pid);
	struct pid_namespace *space = NULL;

	if (!pid || BPF_CORE_READ(pid, level) < st_config.pidns_level)
		return 0;
	bpf_probe_read_kernel(&space, sizeof(space), (void *)st_place_in_pid(pid));
	return BPF_CORE_READ(space, ns.inum);
}

__noinline int st_in_pid_namespace(void)
{
	if (!st_config.filter_pidns)
		return 1;
	if (st_config.task_access == TASK_ACCESS_BTF)
		return st_pid_namespace_by_btf() == st_config.filter_pidns;
	return st_pid_namespace_by_read() == st_config.filter_pidns;
}

static __always_inline int st_wanted_by_group(void)
{
	__u64 key;

	if (st_config.use_cgroup && bpf_current_task_under_cgroup(&st_cgroup, 0) != 1)
		return 0;
	if (st_config.use_cgroup_map) {
		key = bpf_get_current_cgroup_id();
		if (!bpf_map_lookup_elem(&st_cgroups, &key))
			return 0;
	}
	if (st_config.use_mntns_map) {
		key = st_mount_namespace();
		if (!bpf_map_lookup_elem(&st_mntns, &key))
			return 0;
	}
	return !st_config.filter_pidns || st_in_pid_namespace();
}

static __always_inline int st_on_wanted_cpu(void)
{
	__u32 cpu = bpf_get_smp_processor_id();

	return cpu < ST_MAX_CPUS && st_cpus[cpu / 64] >> cpu % 64 & 1;
}

__noinline int st_passes_filters(__u32 tgid, __u32 tid, __u32 foreign)
{
	struct st_who who = { .tgid = tgid, .tid = tid, .foreign = foreign };

	if (st_config.use_cpus && !st_on_wanted_cpu())
		return 0;
	if (st_config.task_filter == ST_FILTER_TGID && !st_wanted_process(&who))
		return 0;
	if (st_config.task_filter == ST_FILTER_TID && (who.foreign || !st_in_list(who.tid)))
		return 0;
	return st_wanted_by_group();
}
