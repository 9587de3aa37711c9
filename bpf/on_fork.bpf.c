// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Keeps the descendants of a command in st_children.
 *
 * The kernel reports a fork before it wakes the child, so the entry exists before the child's first event. The programs see all forks of
 * the host: if a process outside the family gets the pid of an ended child, they remove the old entry before the process runs. Threads
 * share the entry of their process, and exec() changes nothing.
 *
 * The kernel reports each birth twice in the parent: task_newtask, then sched_process_fork. On a kernel whose tracepoints can be preempted,
 * a program does not run on a CPU on which a preempted thread is inside the same program (docs/design.md, "Attaching"). So the second
 * program handles births that the first one missed, and only a birth that both missed is lost. st_births has those that the first one
 * handled.
 *
 * An entry is removed when the kernel frees the leader's task_struct, so events during exit still count. The pid is free a little earlier,
 * so the start time decides whether the entry still belongs to this task. (If a thread other than the leader calls exec(), it becomes the
 * leader and the two exchange their ids.)
 *
 * Each program has two versions: raw tracepoint, which needs few of the kernel's types (core/host/kernel_types.h), and BTF, which also
 * works under lockdown=confidentiality.
 */
#include "bpf/record.bpf.h"
#include "bpf/returns.h"

/*
 * st_children has tgids of the initial pid namespace, because a child may have its own. The check of follow_children is for kernels before
 * 6.8, which verify this function even if nobody calls it: without children, the map does not exist.
 */
__noinline int st_in_family(__u32 tgid)
{
	__u32 global_tgid = bpf_get_current_pid_tgid() >> 32;

	if (!st_config.follow_children)
		return 0;
	if (tgid == st_config.filter_single && st_began_at(st_config.filter_start_ns))
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

/* Adds the child if the current process, its parent, is followed; else removes an old entry of its tgid. Returns 0 if the table is full. */
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

/* User space counts each run that the first program missed as a lost birth; a birth that is handled here is subtracted. */
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
