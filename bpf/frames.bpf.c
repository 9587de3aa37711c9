// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The walk of a user stack by frame pointers. It finds the same frames as bpf_get_stack().
 *
 * bpf_get_stack() reads two words per frame, switches the access to user memory for each, and takes a page fault at the frame pointer 0
 * that ends the chain. This walk reads half a kilobyte at once and nothing in the first page (docs/internals/benchmarks.md has the gain).
 *
 * It consists of parts, each a global function, so that the verifier follows a few frames instead of 127.
 */
#include "bpf/frames.bpf.h"

#if defined(__TARGET_ARCH_x86)

#define ST_PART_FRAMES 8
#define ST_FRAME_BYTES 16
#define ST_WINDOW_BYTES (8 * ST_WINDOW_WORDS)

/* NULL if this walk is not used: before 6.8 the verifier follows functions that nobody calls too, and NULL keeps these short. */
static __always_inline struct st_slot *st_frames_slot(__u32 slot_index)
{
	return st_config.walk_frames && !st_config.unwind ? st_slot_at(slot_index) : 0;
}

static __always_inline int st_has_user_memory(void)
{
	struct task_struct *task;

	if (st_config.task_access == TASK_ACCESS_BTF) {
		task = (struct task_struct *)bpf_get_current_task_btf();
		return task->mm != 0;
	}
	task = (struct task_struct *)bpf_get_current_task();
	return BPF_CORE_READ(task, mm) != 0;
}

/* Reads the registers with which the task left user mode. Returns -1 if it has none. */
static __always_inline int st_frames_registers(struct st_frames *walk, struct st_stack_head *head)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	__u64 *registers = walk->window; /* free at this point */

	if (!st_has_user_memory() || (int)bpf_probe_read_kernel(registers, 8 * (ST_PT_SP + 1 - ST_PT_BP),
								st_task_registers(task) + 8 * ST_PT_BP))
		return -1;
	walk->frame = registers[0];
	walk->pc = registers[ST_PT_IP - ST_PT_BP];
	walk->sp = registers[ST_PT_SP - ST_PT_BP];
	walk->code_segment = registers[ST_PT_CS - ST_PT_BP];
	if (!walk->has_registers && registers[ST_PT_ORIG_AX - ST_PT_BP] == ~0ULL)
		head->flags |= ST_STACK_LEAF_EXACT;
	return 0;
}

static __always_inline void st_put_frame(struct st_slot *slot, __u64 address)
{
	__u32 at = slot->walk.at;

	if (at >= slot->walk.until || at >= 2 * ST_MAX_FRAMES)
		return;
	st_opaque(at);
	slot->stack.frames[at] = address;
	slot->walk.at = at + 1;
}

/*
 * Moves `pc` back to a breakpoint that the kernel has not handled yet. `pc` stays if the code is a prologue: then the int3 before it stands
 * for a push that has been executed, or is padding before a function.
 */
static __always_inline void st_back_to_breakpoint(struct st_slot *slot, __u32 slot_index)
{
	struct st_uprobes *uprobes = &slot->uprobes;

	if (!st_uprobes_prologue(slot_index))
		uprobes->pc--;
	uprobes->sp = slot->walk.sp;
}

/* Stores the leaf of a task that has hit uprobes. Returns 1 if it also stored the direct caller, which frame pointers would miss. */
__noinline int st_walk_leaf(__u32 slot_index)
{
	struct st_slot *slot = st_frames_slot(slot_index);
	struct st_uprobes *uprobes;
	int leaf = ST_LEAF_TRUE;

	if (!slot)
		return 0;
	uprobes = &slot->uprobes;
	uprobes->pc = slot->walk.pc;
	uprobes->sp = slot->walk.sp;
	uprobes->bp = slot->walk.frame;
	uprobes->in_kernel = !slot->walk.has_registers && slot->stack.head.flags & ST_STACK_LEAF_EXACT;
	if (slot->stack.head.program != PROGRAM_UPROBE)
		leaf = st_uprobes_leaf(slot_index);
	if (leaf == ST_LEAF_AFTER_BREAKPOINT)
		st_back_to_breakpoint(slot, slot_index);
	if (leaf == ST_LEAF_MOVED)
		slot->stack.head.flags |= ST_STACK_LEAF_EXACT;
	slot->walk.at = slot->stack.head.nr_kernel;
	st_put_frame(slot, uprobes->pc);
	/* At the entry of a function, st_note_caller() stores the caller. */
	if (st_config.read_user || !st_uprobes_prologue(slot_index))
		return 0;
	slot->walk.return_at = uprobes->sp;
	st_put_frame(slot, uprobes->caller);
	return 1;
}

