// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Threads as they are now. The kernel runs this program for each thread of the host while user space reads the iterator. The program writes
 * the thread's state, kernel stack and user registers (struct st_look); core/session/look.c reads them.
 *
 * The registers are those of the last entry into the kernel: right for a thread that is not on a CPU, old for one that is.
 */
#include "bpf/arch.bpf.h"
#include "bpf/scratch.bpf.h"
#include "bpf/task.bpf.h"
#include "bpf/task_state.bpf.h"

/* The context. The verifier checks accesses by type; the offsets are the same in all kernels. */
struct st_task_iterator {
	struct {
		struct seq_file *seq;
	} *meta;
	struct task_struct *task; /* NULL after the last one */
};

static __always_inline void st_look_at_ids(struct task_struct *task, struct st_look *look)
{
	struct task_struct *reader = (struct task_struct *)bpf_get_current_task();
	__u32 level = st_config.pidns_inode ? BPF_CORE_READ(reader, thread_pid, level) : 0;

	look->tid = st_id_of(task, level);
	look->tgid = st_id_of(BPF_CORE_READ(task, group_leader), level);
}

#define ST_CGROUP_LEVELS 32

/* Whether the task is in the cgroup of the filter, or below it. */
static __always_inline int st_is_in_cgroup(struct task_struct *task)
{
	struct cgroup *group = BPF_CORE_READ(task, cgroups, dfl_cgrp);
	struct cgroup_subsys_state *parent;

	for (int level = 0; level < ST_CGROUP_LEVELS; level++) {
		if (BPF_CORE_READ(group, kn, id) == st_config.cgroup_id)
			return 1;
		parent = BPF_CORE_READ(group, self.parent);
		if (!parent)
			return 0;
		group = (void *)parent - bpf_core_field_offset(struct cgroup, self);
	}
	return 0;
}

/* Whether the task passes the filter: -p, a command and its children, or a cgroup. */
static __always_inline int st_wants_look(struct task_struct *task, const struct st_look *look)
{
	__u64 key = (__u64)task;
	__u32 global_tgid;

	if (!look->tid || !look->tgid)
		return 0;
	/* wall follows a thread to its end, also after it has left the cgroup. */
	if (st_config.use_cgroup && !st_is_in_cgroup(task) &&
	    !(st_config.follows_walls && bpf_map_lookup_elem(&st_walls, &key)))
		return 0;
	if (st_config.task_filter != ST_FILTER_TGID)
		return 1;
	if (st_config.follow_children) {
		global_tgid = BPF_CORE_READ(task, tgid);
		if (bpf_map_lookup_elem(&st_children, &global_tgid))
			return 1;
	}
	if (st_config.filter_single)
		return look->tgid == st_config.filter_single;
	return bpf_map_lookup_elem(&st_pids, &look->tgid) != 0;
}

static __always_inline __u32 st_state_of(struct task_struct *task)
{
	struct task_struct___before_5_14 *old = (void *)task;

	if (bpf_core_field_exists(task->__state))
		return BPF_CORE_READ(task, __state);
	return (__u32)BPF_CORE_READ(old, state);
}

static __always_inline __u64 st_arrival_of(struct task_struct *task)
{
	if (!bpf_core_field_exists(task->sched_info.last_arrival))
		return 0;
	return BPF_CORE_READ(task, sched_info.last_arrival);
}

static __always_inline void *st_registers_of(struct task_struct *task)
{
	if (bpf_core_enum_value_exists(enum bpf_func_id___of_registers, BPF_FUNC_task_pt_regs___of_registers))
		return (void *)bpf_task_pt_regs(task);
#if defined(__TARGET_ARCH_x86)
	return st_registers_on_stack(BPF_CORE_READ(task, stack));
#else
	return 0;
#endif
}

#if defined(__TARGET_ARCH_x86)
#define ST_REGISTER_BYTES (8 * ST_NR_REGISTERS)
#else
#define ST_REGISTER_BYTES (8 * ST_LOOK_REGISTERS)
#endif

static __always_inline void st_look_at_memory(struct task_struct *task, struct st_look *look)
{
	void *registers = st_registers_of(task);

	if (!BPF_CORE_READ(task, mm))
		return;
	look->flags |= ST_LOOK_HAS_MEMORY;
	if (registers && !bpf_probe_read_kernel(look->registers, ST_REGISTER_BYTES, registers))
		look->flags |= ST_LOOK_HAS_REGISTERS;
}

/* Without CONFIG_SMP, task_struct has no on_cpu, and the reader is on the only CPU. */
static __always_inline int st_is_on_cpu(struct task_struct *task, struct task_struct *reader)
{
	if (!bpf_core_field_exists(task->on_cpu))
		return task == reader;
	return BPF_CORE_READ_BITFIELD_PROBED(task, on_cpu) != 0;
}

