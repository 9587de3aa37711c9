// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The Python frames of the current thread, after the user frames of its record: docs/internals/python.md.
 *
 * The walk is a state machine in a map, so that the verifier follows one step instead of all. A step takes one Python frame, or compares
 * one user frame with the marker of the call from C whose frames have been taken. All memory is the process's and may be forged: reads are
 * bounded, and a code object must have the type of code objects.
 */
#include "bpf/interpreter.bpf.h"

#if defined(__TARGET_ARCH_x86) && !defined(ST_WITHOUT_UNWINDER)

#define ST_PYTHON_NO_PLACE 0xff

__noinline int st_python_note(__u32 slot_index)
{
	struct st_python_walk *walk = st_python_walk_at(slot_index);
	struct st_slot *slot = st_unwind_slot(slot_index);
	__u32 number;

	if (!walk || !slot || slot->unwind.nr_outer)
		return 0;
	number = ST_MAX_FRAMES - slot->unwind.until + slot->unwind.at;
	if (number > ST_MAX_FRAMES)
		return 0;
	st_opaque(number);
	walk->pointers[number & ST_MAX_FRAMES] = slot->unwind.sp;
	return 0;
}

__noinline int st_python_few(__u32 slot_index, __u32 in_uprobes)
{
	int end = 0;

	if (!ST_WALKS_PYTHON)
		return 0;
#pragma clang loop unroll(disable)
	for (int i = 0; i < ST_PART_STEPS && !end; i++) {
		if (in_uprobes)
			st_unwind_uprobes(slot_index);
		st_python_note(slot_index);
		end = st_unwind_step(slot_index);
	}
	return end;
}

/* Adds the frame of the code object at `code` to the record, if the object has the right type. Returns 0 or -1. */
__noinline int st_python_take_code(__u32 slot_index, __u64 code, __u64 instruction)
{
	struct st_python_walk *walk = st_python_walk_at(slot_index);
	struct st_slot *slot = st_unwind_slot(slot_index);
	const __u32 mask = ST_PYTHON_CODE_BYTES - 8;
	__u32 bytes, cookie;

	if (!walk || !slot)
		return -1;
	bytes = walk->python.code_bytes;
	if (bytes > ST_PYTHON_CODE_BYTES || code >> ST_PYTHON_ADDRESS_BITS)
		return st_python_end(slot_index, ST_PYTHON_UNREADABLE);
	if ((int)bpf_probe_read_user(walk->code, bytes, (void *)code) ||
	    st_python_word(walk->code, walk->python.object_type, mask) != walk->python.code_type)
		return st_python_end(slot_index, ST_PYTHON_UNREADABLE);
	cookie =
		st_python_cookie(st_python_word(walk->code, walk->python.code_name, mask),
				 st_python_word(walk->code, walk->python.code_file, mask),
				 st_python_word(walk->code, walk->python.code_lines, mask),
				 *(volatile __u32 *)((__u8 *)walk->code + (walk->python.code_first_line & (mask + 4))));
	if (st_python_put(walk, slot, code, (__u64)cookie << 32 | (__u32)(instruction - code - bytes), 3))
		return st_python_end(slot_index, ST_PYTHON_MORE);
	return 0;
}

/* All frames of a call from C have been taken: starts the search for its marker among the user frames. */
static __always_inline void st_python_mark(struct st_python_walk *walk, __u64 marker, __u64 after)
{
	walk->marker = marker;
	walk->after = after;
	walk->place = walk->from;
	walk->above = ST_PYTHON_NO_PLACE;
}

/* Takes the next frame. Returns -1 at the end of the walk. */
__noinline int st_python_take(__u32 slot_index)
{
	struct st_python_walk *walk = st_python_walk_at(slot_index);
	const __u32 mask = 120;
	__u8 owner, is_entry = 0;
	__u64 frame, previous;

	if (!walk)
		return -1;
	frame = walk->frame;
	if (!frame) /* even the outermost call ends with an entry frame, so the list was being changed */
		return walk->at == walk->first ? -1 : st_python_end(slot_index, ST_PYTHON_UNREADABLE);
	if (frame & 7 || (int)bpf_probe_read_user(walk->window, ST_PYTHON_FRAME_BYTES, (void *)frame))
		return st_python_end(slot_index, ST_PYTHON_UNREADABLE);
	owner = ((volatile __u8 *)walk->window)[walk->python.frame_owner & 127];
	previous = st_python_word(walk->window, walk->python.frame_previous, mask);
	if (walk->python.entry_owner && owner >= walk->python.entry_owner) {
		st_python_mark(walk, walk->cframe ? walk->cframe : frame, previous);
		return 0;
	}
	if (walk->python.frame_is_entry != ST_PYTHON_NONE)
		is_entry = ((volatile __u8 *)walk->window)[walk->python.frame_is_entry & 127];
	if (st_python_take_code(slot_index,
				st_python_word(walk->window, walk->python.frame_code, mask) &
					~(__u64)walk->python.code_tags,
				st_python_word(walk->window, walk->python.frame_instruction, mask)))
		return -1;
	if (is_entry)
		st_python_mark(walk, walk->cframe, previous);
	else
		walk->frame = previous;
	return 0;
}

