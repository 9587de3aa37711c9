// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * User stacks of more than ST_MAX_FRAMES frames: docs/internals/unwinding.md, "Deep stacks".
 *
 * A walk fills the record first and puts further frames into a ring, which keeps the last ones. At the root, these replace the frames of
 * the record after the innermost ST_INNER_FRAMES.
 */
#include "bpf/unwind.bpf.h"

#define ST_PART_MOVES 9
_Static_assert((ST_MAX_FRAMES - ST_INNER_FRAMES) % ST_PART_MOVES == 0, "whole parts");

static __always_inline struct st_deep *st_deep_of_cpu(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&st_deep, &zero);
}

__noinline int st_unwind_deepen(__u32 slot_index)
{
	struct st_slot *slot = st_unwind_slot(slot_index);
	__u64 window = bpf_ktime_get_ns() >> ST_DEEP_SHIFT, left;
	struct st_deep *deep;

	if (!slot)
		return 0;
	deep = st_deep_of_cpu();
	if (!deep)
		return 0;
	if (deep->window != window) {
		deep->window = window;
		deep->frames = 0;
	}
	left = deep->frames < ST_DEEP_FRAMES ? ST_DEEP_FRAMES - deep->frames : 0;
	slot->unwind.outer_until = left < ST_OUTER_FRAMES_MAX ? left : ST_OUTER_FRAMES_MAX;
	return 0;
}

/* Moves one of the outermost frames to its place in the record. */
__noinline int st_unwind_move(__u32 slot_index, __u32 place)
{
	struct st_slot *slot = st_unwind_slot(slot_index);
	__u32 from, at;
	__u64 pc;

	if (!slot)
		return 0;
	from = place + slot->unwind.nr_outer;
	if (from < ST_MAX_FRAMES) {
		from += slot->stack.head.nr_kernel;
		if (from >= 2 * ST_MAX_FRAMES)
			return 0;
		pc = slot->stack.frames[from];
	} else {
		pc = slot->unwind.outer[(from - ST_MAX_FRAMES) & (ST_OUTER_RING - 1)];
	}
	at = slot->stack.head.nr_kernel + place;
	if (at >= 2 * ST_MAX_FRAMES)
		return 0;
	slot->stack.frames[at] = pc;
	return 0;
}

/* Moves ST_PART_MOVES of them: the verifier follows these instead of all. */
__noinline int st_unwind_move_part(__u32 slot_index, __u32 place)
{
#pragma clang loop unroll(disable)
	for (int i = 0; i < ST_PART_MOVES; i++)
		st_unwind_move(slot_index, place + i);
	return 0;
}

__noinline int st_unwind_join(__u32 slot_index, int end)
{
	struct st_slot *slot = st_unwind_slot(slot_index);
	struct st_deep *deep;

	if (!slot)
		return end;
	deep = st_deep_of_cpu();
	if (deep)
		deep->frames += slot->unwind.nr_outer;
	if (end == ST_END_TRUNCATED)
		return slot->unwind.outer_until < ST_OUTER_FRAMES_MAX ? ST_END_DEEP : ST_END_TRUNCATED;
	if (!slot->unwind.nr_outer)
		return end;
	slot->stack.head.elided = slot->unwind.nr_outer;
	slot->stack.head.flags |= ST_STACK_ELIDED;
#pragma clang loop unroll(disable)
	for (__u32 place = ST_INNER_FRAMES; place < ST_MAX_FRAMES; place += ST_PART_MOVES)
		st_unwind_move_part(slot_index, place);
	return end;
}

/* If two CPUs change an entry at once, the number of one of them is lost until the next event of that depth. */
__noinline int st_unwind_note_depth(__u32 slot_index)
{
	struct st_slot *slot = st_unwind_slot(slot_index);
	struct st_depth *depth, first = {};

	if (!slot)
		return 0;
	depth = bpf_map_lookup_elem(&st_depths, &slot->stack.head.id);
	if (!depth) {
		first.least = first.most = slot->stack.head.elided;
		bpf_map_update_elem(&st_depths, &slot->stack.head.id, &first, BPF_NOEXIST);
		depth = bpf_map_lookup_elem(&st_depths, &slot->stack.head.id);
	}
	if (!depth)
		return 0;
	if (slot->stack.head.elided < depth->least)
		depth->least = slot->stack.head.elided;
	if (slot->stack.head.elided > depth->most)
		depth->most = slot->stack.head.elided;
	return 0;
}
