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

/* The leaf. 0, or -1 when the kernel is to walk. */
int st_walk_begin(__u32 slot_index);

/* The leaf of a task that has met uprobes. 1 when its direct caller follows it, which frame pointers leave out. */
int st_walk_leaf(__u32 slot_index);

/* Puts the true address in the place of the return address that was stored last. */
int st_walk_return(__u32 slot_index);

/*
 * Reads what begins at a frame: half a kilobyte, or what is left of the page when the next one is not there. 0 or -1.
 */
int st_walk_read(__u32 slot_index);

/* Some frames more: 0 to go on. */
int st_walk_part(__u32 slot_index);

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
