// SPDX-License-Identifier: GPL-2.0-or-later
/* The walk of a user stack by unwind tables: docs/internals/unwinding.md. bpf/unwind_step.h has the step from a frame to its caller. */
#include "bpf/unwind.bpf.h"

#if defined(__TARGET_ARCH_x86) && !defined(ST_WITHOUT_UNWINDER)

#include "bpf/unwind_step.h"

static __always_inline const struct st_slab *st_slab_at(__u32 index)
{
	__u32 zero = 0;
	void *slab = bpf_map_lookup_elem(&st_slabs, &index);

	return slab ? bpf_map_lookup_elem(slab, &zero) : 0;
}

static __always_inline int st_read_user(void *to, __u32 bytes, const void *address)
{
	return (int)bpf_probe_read_user(to, bytes, address);
}

static __always_inline int st_read_code_before(__u64 address, __u64 *ret_code)
{
	return (int)bpf_probe_read_user(ret_code, 8, (void *)(address - 8));
}

/* At the entry of a function, st_note_caller() stores the caller. */
static __always_inline int st_is_at_entry(const struct st_slot *slot)
{
	return st_config.read_user && slot->unwind.is_known && !slot->unwind.is_place;
}

static __always_inline int st_follows_frames(void)
{
	return st_config.unwind == ST_UNWIND_AUTO;
}

/* The cache entry for the current address and space. Only the first slot may use the cache: NULL for the others. */
static __always_inline struct st_recent_rule *st_recent_rule(const struct st_unwind *unwind, __u32 slot_index)
{
	__u64 place = ((st_walk_address(unwind) ^ unwind->space) * 0x9e3779b97f4a7c15ULL) >> (64 - ST_RECENT_BITS);
	struct st_recent *recent = slot_index ? 0 : bpf_map_lookup_elem(&st_recent, &slot_index);

	return recent ? &recent->rules[place] : 0;
}

static __always_inline __u64 st_recall(const struct st_unwind *unwind, __u32 slot_index)
{
	const struct st_recent_rule *found = st_recent_rule(unwind, slot_index);

	if (!found || found->address != st_walk_address(unwind) || found->space != unwind->space)
		return 0;
	return found->rule;
}

static __always_inline void st_remember(const struct st_unwind *unwind, __u32 slot_index)
{
	struct st_recent_rule *place = st_recent_rule(unwind, slot_index);

	if (!place || !unwind->rule)
		return;
	place->address = st_walk_address(unwind);
	place->space = unwind->space;
	place->rule = unwind->rule;
}

/*
 * For a task that has hit uprobes: if the code shows that the frame pointer would skip the direct caller, goes to that caller and returns
 * 1.
 */
static __always_inline int st_by_prologue(struct st_slot *slot, __u32 slot_index, int end)
{
	if (!slot->unwind.in_uprobes || !slot->unwind.is_known || st_config.read_user)
		return 0;
	slot->uprobes.sp = slot->unwind.sp;
	slot->uprobes.bp = slot->unwind.bp;
	if (!st_uprobes_prologue(slot_index))
		return 0;
	st_to_caller(&slot->unwind, slot->uprobes.caller, slot->uprobes.sp + 8, end);
	return 1;
}

/* ST_PART_STEPS steps; the next function repeats this. The verifier follows these instead of all steps. */
__noinline int st_unwind_few(__u32 slot_index, __u32 in_uprobes)
{
	int end = 0;

	if (in_uprobes) {
#pragma clang loop unroll(disable)
		for (int i = 0; i < ST_PART_STEPS && !end; i++) {
			st_unwind_uprobes(slot_index);
			end = st_unwind_step(slot_index);
		}
		return end;
	}
#pragma clang loop unroll(disable)
	for (int i = 0; i < ST_PART_STEPS && !end; i++)
		end = st_unwind_step(slot_index);
	return end;
}

__noinline int st_unwind_part(__u32 slot_index)
{
	struct st_slot *slot = st_unwind_slot(slot_index);
	__u32 in_uprobes;
	int end = 0;

	if (!slot)
		return ST_END_NO_PROCESS;
	in_uprobes = slot->unwind.in_uprobes;
	if (ST_WALKS_PYTHON) {
#pragma clang loop unroll(disable)
		for (int i = 0; i < ST_PART_STEPS && !end; i++)
			end = st_python_few(slot_index, in_uprobes);
		return end;
	}
#pragma clang loop unroll(disable)
	for (int i = 0; i < ST_PART_STEPS && !end; i++)
		end = st_unwind_few(slot_index, in_uprobes);
	return end;
}

/*
 * Reads the registers with which the task left user mode. Returns -1 if it has none. In a system call, pc is treated as a return address,
 * because it is after the instruction.
 */
static __always_inline int st_begin_registers(struct st_unwind *unwind)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();

	if (!unwind->has_registers && !BPF_CORE_READ(task, mm))
		return -1;
	if ((int)bpf_probe_read_kernel(unwind->registers, sizeof(unwind->registers), st_task_registers(task)))
		return -1;
	if ((unwind->registers[ST_PT_CS] & 3) != 3)
		return -1;
	unwind->is_call = !unwind->has_registers && unwind->registers[ST_PT_ORIG_AX] != ~0ULL;
	st_begin_at_registers(unwind);
	return 0;
}

/* Whether the kernel must walk: 32-bit code, or a kernel thread that uses the memory of a process (io_uring). */
static __always_inline int st_is_for_kernel(const struct st_unwind *unwind)
{
	return (__u16)unwind->registers[ST_PT_CS] != ST_CS_USER_64 || !unwind->pc;
}