/* Goes to the caller's _PyCFrame, whose Python frame must be `after`. Returns 0 or -1. */
static __always_inline int st_python_leave_cframe(struct st_python_walk *walk)
{
	__u64 caller, frame;

	if (st_python_read(walk->cframe + walk->python.thread_frame + 8, &caller) || !caller ||
	    st_python_read(caller + walk->python.thread_frame, &frame) || frame != walk->after)
		return -1;
	walk->cframe = caller;
	return 0;
}

/* The offset in the interpreter's loop of a user frame; large if its code is elsewhere. */
static __always_inline __u64 st_python_in_loop(const struct st_python_walk *walk, const struct st_slot *slot,
					       __u32 place)
{
	__u32 at = slot->stack.head.nr_kernel + place;

	if (at >= 2 * ST_MAX_FRAMES)
		return ~0ULL;
	st_opaque(at);
	return slot->stack.frames[at] - walk->python.loop;
}

/*
 * In 3.11 and 3.12 the loop gives its _PyCFrame to the thread before it has filled it. A thread at this code has only the frames of the
 * calling loop, whose _PyCFrame is at the same place of that loop's native frame.
 */
static __always_inline int st_python_is_unfilled(const struct st_python_walk *walk, const struct st_slot *slot,
						 __u32 place)
{
	return st_python_in_loop(walk, slot, place) - walk->python.unfilled < walk->python.unfilled_bytes;
}

/* Checks one user frame: if it is a loop, starts with its Python frames. Returns -1 at the end of the walk. */
__noinline int st_python_seek(__u32 slot_index)
{
	struct st_python_walk *walk = st_python_walk_at(slot_index);
	struct st_slot *slot = st_unwind_slot(slot_index);
	__u32 place;

	if (!walk || !slot)
		return -1;
	place = walk->place;
	if (place >= walk->nr_places) /* no Python called the native code, if the stack is complete */
		return slot->stack.head.user_end == ST_END_ROOT && !walk->is_elided
			       ? -1
			       : st_python_end(slot_index, ST_PYTHON_UNREADABLE);
	walk->place = place + 1;
	if (st_python_in_loop(walk, slot, place) >= walk->python.loop_bytes)
		return 0;
	walk->seeks = 0;
	walk->from = place;
	walk->cframe = walk->pointers[(place + 1) & ST_MAX_FRAMES] - walk->python.cframe_below;
	if (st_python_read(walk->cframe + walk->python.thread_frame, &walk->frame))
		return st_python_end(slot_index, ST_PYTHON_UNREADABLE);
	return 0;
}

/*
 * The marker is in the user frame `place` if `is_found`; else `place` is the first user frame above it. Returns -1 at the end of the walk.
 */
__noinline int st_python_place(__u32 slot_index, __u32 place, __u32 is_found)
{
	struct st_python_walk *walk = st_python_walk_at(slot_index);
	struct st_slot *slot = st_unwind_slot(slot_index);
	__u32 last;

	if (!walk || !slot)
		return -1;
	walk->marker = 0;
	if (walk->is_checked) { /* before the first frame: the _PyCFrame must be filled */
		walk->is_checked = 0;
		if (!is_found)
			place = 0;
		if (!st_python_is_unfilled(walk, slot, place))
			return 0;
		if (!walk->python.cframe_below)
			return st_python_end(slot_index, ST_PYTHON_UNREADABLE);
		walk->seeks = 1;
		walk->place = place + 1;
		return 0;
	}
	if (walk->cframe && st_python_leave_cframe(walk)) {
		slot->stack.head.nr_python -= (walk->at - walk->first) / 2;
		walk->at = walk->first;
		return st_python_end(slot_index, ST_PYTHON_UNREADABLE);
	}
	last = walk->at - 2;
	st_opaque(last);
	if (walk->at > walk->first && last < 2 * ST_MAX_FRAMES) {
		st_opaque(last);
		slot->stack.frames[last] |= ST_PYTHON_FIRST(is_found & 1, (__u8)place);
	}
	if (is_found)
		walk->from = place + 1;
	walk->first = walk->at;
	walk->frame = walk->after;
	return 0;
}

