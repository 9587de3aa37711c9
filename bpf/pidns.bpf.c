// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The filter on a pid namespace.
 *
 * A task has a number in its own namespace and in each one above, and its struct pid lists them all by level, the
 * initial namespace first. So a namespace whose level is known has one place to look at, and no loop is needed.
 * nsproxy->pid_ns_for_children would be the wrong one to ask: it is where children will live, which is another
 * namespace after unshare(). A task that has been released has no struct pid any more, and so is in none.
 *
 * task.bpf.h on the two ways to read.
 */
#include "bpf/pidns.bpf.h"

/* Where the struct pid holds the namespace of the filter's level. */
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

__attribute__((noinline)) int st_in_pid_namespace(void)
{
	if (!st_config.filter_pidns)
		return 1;
	if (st_config.task_access == TASK_ACCESS_BTF)
		return st_pid_namespace_by_btf() == st_config.filter_pidns;
	return st_pid_namespace_by_read() == st_config.filter_pidns;
}