/* The kernel counts a switch before it clears on_cpu. So on_cpu is read first: if it is 0, the counts include the last switch. */
static __always_inline void st_look_at_times(struct task_struct *task, struct st_look *look)
{
	struct task_struct *reader = (struct task_struct *)bpf_get_current_task();

	look->start_time_ns = BPF_CORE_READ(task, start_time);
	look->leader_start_time_ns = BPF_CORE_READ(task, group_leader, start_time);
	look->exec_id = BPF_CORE_READ(task, self_exec_id);
	look->flags = st_is_on_cpu(task, reader) ? ST_LOOK_ON_CPU : 0;
	look->nr_voluntary = BPF_CORE_READ(task, nvcsw);
	look->nr_involuntary = BPF_CORE_READ(task, nivcsw);
	look->arrival_ns = st_arrival_of(task);
	look->reader_arrival_ns = st_arrival_of(reader);
}

static __always_inline int st_is_queued(struct task_struct *task)
{
	if (bpf_core_field_exists(task->se.sched_delayed) && BPF_CORE_READ_BITFIELD_PROBED(&task->se, sched_delayed))
		return 0;
	return BPF_CORE_READ_BITFIELD_PROBED(task, on_rq) != 0;
}

/* The entry of a thread that existed before the window begins; corrects one whose state a switch has changed meanwhile. */
static __always_inline void st_wall_enter(const struct st_look *look, const struct st_wall *found, __u32 state,
					  __u64 now)
{
	struct st_wall entry = { .start_time_ns = look->start_time_ns,
				 .since_ns = now,
				 .state = state,
				 .process_start_ns = look->leader_start_time_ns,
				 .tgid = look->tgid,
				 .tid = look->tid };

	bpf_map_update_elem(&st_walls, &look->task, &entry, found ? BPF_EXIST : BPF_NOEXIST);
}

static __always_inline void st_look_at_wall(struct task_struct *task, struct st_look *look)
{
	__u32 zero = 0, state = st_wall_state(look->state), on_cpu = look->flags & ST_LOOK_ON_CPU;
	struct st_control *control = bpf_map_lookup_elem(&st_control, &zero);
	__u64 now = bpf_ktime_get_ns();
	struct st_wall *entry;
	int differs;

	look->task = (__u64)task;
	if (control && st_config.pidns_inode)
		control->wall_level = BPF_CORE_READ((struct task_struct *)bpf_get_current_task(), thread_pid, level);
	if (!control || look->exit_state)
		return;
	if (on_cpu)
		state = THREAD_ON_CPU;
	else if (st_is_queued(task) || !look->state || look->state & (ST_TASK_WAKING | ST_TASK_NEW))
		state = THREAD_RUNNABLE;
	entry = bpf_map_lookup_elem(&st_walls, &look->task);
	differs = entry && entry->state != state && !(state == THREAD_RUNNABLE && entry->state == THREAD_THROTTLED) &&
		  now - entry->since_ns > ST_WALL_SETTLED_NS && now > entry->since_ns;
	if (*(volatile __u64 *)&control->wall_begin_ns == ST_WALL_NEVER_NS && (!entry || differs)) {
		st_wall_enter(look, entry, state, now);
	} else if (entry) {
		look->wall_start_time_ns = entry->start_time_ns;
		look->wall_since_ns = entry->since_ns;
		look->flags |= ST_LOOK_HAS_WALL | (differs ? ST_LOOK_DIFFERS : 0);
	}
}

SEC("?iter/task")
int on_task(struct st_task_iterator *ctx)
{
	struct task_struct *task = ctx->task;
	struct st_look *look;
	__u32 zero = 0, bytes, nr;

	look = bpf_map_lookup_elem(&st_look, &zero);
	if (!task || !look)
		return 0;
	st_look_at_ids(task, look);
	if (!st_wants_look(task, look))
		return 0;
	look->state = st_state_of(task);
	look->exit_state = BPF_CORE_READ(task, exit_state);
	look->task_flags = BPF_CORE_READ(task, flags);
	bpf_probe_read_kernel(look->comm, sizeof(look->comm), &task->comm);
	st_look_at_times(task, look);
	st_look_at_memory(task, look);
	if (st_config.follows_walls)
		st_look_at_wall(task, look);
	bytes = bpf_get_task_stack(task, look->frames, sizeof(look->frames), 0);
	nr = (int)bytes < 0 ? 0 : bytes / 8;
	look->nr_kernel = (int)bytes < 0 ? -1 : nr;
	st_opaque(nr);
	nr &= ST_MAX_FRAMES; /* 127, as a mask: the verifier needs the bound */
	bpf_seq_write(ctx->meta->seq, look, sizeof(*look) - sizeof(look->frames) + 8 * nr);
	return 0;
}
