/* SPDX-License-Identifier: GPL-2.0-or-later */
/* User stacks by frame pointers, read in large pieces (bpf/frames.bpf.c). */
#pragma once

#include "bpf/uprobes.bpf.h"

/*
 * Walks the user stack of the current task and adds at most 127 frames to the slot's record, after the kernel frames. Sets nr_user and
 * user_status. Call st_frames_prepare() first. Returns 0 if the kernel must walk the stack: the task has no user registers, runs 32-bit
 * code, or has not hit uprobes and only_uprobes is set.
 */
int st_walk_frames(__u32 slot_index);

/* Samples and user probes pass the user registers to bpf_get_stack(), so the kernel walks their stacks, unless the task has hit uprobes. */
static __always_inline void st_frames_prepare(void *ctx, struct st_frames *walk, __u8 program)
{
	walk->has_registers = 0;
	walk->in_uprobes = 0;
	walk->only_uprobes = program == PROGRAM_SAMPLE || program == PROGRAM_UPROBE;
	if (walk->only_uprobes)
		walk->has_registers = st_is_in_user_mode(ctx);
}
