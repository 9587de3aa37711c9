/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * User stacks from unwind tables: what the programs see of it. The walk is bpf/unwind.bpf.c.
 */
#pragma once

#include "bpf/frames.bpf.h"

/*
 * Walks the user stack into the record of the slot, behind its kernel frames, and writes nr_user, user_status and
 * user_end. The record has its start time and exec id; st_unwind_begin() has prepared the rest. A process of which
 * nothing is known is walked by frame pointers, as the kernel does, and user_end says why. Returns 0 when the walk is
 * left to the kernel. A global function as st_hash().
 */
int st_unwind_walk(__u32 slot_index);

/*
 * Finds the rule for where the walk is, and remembers it. Returns the enum st_stack_end that the walk has come to
 * when the rule turns out to be none.
 */
int st_unwind_find(__u32 slot_index);

/* A word of the stack, into `word`, for where it is read seldom. 0 or -1. */
int st_unwind_word(__u32 slot_index, __u64 address);

/*
 * For a task that has met uprobes: puts the true place, or return address, in the place of `pc`
 * (unwind_uprobes.bpf.c).
 */
int st_unwind_uprobes(__u32 slot_index);

/*
 * NULL where nobody walks by tables: then the maps are not there. Before 6.8 the verifier looks at functions that
 * nobody calls.
 */
static __always_inline struct st_slot *st_unwind_slot(__u32 slot_index)
{
	return st_config.unwind ? st_slot_at(slot_index) : 0;
}

static __always_inline void st_unwind_begin(void *ctx, __u8 program, struct st_unwind *unwind, __u32 tgid)
{
	unwind->tgid = tgid;
	unwind->has_registers = 0;
	if (program == PROGRAM_SAMPLE || program == PROGRAM_UPROBE)
		unwind->has_registers = st_is_in_user_mode(ctx);
}
