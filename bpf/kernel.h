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

struct task_struct {
	int pid;
	int tgid;
	__u64 start_time;
	__u64 self_exec_id; /* u32 before 5.7: commit d1e7fd6462ca ("signal: Extend exec_id to 64bits") */
	struct task_struct *group_leader;
	struct nsproxy *nsproxy;
};

#pragma clang attribute pop
