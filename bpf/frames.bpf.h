/* SPDX-License-Identifier: GPL-2.0-or-later */
/* User stacks by frame pointers, read in large pieces: what the programs see of it. The walk is bpf/frames.bpf.c. */
#pragma once

#include "bpf/uprobes.bpf.h"

/*
 * Walks the user stack of the current task into the record of the slot, behind its kernel frames, from where the task
 * left user mode, and writes nr_user and user_status. st_frames_prepare() has prepared it. Returns 0 when the walk is
 * left to the kernel: the task has no user registers, runs 32-bit code, or is not for us. 127 frames whatever
 * kernel.perf_event_max_stack says. A global function as st_hash().
 */
int st_walk_frames(__u32 slot_index);

/*
 * Samples and user probes have registers of their own, which the kernel's walk begins with: it is left to the kernel
 * but where the task has met uprobes.
 */
static __always_inline void st_frames_prepare(void *ctx, struct st_frames *walk, __u8 program)
{
	walk->has_registers = 0;
	walk->in_uprobes = 0;
	walk->only_uprobes = program == PROGRAM_SAMPLE || program == PROGRAM_UPROBE;
	if (walk->only_uprobes)
		walk->has_registers = st_is_in_user_mode(ctx);
}
