// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which processes descend from the command: st_children.
 *
 * Decided at birth, for every process of the host: the kernel reports a fork before it wakes the child, so the entry is
 * there before its first event. Another process that gets the pid of a child that has ended loses that entry before it runs.
 * Threads share the entry of their process, and exec() changes nothing.
 *
 * The kernel reports each birth twice in the parent: task_newtask, then sched_process_fork. A kernel that lets tracepoints be
 * preempted does not run a program where a thread was preempted in it (docs/design.md, "Attaching"). So the second report
 * does what the first one did not, and only a birth that both programs missed is lost. st_births has those that were handled.
 *
 * Entries are removed when the kernel frees the leader's task_struct: what a process does while it exits still counts. Its
 * pid is free a little earlier, so the start time tells whether the entry is still its own. When another thread calls
 * exec(), the old leader has that thread's id by then.
 *
 * As raw tracepoints, which need few of the kernel's types (core/host/kernel_types.h), and by BTF where programs may read
 * nothing else, under lockdown=confidentiality.
 */
#include "bpf/record.bpf.h"
#include "bpf/returns.h"

/*
 * A child may live in a pid namespace of its own, so what is known of it does not depend on one. Kernels before 6.8 verify a
 * global function also where nothing calls it, and the map is there only when it is asked for.
 */
__noinline int st_in_family(__u32 tgid)
{
	__u32 global_tgid = bpf_get_current_pid_tgid() >> 32;

	if (!st_config.follow_children)
		return 0;
	if (tgid == st_config.filter_single)
		return 1;
	return bpf_map_lookup_elem(&st_children, &global_tgid) != 0;
}

struct st_life {
	__u32 tid, tgid;
	__u64 start_time_ns;
};

static __always_inline struct st_life st_read_life(struct task_struct *task)
{
	return (struct st_life){
		.tid = BPF_CORE_READ(task, pid),
		.tgid = BPF_CORE_READ(task, tgid),
		.start_time_ns = BPF_CORE_READ(task, start_time),
	};
}

static __always_inline struct st_life st_see_life(struct task_struct *task)
{
	return (struct st_life){ .tid = task->pid, .tgid = task->tgid, .start_time_ns = task->start_time };
}

/*
 * Enters a child of a followed process. The forking process is current, even if the child gets another parent. False when
 * the table is full.
 */
static __always_inline int st_enter(const struct st_life *child)
{
	struct st_who parent = {};

	if (child->tid != child->tgid)
		return 1;
	st_who_is_current(&parent);
	if (st_wanted_process(&parent))
		return !(int)bpf_map_update_elem(&st_children, &child->tgid, &child->start_time_ns, BPF_ANY);
	bpf_map_delete_elem(&st_children, &child->tgid);
	return 1;
}

static __always_inline __u64 *st_birth_of(const struct st_life *child)
{
	__u32 place = child->tid % ST_NR_BIRTHS;

	return bpf_map_lookup_elem(&st_births, &place);
}

static __always_inline void st_note_births(__u64 change)
{
	struct st_way way = {};

	if (!st_way_begin(&way))
		ST_ADD(way.stats->lost_births, change);
}

static __always_inline void st_first_report(const struct st_life *child)
{
	__u64 *birth = st_birth_of(child);

	if (!st_enter(child))
		st_note_births(1);
	else if (birth)
		*birth = child->start_time_ns;
}

/* User space has counted what the first program missed as lost: this takes it back. */
static __always_inline void st_second_report(const struct st_life *child)
{
	__u64 *birth = st_birth_of(child);

	if (birth && *birth != child->start_time_ns && st_enter(child))
		st_note_births(-1);
}

static __always_inline void st_death(const struct st_life *task)
{
	__u64 *start_time_ns;

	if (task->tid != task->tgid)
		return;
	start_time_ns = bpf_map_lookup_elem(&st_children, &task->tgid);
	if (start_time_ns && *start_time_ns == task->start_time_ns)
		bpf_map_delete_elem(&st_children, &task->tgid);
}

SEC("?raw_tp/task_newtask")
int on_birth(struct bpf_raw_tracepoint_args *ctx)
{
	struct st_life child = st_read_life((struct task_struct *)ctx->args[0]);

	st_first_report(&child);
	return ST_RETURN_RAW_TRACEPOINT;
}

SEC("?raw_tp/sched_process_fork")
int on_fork(struct bpf_raw_tracepoint_args *ctx)
{
	struct st_life child = st_read_life((struct task_struct *)ctx->args[1]);

	st_second_report(&child);
	return ST_RETURN_RAW_TRACEPOINT;
}

SEC("?raw_tp/sched_process_free")
int on_free(struct bpf_raw_tracepoint_args *ctx)
{
	struct st_life task = st_read_life((struct task_struct *)ctx->args[0]);

	st_death(&task);
	return ST_RETURN_RAW_TRACEPOINT;
}

SEC("?tp_btf/task_newtask")
int on_birth_by_type(__u64 *ctx)
{
	struct st_life child = st_see_life((struct task_struct *)ctx[0]);

	st_first_report(&child);
	return ST_RETURN_TP_BTF;
}

SEC("?tp_btf/sched_process_fork")
int on_fork_by_type(__u64 *ctx)
{
	struct st_life child = st_see_life((struct task_struct *)ctx[1]);

	st_second_report(&child);
	return ST_RETURN_TP_BTF;
}

SEC("?tp_btf/sched_process_free")
int on_free_by_type(__u64 *ctx)
{
	struct st_life task = st_see_life((struct task_struct *)ctx[0]);

	st_death(&task);
	return ST_RETURN_TP_BTF;
}