/* Replaces the return address that was stored last by the original one, if a return probe has changed it. */
__noinline int st_walk_return(__u32 slot_index)
{
	struct st_slot *slot = st_frames_slot(slot_index);
	__u32 at;

	if (!slot)
		return 0;
	at = slot->walk.at - 1;
	if (at >= 2 * ST_MAX_FRAMES)
		return 0;
	st_opaque(at);
	slot->uprobes.pc = slot->stack.frames[at];
	slot->uprobes.sp = slot->walk.return_at;
	if (st_uprobes_return(slot_index))
		slot->stack.frames[at] = slot->uprobes.pc;
	return 0;
}

/* Stores the leaf. Returns -1 if the kernel must walk the stack. */
static __always_inline int st_walk_begin(__u32 slot_index)
{
	struct st_slot *slot = st_frames_slot(slot_index);
	__u64 uprobe_task = st_uprobe_task();
	struct st_frames *walk;
	__u32 first;

	if (!slot)
		return -1;
	walk = &slot->walk;
	if (walk->only_uprobes && !uprobe_task)
		return -1;
	if (st_frames_registers(walk, &slot->stack.head))
		return -1;
	if ((__u16)walk->code_segment != ST_CS_USER_64)
		return -1;
	if (!walk->pc) /* a kernel thread that uses the memory of a process (io_uring) */
		return -1;
	first = slot->stack.head.nr_kernel;
	if (first > ST_MAX_FRAMES)
		return -1;
	st_opaque(first); /* so that the store uses the register that was compared */
	slot->stack.frames[first] = walk->pc;
	walk->at = first + 1;
	walk->until = first + ST_MAX_FRAMES;
	walk->room = 0;
	if (uprobe_task) {
		walk->in_uprobes = 1;
		st_uprobes_begin(slot_index, uprobe_task);
		if (st_walk_leaf(slot_index))
			st_walk_return(slot_index);
	}
	return 0;
}

/* Fills the window from `frame` on: half a kilobyte, or the rest of the page if the next page cannot be read. Returns 0 or -1. */
__noinline int st_walk_read(__u32 slot_index)
{
	struct st_slot *slot = st_frames_slot(slot_index);
	struct st_frames *walk;
	__u64 frame, bytes = ST_WINDOW_BYTES;

	if (!slot)
		return -1;
	walk = &slot->walk;
	frame = walk->frame;
	walk->room = 0;
	if (frame < ST_PAGE_BYTES)
		return -1;
	if ((int)bpf_probe_read_user(walk->window, ST_WINDOW_BYTES, (void *)frame)) {
		bytes = ST_PAGE_BYTES - (frame & (ST_PAGE_BYTES - 1));
		if (bytes < ST_FRAME_BYTES || bytes >= ST_WINDOW_BYTES)
			return -1;
		if ((int)bpf_probe_read_user(walk->window, bytes, (void *)frame))
			return -1;
	}
	walk->window_at = frame;
	walk->room = bytes - (ST_FRAME_BYTES - 1);
	return 0;
}

static __always_inline int st_is_in_window(const struct st_frames *walk)
{
	__u64 place = walk->frame - walk->window_at;

	return place < walk->room && !(place & 7);
}

/*
 * Adds the return address of one frame to the record. Returns -1 at the end of the chain. All state is read from memory, so that all paths
 * to here are the same to the verifier.
 */
static __always_inline int st_walk_step(struct st_slot *slot, __u32 slot_index)
{
	struct st_frames *walk = &slot->walk;
	__u32 at = walk->at;
	__u64 place;

	if (!st_is_in_window(walk) && st_walk_read(slot_index))
		return -1;
	place = (walk->frame - *(volatile __u64 *)&walk->window_at) >> 3 & (ST_WINDOW_WORDS - 1);
	if (at >= walk->until || at >= 2 * ST_MAX_FRAMES)
		return -1;
	st_opaque(at);
	slot->stack.frames[at] = walk->window[place + 1];
	walk->at = at + 1;
	if (walk->in_uprobes) {
		walk->return_at = walk->frame + 8;
		st_walk_return(slot_index);
	}
	walk->frame = walk->window[place];
	return 0;
}

/* Adds a few frames. Returns -1 at the end of the chain. */
__noinline int st_walk_part(__u32 slot_index)
{
	struct st_slot *slot = st_frames_slot(slot_index);

	if (!slot)
		return -1;
	for (int i = 0; i < ST_PART_FRAMES; i++)
		if (st_walk_step(slot, slot_index))
			return -1;
	return 0;
}

__noinline int st_walk_frames(__u32 slot_index)
{
	struct st_slot *slot = st_frames_slot(slot_index);
	struct st_stack_head *head;

	if (!slot || st_walk_begin(slot_index))
		return 0;
	head = &slot->stack.head;
	for (int i = 0; i < ST_MAX_FRAMES; i += ST_PART_FRAMES)
		if (st_walk_part(slot_index))
			break;
	head->nr_user = slot->walk.at - head->nr_kernel;
	head->user_status = head->nr_user == ST_MAX_FRAMES ? STACK_TRUNCATED : STACK_OK;
	return 1;
}

#else

__noinline int st_walk_frames(__u32 slot_index)
{
	return 0;
}

#endif
