/* SPDX-License-Identifier: GPL-2.0-or-later */
/* User stacks by frame pointers, read in large pieces: what the programs see of it. The walk is bpf/frames.bpf.c. */
#pragma once

#include "bpf/scratch.bpf.h"

/*
 * Walks the user stack of the current task into the record of the slot, behind its kernel frames, from where the task left
 * user mode, and writes nr_user and user_status. Returns 0 when the walk is left to the kernel: the task has no user
 * registers, runs 32-bit code, or has met uprobes. 127 frames whatever kernel.perf_event_max_stack says. A global function as
 * st_hash().
 */
int st_walk_frames(__u32 slot_index);

/* Some frames more: 0 to go on. */
int st_walk_part(__u32 slot_index);
