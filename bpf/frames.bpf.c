// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The walk of a user stack by frame pointers: the frames that bpf_get_stack() gives, for less.
 *
 * The kernel reads two words for each frame, each with a switch of the access to user memory, and takes a page fault at the
 * end of the chain, where the frame pointer is 0. Here one read brings half a kilobyte, and nothing is read in the first page.
 * docs/benchmarks.md has what that is worth.
 *
 * In parts, each a global function: the verifier looks at a few frames instead of at all 127.
 */
#include "bpf/frames.bpf.h"

#if defined(__TARGET_ARCH_x86)

#define ST_PART_FRAMES 4
#define ST_FRAME_BYTES 16
#define ST_WINDOW_BYTES (8 * ST_WINDOW_WORDS)

/*
 * A task that has met a uprobe is left to the kernel, which knows what return addresses return probes have replaced on its
 * stack (commit 4a365eb8a6d9 ("perf,uprobes: fix user stack traces in the presence of pending uretprobes"), v6.11).
 */
static __always_inline int st_is_for_kernel(void)
{
	struct task_struct *task;

	if (st_config.task_access == ST_TASK_BTF) {
		task = (struct task_struct *)bpf_get_current_task_btf();
		return !task->mm || (bpf_core_field_exists(task->utask) && task->utask);
	}
	task = (struct task_struct *)bpf_get_current_task();
	return !BPF_CORE_READ(task, mm) || (bpf_core_field_exists(task->utask) && BPF_CORE_READ(task, utask));
}

/* Where, and how, the task left user mode. 0, or -1 when the kernel is to find out. */
static __always_inline int st_frames_begin(struct st_frames *walk, struct st_stack_head *head, __u64 *ret_pc)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	__u64 registers[ST_PT_CS + 1 - ST_PT_BP], code_segment;

	if (st_is_for_kernel())
		return -1;
	if ((int)bpf_probe_read_kernel(registers, sizeof(registers), st_task_registers(task) + 8 * ST_PT_BP))
		return -1;
	code_segment = registers[ST_PT_CS - ST_PT_BP];
	*ret_pc = registers[ST_PT_IP - ST_PT_BP];
	if ((__u16)code_segment != ST_CS_USER_64)
		return -1;
	if (!*ret_pc) /* a thread of the kernel that borrows a process (io_uring) */
		return -1;
	if (registers[ST_PT_ORIG_AX - ST_PT_BP] == ~0ULL)
		head->flags |= ST_STACK_LEAF_EXACT;
	walk->frame = registers[0];
	walk->room = 0;
	return 0;
}

/* Reads what begins at a frame: half a kilobyte, or what is left of the page when the next one is not there. 0 or -1. */
static __always_inline int st_read_window(struct st_frames *walk)
{
	__u64 frame = walk->frame, bytes = ST_WINDOW_BYTES;

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
 * One frame: its return address becomes part of the record. 0, or -1 at the end of the chain. What is known is read from memory
 * again and again: so all ways to here look alike to the verifier.
 */
static __always_inline int st_walk_step(struct st_slot *slot)
{
	struct st_frames *walk = &slot->walk;
	__u32 at = walk->at;
	__u64 place;

	if (!st_is_in_window(walk) && st_read_window(walk))
		return -1;
	place = (walk->frame - *(volatile __u64 *)&walk->window_at) >> 3 & (ST_WINDOW_WORDS - 1);
	if (at >= walk->until || at >= 2 * ST_MAX_FRAMES)
		return -1;
	st_opaque(at); /* what is compared is what is used */
	slot->stack.frames[at] = walk->window[place + 1];
	walk->at = at + 1;
	walk->frame = walk->window[place];
	return 0;
}

__attribute__((noinline)) int st_walk_part(__u32 slot_index)
{
	struct st_slot *slot = st_config.walk_frames ? st_slot_at(slot_index) : 0;

	if (!slot)
		return -1;
	for (int i = 0; i < ST_PART_FRAMES; i++)
		if (st_walk_step(slot))
			return -1;
	return 0;
}

__attribute__((noinline)) int st_walk_frames(__u32 slot_index)
{
	struct st_slot *slot = st_config.walk_frames ? st_slot_at(slot_index) : 0;
	struct st_stack_head *head;
	__u64 pc = 0;
	__u32 first;

	if (!slot)
		return 0;
	head = &slot->stack.head;
	first = head->nr_kernel;
	if (first > ST_MAX_FRAMES || st_frames_begin(&slot->walk, head, &pc))
		return 0;
	slot->stack.frames[first] = pc;
	slot->walk.at = first + 1;
	slot->walk.until = first + ST_MAX_FRAMES;
	for (int i = 0; i < ST_MAX_FRAMES; i += ST_PART_FRAMES)
		if (st_walk_part(slot_index))
			break;
	head->nr_user = slot->walk.at - first;
	head->user_status = head->nr_user == ST_MAX_FRAMES ? ST_STACK_TRUNCATED : ST_STACK_OK;
	return 1;
}

#else

__attribute__((noinline)) int st_walk_part(__u32 slot_index)
{
	return -1;
}

__attribute__((noinline)) int st_walk_frames(__u32 slot_index)
{
	return 0;
}

#endif
