/* SPDX-License-Identifier: GPL-2.0-or-later */
/* User stacks by unwind tables (bpf/unwind.bpf.c). */
#pragma once

#include "bpf/frames.bpf.h"

#define ST_PART_STEPS 13
_Static_assert(ST_DEEPEST / ST_PART_STEPS / ST_PART_STEPS < ST_PART_STEPS, "three loops");

/* Global functions like st_hash(), for st_unwind_walk(). Takes the first frame; -1: the kernel must walk the stack. */
int st_unwind_first(__u32 slot_index);
/* Takes ST_PART_STEPS * ST_PART_STEPS more frames. Returns 0, or the enum st_stack_end of the walk. */
int st_unwind_part(__u32 slot_index);
int st_unwind_end(__u32 slot_index, int end);

/*
 * Walks the user stack, adds its frames to the slot's record after the kernel frames, and sets nr_user, user_status and user_end. The
 * record must have its start time and exec id. Call st_unwind_begin() first. Walks by frame pointers if the process is not known yet.
 * Returns 0 if the kernel must walk the stack.
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

/* Sets how many frames this CPU may still walk after the record is full. */
int st_unwind_deepen(__u32 slot_index);

/*
 * Completes a walk that has filled the record. If the walk reached the root or another end, puts the outermost frames after the innermost
 * ST_INNER_FRAMES. Returns the enum st_stack_end: ST_END_DEEP if the walk was cut for its cost.
 */
int st_unwind_join(__u32 slot_index, int end);

/* Counts the elided frames of the slot's record in st_depths. */
int st_unwind_note_depth(__u32 slot_index);

/* Python frames (bpf/python.bpf.c), only with ST_WALKS_PYTHON. Notes the stack pointer of the next user frame. */
int st_python_note(__u32 slot_index);

/* Like st_unwind_few(), with st_python_note() before each step. */
int st_python_few(__u32 slot_index, __u32 in_uprobes);

/* Only with ST_WALKS: the enum st_language of the process, whose layout is then in the walk of the slot; 0: no interpreter is known. */
int st_interpreter_find(__u32 slot_index);

/* After that and the walk of the user frames: adds the frames of the interpreter to the record. */
int st_python_walk(__u32 slot_index);
int st_php_walk(__u32 slot_index);

/* Finds the rule for the current pc and caches it. If there is none, returns the enum st_stack_end of the walk. */
int st_unwind_find(__u32 slot_index);

/* Reads a word of the stack into st_unwind.word, for rare cases. Returns 0 or -1. */
int st_unwind_word(__u32 slot_index, __u64 address);

/* One step of the walk: unwind_step.h. */
int st_unwind_step(__u32 slot_index);

/* For a task that has hit uprobes: corrects `pc` (unwind_uprobes.bpf.c). */
int st_unwind_uprobes(__u32 slot_index);

/* NULL without tables: the maps do not exist then, and before 6.8 the verifier follows functions that nobody calls too. */
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
