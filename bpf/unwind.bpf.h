/* SPDX-License-Identifier: GPL-2.0-or-later */
/* User stacks by unwind tables (bpf/unwind.bpf.c). */
#pragma once

#include "bpf/frames.bpf.h"

#define ST_PART_STEPS 13
_Static_assert(ST_DEEPEST / ST_PART_STEPS / ST_PART_STEPS < ST_PART_STEPS, "three loops");

/* Global functions like st_hash(), for st_unwind_walk(). The first frame; -1: the kernel must walk the stack. */
int st_unwind_first(__u32 slot_index);
/* ST_PART_STEPS * ST_PART_STEPS frames more. 0, or the enum st_stack_end with which the walk ends. */
int st_unwind_part(__u32 slot_index);
int st_unwind_end(__u32 slot_index, int end);

/*
 * Walks the user stack, adds its frames to the slot's record after the kernel frames, and sets nr_user, user_status and user_end. The
 * record must have its start time and exec id. To be called after st_unwind_begin(). If nothing is known of the process, it walks by
 * frame pointers, as the kernel does. Returns 0 if the kernel must walk the stack.
 */
static __always_inline int st_unwind_walk(__u32 slot_index)
{
	int end = st_unwind_first(slot_index);

	if (end < 0)
		return 0;
#pragma clang loop unroll(disable)
	for (int i = 0; i < ST_PART_STEPS && !end; i++)
		end = st_unwind_part(slot_index);
	return st_unwind_end(slot_index, end);
}

/* The walk has filled the record: sets how many frames more it may walk on this CPU. */
int st_unwind_deepen(__u32 slot_index);

/*
 * After a walk that has filled the record. If it has reached an end, puts the outermost frames after the innermost ST_INNER_FRAMES.
 * Returns the enum st_stack_end, which is ST_END_DEEP if the walk was cut for its cost.
 */
int st_unwind_join(__u32 slot_index, int end);

/* Notes the number of elided frames of the slot's record, by its id. */
int st_unwind_note_depth(__u32 slot_index);

/* Python frames (bpf/python.bpf.c), only with ST_WALKS_PYTHON: notes the stack pointer of the user frame that is stored next. */
int st_python_note(__u32 slot_index);

/* Like st_unwind_few(), with a note before each step. */
int st_python_few(__u32 slot_index, __u32 in_uprobes);

/* After the walk of the user frames: adds the Python frames of the thread to the record. */
int st_python_walk(__u32 slot_index);

/* Finds the rule for the current pc and caches it. Returns the enum st_stack_end with which the walk ends if there is no rule. */
int st_unwind_find(__u32 slot_index);

/* Reads a word of the stack into st_unwind.word, for code that rarely runs. 0 or -1. */
int st_unwind_word(__u32 slot_index, __u64 address);

/* One frame of the walk: unwind_step.h. */
int st_unwind_step(__u32 slot_index);

/* For a task that has hit uprobes: replaces `pc` by the true pc or return address (unwind_uprobes.bpf.c). */
int st_unwind_uprobes(__u32 slot_index);

/* The slot; NULL if no tables are used: the maps do not exist then, and before 6.8 the verifier follows functions that nobody calls. */
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
