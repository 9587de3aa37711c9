/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel types that the programs read. libbpf relocates field offsets to the running kernel (CO-RE), so only names and types matter
 * here. bpf_core_field_exists() tells whether a kernel has a field.
 *
 * Written by hand, because a generated vmlinux.h needs BTF on the build host and differs from host to host.
 */
#pragma once

#include <linux/types.h>

#include <linux/bpf.h>
#include <linux/bpf_perf_event.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct ns_common {
	unsigned int inum;
};

struct mnt_namespace {
	struct ns_common ns;
};

struct nsproxy {
	struct mnt_namespace *mnt_ns;
};

struct pid_namespace {
	struct ns_common ns;
};

struct upid {
	int nr;
	struct pid_namespace *ns;
};

struct pid {
	unsigned int level; /* of the deepest namespace */
	/* Before v6.5 an array of one element: commit b69f0aeb0689 ("pid: Replace struct pid 1-element array …") */
	struct upid numbers[];
};

/* arm64: the low half of preempt_count is the preemption count. x86: status has TS_COMPAT. */
struct thread_info {
	__u64 preempt_count;
	__u32 status;
};

/*
 * The number of the current system call: orig_ax on x86, syscallno on arm64. And its first arguments: di, si and dx; orig_x0 and regs.
 */
struct pt_regs___of_call {
	unsigned long orig_ax, di, si, dx;
	int syscallno;
	unsigned long orig_x0, regs[31];
};

/* x86, 6.2 to 6.14. On older and newer kernels the count is the per-CPU variable __preempt_count. */
struct pcpu_hot {
	int preempt_count;
};

/*
 * The page in which threads of a process execute copies of instructions under uprobes. Return probes replace return addresses by its
 * address.
 */
struct xol_area {
	unsigned long vaddr;
};

struct uprobes_state {
	struct xol_area *xol_area;
};

struct mm_struct {
	struct uprobes_state uprobes_state;
};

enum uprobe_task_state {
	UTASK_SSTEP = 1,
	UTASK_SSTEP_TRAPPED = 3,
};

/* A return address that a return probe has replaced. */
struct return_instance {
	unsigned long stack; /* its address on the user stack */
	unsigned long orig_ret_vaddr;
	struct return_instance *next; /* the one replaced before it */
};

struct uprobe_task {
	enum uprobe_task_state state;
	unsigned long vaddr; /* of the instruction whose copy is executed */
	void *active_uprobe;
	unsigned long xol_vaddr; /* of the copy */
	struct return_instance *return_instances; /* last replaced first */
	struct return_instance *ri_pool; /* those that have returned, latest first; from 6.14 on */
};

/* Only with CONFIG_SCHED_INFO. */
struct sched_info {
	unsigned long long last_arrival; /* when the task last came onto a CPU, by the scheduler's clock */
};

/* throttle_count: only with CONFIG_CFS_BANDWIDTH. */
struct cfs_rq {
	int throttle_count; /* cgroups from this one up that have used up their quota */
};

struct sched_entity {
	unsigned char sched_delayed; /* asleep, though on the run queue; from 6.12 on */
	struct cfs_rq *cfs_rq; /* with CONFIG_FAIR_GROUP_SCHED */
};

struct kernfs_node {
	__u64 id;
};

struct cgroup_subsys_state {
	struct cgroup_subsys_state *parent;
};

struct cgroup {
	struct cgroup_subsys_state self;
	struct kernfs_node *kn;
};

struct css_set {
	struct cgroup *dfl_cgrp; /* of version 2 */
};

struct thread_struct {
	unsigned long fsbase; /* x86_64 */
};

struct task_struct {
	struct thread_info thread_info;
	int pid;
	int tgid;
	unsigned int flags;
	unsigned int __state; /* v5.14: commit 2f064a59a11f ("sched: Change task_struct::state") */
	struct mm_struct *mm; /* NULL: a kernel thread */
	char comm[16];
	int on_cpu; /* a byte in 7.2 */
	unsigned int on_rq; /* the same */
	int prio;
	struct sched_entity se;
	_Bool throttled; /* from 6.18 on; older kernels throttle run queues instead of threads */
	struct css_set *cgroups;
	int exit_state;
	unsigned long nvcsw, nivcsw;
	struct sched_info sched_info;
	struct uprobe_task *utask; /* NULL: it has never hit a uprobe */
	void *stack;
	struct thread_struct thread;
	struct task_struct *real_parent;
	__u64 start_time;
	__u64 start_boottime;
	__u64 self_exec_id; /* u32 before 5.7: commit d1e7fd6462ca ("signal: Extend exec_id to 64bits") */
	struct task_struct *group_leader;
	struct pid *thread_pid; /* NULL once the task has been released */
	struct nsproxy *nsproxy;
};

/* From 5.15 on. The enum has only this helper: with the enum of UAPI, CO-RE would look up all helpers. */
enum bpf_func_id___of_registers {
	BPF_FUNC_task_pt_regs___of_registers = 175,
};

struct task_struct___before_5_14 {
	volatile long state;
};

#pragma clang attribute pop
