/* SPDX-License-Identifier: GPL-2.0-or-later */
/* User stacks by frame pointers, read in large pieces (bpf/frames.bpf.c). */
#pragma once

#include "bpf/uprobes.bpf.h"

/*
 * Walks the user stack of the current task, from where it left user mode, and adds at most 127 frames to the slot's record after its
 * kernel frames. Sets nr_user and user_status. To be called after st_frames_prepare(). Returns 0 if the kernel must walk the stack: the
 * task has no user registers or runs 32-bit code, or st_frames.only_uprobes forbids the walk. A global function like st_hash().
 */
int st_walk_frames(__u32 slot_index);

/* Samples and user probes have their own registers, so the kernel walks their stacks, unless the task has hit uprobes. */
static __always_inline void st_frames_prepare(void *ctx, struct st_frames *walk, __u8 program)
{
	walk->has_registers = 0;
	walk->in_uprobes = 0;
	walk->only_uprobes = program == PROGRAM_SAMPLE || program == PROGRAM_UPROBE;
	if (walk->only_uprobes)
		walk->has_registers = st_is_in_user_mode(ctx);
}
