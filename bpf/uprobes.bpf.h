/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Corrects the place of a thread that a uprobe, of any tracer, has moved. docs/internals/unwinding.md, "Under uprobes", has the states.
 *
 * task->utask has what the kernel needs to bring the thread back. It is read without faults, for the current task only. A program may
 * interrupt the kernel while it changes or frees these structures. So all loops are bounded, and results must fit the user stack.
 * bpf_probe_read_kernel() and bpf_probe_read_user() must be allowed.
 *
 * The functions read and write st_slot.uprobes. They are global functions like st_hash().
 *
 * The verifier allows chains of 8 calls. One has 7 and ends here: a program, st_unwind_part(), _few(), _uprobes(), st_uprobes_return(),
 * _find(), _part(). One has 8: a program, st_unwind_part(), _few(), _step(), _by_frame(), _search(), _returns(), _map().
 */
#pragma once

#include "bpf/arch.bpf.h"
#include "bpf/scratch.bpf.h"

/* The kernel's struct uprobe_task of the current task; 0: it has never hit a uprobe. */
static __always_inline __u64 st_uprobe_task(void)
{
	struct task_struct *task = 0;

	if (!bpf_core_field_exists(task->utask))
		return 0;
	if (st_config.task_access == TASK_ACCESS_BTF) {
		task = (struct task_struct *)bpf_get_current_task_btf();
		return (__u64)task->utask;
	}
	task = (struct task_struct *)bpf_get_current_task();
	return (__u64)BPF_CORE_READ(task, utask);
}

/* Begins a walk. `uprobe_task`: result of st_uprobe_task(). */
int st_uprobes_begin(__u32 slot_index, __u64 uprobe_task);

enum st_uprobes_leaf {
	ST_LEAF_TRUE = 0, /* the registers are right */
	ST_LEAF_MOVED, /* `pc` and `sp` have been corrected */
	ST_LEAF_LOST, /* the thread returns to an unknown address; a frame pointer would skip the direct caller */
	ST_LEAF_AT_BREAKPOINT, /* `pc` is right, but the kernel may have emulated the push there already */
	ST_LEAF_AFTER_BREAKPOINT, /* `pc` is right, or one byte too high because the kernel has not handled the breakpoint yet */
};

/*
 * Corrects `pc` and `sp`, the registers with which the thread left user mode; `in_kernel` must be set. Returns an enum st_uprobes_leaf, the
 * last two only with `in_kernel`.
 */
int st_uprobes_leaf(__u32 slot_index);

/*
 * Corrects the return address `pc`, which is at the user address `sp`. Call it in the order of the stack, leaf first. Returns 0: it was
 * right; 1: corrected; -1: a return probe has replaced it, and the original is unknown. Then `pc` is the second byte of the trampoline.
 */
int st_uprobes_return(__u32 slot_index);

/*
 * Before a function has set up its frame, and after it has removed it, the frame pointer `bp` is its caller's. Returns 1 if the code at
 * `pc` shows that; then `sp` is the address of the return address `caller`.
 */
int st_uprobes_prologue(__u32 slot_index);