/* The space of a process; 0 if none is known for this start time and exec id. The first event of a process sets them if they are 0. */
__noinline __u64 st_unwind_space(__u32 tgid, __u64 start_time_ns, __u64 exec_id)
{
	struct st_unwind_process *process;
	__u64 space;

#ifdef ST_KNOWS_NO_PROCESS
	tgid |= 1u << 31; /* uses the argument: an unused one is not passed, and the verifier refuses the call */
#endif
	process = st_config.unwind ? bpf_map_lookup_elem(&st_processes, &tgid) : 0;
	if (!process)
		return 0;
	if (!process->exec_id)
		process->exec_id = exec_id;
	if (!process->start_time_ns)
		process->start_time_ns = start_time_ns;
	if (exec_id && process->exec_id != exec_id)
		return 0;
	if (start_time_ns && process->start_time_ns != start_time_ns)
		return 0;
	space = *(volatile __u64 *)&process->space;
	return *(volatile __u32 *)&process->tgid == tgid ? space : 0;
}

/* The space of the parent, for a process that has just been forked: it has the same mappings until one of the two calls exec(). */
static __always_inline __u64 st_space_of_parent(__u64 exec_id)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task(), *parent;

	if (st_config.pidns_inode || !exec_id)
		return 0;
	parent = BPF_CORE_READ(task, real_parent);
	if (BPF_CORE_READ(parent, self_exec_id) != exec_id)
		return 0;
	return st_unwind_space(BPF_CORE_READ(parent, tgid), 0, exec_id);
}

static __always_inline void st_end_walk(const struct st_unwind *unwind, struct st_stack_head *head, int end)
{
	head->nr_user = unwind->at - head->nr_kernel;
	head->user_status = end >= ST_END_TRUNCATED ? STACK_TRUNCATED : STACK_OK;
	head->guess = st_guess_in_record(unwind, head);
	if (head->guess && end == ST_END_ROOT)
		end = ST_END_GUESSED;
	if (unwind->space)
		head->user_end = end;
	if (unwind->leaf_by_frame)
		head->flags |= ST_STACK_LEAF_BY_FRAME;
}

/* Prepares the walk: space and registers. Returns -1 if the kernel must walk the stack. */
static __always_inline int st_unwind_place(struct st_slot *slot, __u32 slot_index)
{
	struct st_unwind *unwind = &slot->unwind;
	struct st_stack_head *head = &slot->stack.head;
	__u64 uprobe_task;

	unwind->space = st_unwind_space(unwind->tgid, head->start_time_ns, head->exec_id);
	if (!unwind->space)
		unwind->space = st_space_of_parent(head->exec_id);
	if (!unwind->space)
		head->user_end = st_config.unwind == ST_UNWIND_TABLES ? ST_END_NO_TABLE : ST_END_NO_PROCESS;
	if (st_begin_registers(unwind))
		return -1;
	if (unwind->space && unwind->registers[ST_PT_CS] == ST_CS_USER_32) {
		head->user_end = ST_END_NOT_64BIT;
		return -1;
	}
	if (!unwind->space && st_config.unwind != ST_UNWIND_TABLES && st_is_for_kernel(unwind))
		return -1;
	unwind->slot = slot_index;
	unwind->at = head->nr_kernel;
	unwind->until = unwind->at + ST_MAX_FRAMES;
	unwind->nr_outer = unwind->outer_until = 0;
	uprobe_task = st_uprobe_task();
	unwind->in_uprobes = uprobe_task != 0;
	unwind->is_place = head->program != PROGRAM_UPROBE; /* uprobe programs get the original pc from the kernel */
	if (uprobe_task) {
		st_uprobes_begin(slot_index, uprobe_task);
		st_unwind_uprobes(slot_index);
	}
	if (!unwind->is_call)
		head->flags |= ST_STACK_LEAF_EXACT;
	return 0;
}

__noinline int st_unwind_first(__u32 slot_index)
{
	struct st_slot *slot = st_unwind_slot(slot_index);
	int end;

	if (!slot || st_unwind_place(slot, slot_index))
		return -1;
	if (slot->unwind.in_uprobes)
		st_unwind_uprobes(slot_index);
	if (ST_WALKS_PYTHON)
		st_python_note(slot_index);
	end = st_unwind_step(slot_index);
	if (slot->unwind.space)
		slot->unwind.leaf_by_frame = slot->unwind.by_frame;
	return end;
}

__noinline int st_unwind_end(__u32 slot_index, int end)
{
	struct st_slot *slot = st_unwind_slot(slot_index);
	int language = 0;

	if (!slot)
		return 0;
	if (ST_WALKS_PYTHON)
		st_python_note(slot_index);
	if (slot->unwind.at == slot->unwind.until)
		end = st_unwind_join(slot_index, end);
	st_end_walk(&slot->unwind, &slot->stack.head, end);
	if (ST_WALKS)
		language = st_interpreter_find(slot_index);
	if (ST_WALKS_PYTHON && language == ST_LANGUAGE_PYTHON)
		st_python_walk(slot_index);
	if (ST_WALKS_PHP && language == ST_LANGUAGE_PHP)
		st_php_walk(slot_index);
	return 1;
}

#else

__noinline int st_unwind_first(__u32 slot_index)
{
	return -1;
}

__noinline int st_unwind_part(__u32 slot_index)
{
	return -1;
}

__noinline int st_unwind_end(__u32 slot_index, int end)
{
	return 0;
}

#endif
