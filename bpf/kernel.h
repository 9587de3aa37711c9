/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The few kernel types that the programs read, for CO-RE: libbpf moves the field offsets to those of the running
 * kernel, so only names and types matter here, and a field may be missing on some kernels (ask with
 * bpf_core_field_exists).
 *
 * Written by hand instead of a generated vmlinux.h: it is readable, needs no BTF on the build host, and builds the same
 * everywhere.
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
	/* One element, of more, before v6.5: commit b69f0aeb0689 ("pid: Replace struct pid 1-element array …") */
	struct upid numbers[];
};

/* arm64: the low half of the first is the preemption count; x86: the second has TS_COMPAT. Others may lack them. */
struct thread_info {
	__u64 preempt_count;
	__u32 status;
};

/* What tells a system call until it has returned: on x86 the first, on arm64 the second. */
struct pt_regs___of_call {
	unsigned long orig_ax;
	int syscallno;
};

/* x86 from 6.2 to 6.14; before and after it is the per-CPU variable __preempt_count. */
struct pcpu_hot {
	int preempt_count;
};

/*
 * The page where threads of a process execute instructions out of line. Return probes have put its address where return addresses
 * were.
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
	unsigned long stack; /* where it lay */
	unsigned long orig_ret_vaddr;
	struct return_instance *next; /* that was replaced before it */
};

struct uprobe_task {
	enum uprobe_task_state state;
	unsigned long vaddr; /* of the instruction that is executed out of line */
	void *active_uprobe;
	unsigned long xol_vaddr; /* of its copy */
	struct return_instance *return_instances;
	struct return_instance *ri_pool; /* those that are over, the last one first; from 6.14 on */
};

struct task_struct {
	struct thread_info thread_info;
	int pid;
	int tgid;
	unsigned int flags;
	unsigned int __state; /* v5.14: commit 2f064a59a11f ("sched: Change task_struct::state") */
	struct mm_struct *mm; /* NULL: a kernel thread */
	struct uprobe_task *utask; /* NULL: has never met a uprobe */
	void *stack;
	struct task_struct *real_parent;
	__u64 start_time;
	__u64 self_exec_id; /* u32 before 5.7: commit d1e7fd6462ca ("signal: Extend exec_id to 64bits") */
	struct task_struct *group_leader;
	struct pid *thread_pid; /* NULL once the task has been released */
	struct nsproxy *nsproxy;
};

struct task_struct___before_5_14 {
	volatile long state;
};

#pragma clang attribute pop
