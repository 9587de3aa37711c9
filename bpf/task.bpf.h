/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The current task: ids in our pid namespace, start time, exec id, and the filters on them. Also ids of other tasks.
 *
 * Fields are read by bpf_probe_read_kernel(), or where lockdown=confidentiality forbids that, by dereferencing BTF pointers. User space
 * finds out what works and sets st_config.task_access; the verifier does not follow the other branch. Dereferencing is a few nanoseconds
 * cheaper. But for a pointer that is read through a trusted one, the verifier searches all types of the kernel four times
 * (btf_nested_type_is_trusted(), commit 6fcd486b3a0a ("bpf: Refactor RCU enforcement in the verifier."), v6.4), which takes a third of the
 * start of `profile`.
 */
#pragma once

#include "bpf/maps.bpf.h"

struct st_who {
	__u32 tgid, tid;
	__u32 foreign; /* 1: outside our pid namespace; the ids are those of the initial one */
};

static __always_inline void st_who_is_current(struct st_who *who)
{
	struct bpf_pidns_info ids = {};
	__u64 pid_tgid;

	if (st_config.pidns_inode) {
		if (!bpf_get_ns_current_pid_tgid(st_config.pidns_device, st_config.pidns_inode, &ids, sizeof(ids))) {
			who->tgid = ids.tgid;
			who->tid = ids.pid;
			who->foreign = 0;
			return;
		}
		who->foreign = 1;
	}
	pid_tgid = bpf_get_current_pid_tgid();
	who->tgid = pid_tgid >> 32;
	who->tid = (__u32)pid_tgid;
}

/* The id of a task in our pid namespace, which is at this level. 0: the task is outside, or has been released. */
static __always_inline __u32 st_id_of(struct task_struct *task, __u32 level)
{
	struct pid *pid = BPF_CORE_READ(task, thread_pid);
	struct pid_namespace *space = NULL;
	__u64 place;
	__u32 id = 0;

	if (!st_config.pidns_inode)
		return BPF_CORE_READ(task, pid);
	if (!pid || BPF_CORE_READ(pid, level) < level)
		return 0;
	place = (__u64)pid + bpf_core_field_offset(struct pid, numbers) +
		(__u64)level * bpf_core_type_size(struct upid);
	bpf_probe_read_kernel(&space, sizeof(space), (void *)(place + bpf_core_field_offset(struct upid, ns)));
	if (BPF_CORE_READ(space, ns.inum) != (__u32)st_config.pidns_inode)
		return 0;
	bpf_probe_read_kernel(&id, sizeof(id), (void *)(place + bpf_core_field_offset(struct upid, nr)));
	return id;
}

/* The tgid; 0 for a foreign process. Without a branch, which would double the verifier's work. */
static __always_inline __u32 st_known_tgid(const struct st_who *who)
{
	return who->tgid & (who->foreign - 1);
}

static __always_inline void st_task_identity(struct st_stack_head *head)
{
	struct task_struct *task;

	if (st_config.task_access == TASK_ACCESS_BTF) {
		task = (struct task_struct *)bpf_get_current_task_btf();
		head->start_time_ns = task->group_leader->start_time;
		head->exec_id = task->self_exec_id;
	} else if (st_config.task_access == TASK_ACCESS_PROBE_READ) {
		task = (struct task_struct *)bpf_get_current_task();
		head->start_time_ns = BPF_CORE_READ(task, group_leader, start_time);
		head->exec_id = BPF_CORE_READ(task, self_exec_id);
	} else {
		head->flags |= ST_STACK_NO_START;
	}
}

#define ST_STATUS_32BIT_CALL 2 /* TS_COMPAT of x86: set in thread_info::status during a system call of 32-bit code */

static __always_inline int st_is_32bit_call(void)
{
	struct task_struct *task;

	if (!bpf_core_field_exists(struct thread_info, status))
		return 0;
	if (st_config.task_access == TASK_ACCESS_BTF) {
		task = (struct task_struct *)bpf_get_current_task_btf();
		return task->thread_info.status & ST_STATUS_32BIT_CALL;
	}
	if (st_config.task_access == TASK_ACCESS_PROBE_READ) {
		task = (struct task_struct *)bpf_get_current_task();
		return BPF_CORE_READ(task, thread_info.status) & ST_STATUS_32BIT_CALL;
	}
	return 0;
}

/* The number of the system call that ends. `given`: the address of the task's registers, from sys_exit. ~0: unknown. */
static __always_inline __u32 st_ended_call(void *given)
{
	struct pt_regs___of_call *registers = given;

	if (st_config.task_access == TASK_ACCESS_BTF) {
		registers = (void *)bpf_task_pt_regs(bpf_get_current_task_btf());
		if (bpf_core_field_exists(registers->orig_ax))
			return registers->orig_ax;
		return bpf_core_field_exists(registers->syscallno) ? registers->syscallno : ~0U;
	}
	if (st_config.task_access != TASK_ACCESS_PROBE_READ)
		return ~0U;
	if (bpf_core_field_exists(registers->orig_ax))
		return BPF_CORE_READ(registers, orig_ax);
	return bpf_core_field_exists(registers->syscallno) ? BPF_CORE_READ(registers, syscallno) : ~0U;
}

/*
 * Whether the current process, with this tgid, is st_config.filter_single or a descendant. A global function (on_fork.bpf.c), so that the
 * verifier follows one path after it.
 */
int st_in_family(__u32 tgid);

/* Whether the current process (for ST_FILTER_TGID, else thread) began at this time. A global function (filters.bpf.c). */
int st_began_at(__u64 start_ns);

static __always_inline int st_in_list(__u32 id)
{
	__u64 *start_ns;

	if (st_config.filter_single)
		return id == st_config.filter_single && st_began_at(st_config.filter_start_ns);
	start_ns = bpf_map_lookup_elem(&st_pids, &id);
	return start_ns && st_began_at(*start_ns);
}

static __always_inline int st_wanted_process(const struct st_who *who)
{
	__u32 tgid = st_known_tgid(who);

	return st_config.follow_children ? st_in_family(tgid) : st_in_list(tgid);
}

/* Whether this task on this CPU passes the filters. A global function (filters.bpf.c). */
int st_passes_filters(__u32 tgid, __u32 tid, __u32 foreign);

static __always_inline int st_wanted(const struct st_who *who)
{
	return !st_config.filters || st_passes_filters(who->tgid, who->tid, who->foreign);
}