/* Compares the marker with the bounds of one user frame. Returns -1 at the end of the walk. */
__noinline int st_python_compare(__u32 slot_index)
{
	struct st_python_walk *walk = st_python_walk_at(slot_index);
	__u32 place;
	__u64 low, high;

	if (!walk)
		return -1;
	place = walk->place;
	if (place >= walk->nr_places && walk->is_elided && walk->above == ST_PYTHON_NO_PLACE)
		return st_python_end(slot_index, ST_PYTHON_MORE); /* the user frame of the marker was elided */
	if (place >= walk->nr_places)
		return st_python_place(slot_index, walk->above, 0);
	low = walk->pointers[place & ST_MAX_FRAMES];
	high = walk->pointers[(place + 1) & ST_MAX_FRAMES];
	if (low <= walk->marker && walk->marker < high)
		return st_python_place(slot_index, place, 1);
	if (low > walk->marker && walk->above == ST_PYTHON_NO_PLACE)
		walk->above = place;
	walk->place = place + 1;
	return 0;
}

__noinline int st_python_step(__u32 slot_index)
{
	struct st_python_walk *walk = st_python_walk_at(slot_index);

	if (!walk)
		return -1;
	if (walk->seeks)
		return st_python_seek(slot_index);
	return walk->marker ? st_python_compare(slot_index) : st_python_take(slot_index);
}

__noinline int st_python_steps(__u32 slot_index)
{
	if (!ST_WALKS_PYTHON)
		return -1;
#pragma clang loop unroll(disable)
	for (int i = 0; i < ST_PYTHON_STEPS; i++)
		if (st_python_step(slot_index))
			return -1;
	return 0;
}

/* Finds the thread's innermost Python frame. Returns -1 if there is none or if the walk has ended. */
static __always_inline int st_python_begin(struct st_python_walk *walk, struct st_slot *slot, __u32 slot_index)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	__u64 block = BPF_CORE_READ(task, thread.fsbase), thread = 0, word = 0;
	struct st_stack_head *head = &slot->stack.head;

	if (st_python_read(block + walk->python.block_thread, &thread) || !thread)
		return -1; /* a thread without Python */
	if (st_python_read(thread + walk->python.thread_block, &word) || word != block)
		return -1;
	walk->at = walk->first = head->nr_kernel + head->nr_user;
	walk->from = walk->is_checked = walk->seeks = 0;
	walk->marker = walk->cframe = 0;
	walk->is_elided = (head->flags & ST_STACK_ELIDED) != 0;
	walk->nr_places = walk->is_elided ? ST_INNER_FRAMES : head->nr_user;
	if (walk->python.thread_cframe != ST_PYTHON_NONE) {
		if (st_python_read(thread + walk->python.thread_cframe, &thread) || !thread)
			return st_python_end(slot_index, ST_PYTHON_UNREADABLE);
		walk->cframe = thread;
		walk->is_checked = 1;
		st_python_mark(walk, thread, 0);
	}
	if (st_python_read(thread + walk->python.thread_frame, &walk->frame))
		return st_python_end(slot_index, ST_PYTHON_UNREADABLE);
	return 0;
}

__noinline int st_python_walk(__u32 slot_index)
{
	struct st_python_walk *walk = st_python_walk_at(slot_index);
	struct st_slot *slot = st_unwind_slot(slot_index);

	if (!ST_WALKS_PYTHON || !walk || !slot || st_python_begin(walk, slot, slot_index))
		return 0;
#pragma clang loop unroll(disable)
	for (int i = 0; i < ST_PYTHON_STEPS; i++)
		if (st_python_steps(slot_index))
			return 0;
	st_python_end(slot_index, ST_PYTHON_MORE);
	return 0;
}

#else

__noinline int st_python_few(__u32 slot_index, __u32 in_uprobes)
{
	return 0;
}

__noinline int st_python_note(__u32 slot_index)
{
	return 0;
}

__noinline int st_python_walk(__u32 slot_index)
{
	return 0;
}

#endif
