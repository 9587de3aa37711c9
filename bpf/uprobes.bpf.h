/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a thread really is while a uprobe has moved it. docs/internals/unwinding.md, "Under uprobes", has the states.
 *
 * Whatever probe the thread is in, the kernel knows the way back: it keeps it in task->utask. Only that of the
 * current task is read, without faults; a program may interrupt the kernel while it changes or frees what is read
 * here, so nothing of it is followed without end and nothing is believed that does not fit what lies on the user's
 * stack. All of it takes bpf_probe_read_kernel() and bpf_probe_read_user(), as the two walks do.
 *
 * Each takes the state of a walk from st_slot.uprobes, and is a global function as st_hash().
 *
 * The longest chain of calls in bpf/ ends here, and has the 8 frames that the verifier allows: a program,
 * st_unwind_walk(), _part(), _step(), st_unwind_uprobes(), st_uprobes_return(), _find(), _part().
 */
#pragma once

#include "bpf/arch.bpf.h"
#include "bpf/scratch.bpf.h"

/* The kernel's struct uprobe_task of the current task; 0 when it has never met a uprobe. */
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

/* Begins a walk: reads what the kernel knows, from st_uprobe_task(). */
int st_uprobes_begin(__u32 slot_index, __u64 uprobe_task);

enum st_uprobes_leaf {
	ST_LEAF_TRUE = 0, /* the thread is where its registers say */
	ST_LEAF_MOVED, /* it is at `pc`, with the stack pointer `sp`: both are replaced */
	ST_LEAF_LOST, /* it returns to an address that nobody knows: no frame pointer leads to the direct caller */
	ST_LEAF_AT_BREAKPOINT, /* as `ST_LEAF_TRUE`, but the kernel may have done already what stood there: a push */
	ST_LEAF_AFTER_BREAKPOINT, /* likewise, or it is one byte before: the kernel has not seen the breakpoint yet */
};

/*
 * Where the thread is, by the registers `pc` and `sp` with which it left user mode; `in_kernel`: and it is still in
 * the kernel. An enum st_uprobes_leaf; the last two only of threads in the kernel.
 */
int st_uprobes_leaf(__u32 slot_index);

/*
 * The true return address for `pc`, which lies at the user address `sp`. 0 when that is it; 1 when `pc` is it now; -1
 * when a return probe has replaced it and it is not known: `pc` is then one byte in the kernel's page. Asked in the
 * order of the stack, from its top.
 */
int st_uprobes_return(__u32 slot_index);

/*
 * Before a function has set up its frame, the frame pointer `bp` is its caller's. 1 when that is seen from the code
 * at `pc`: then `sp` is where the return address lies.
 */
int st_uprobes_prologue(__u32 slot_index);
