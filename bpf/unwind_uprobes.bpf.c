// SPDX-License-Identifier: GPL-2.0-or-later
/* The walk by unwind tables where a task has met uprobes: what bpf/uprobes.bpf.c finds has to fit the tables. */
#include "bpf/unwind.bpf.h"

#if defined(__TARGET_ARCH_x86) && !defined(ST_WITHOUT_UNWINDER)

static __always_inline int st_is_code(struct st_unwind *unwind, __u32 slot_index, __u64 address)
{
	__u64 pc = unwind->pc;
	int end;

	unwind->pc = address;
	end = st_unwind_find(slot_index);
	unwind->pc = pc;
	return end != ST_END_NO_MAPPING;
}

/*
 * Whether the rule for this place leads to code, with a stack pointer that much further up. Only by the stack
 * pointer.
 */
static __always_inline int st_leads_to_code(struct st_unwind *unwind, __u32 slot_index, __u64 further)
{
	st_unwind_find(slot_index);
	return (__u8)unwind->rule == ST_UNWIND_SP &&
	       !st_unwind_word(slot_index, unwind->sp + (__s32)(unwind->rule >> 32) - 8 + further) &&
	       st_is_code(unwind, slot_index, unwind->word);
}

/*
 * `behind` a breakpoint that the kernel has not seen yet, the place is that of the breakpoint. What fills up the file
 * before a function has no rule there; and where the kernel has done the push that stood there, what that rule takes
 * for the return address is no code. It does the push before it moves the thread.
 */
static __always_inline void st_at_breakpoint(struct st_unwind *unwind, __u32 slot_index, __u64 behind)
{
	unwind->pc -= behind;
	if (st_leads_to_code(unwind, slot_index, 0))
		return;
	unwind->pc += behind;
	if (!behind && st_leads_to_code(unwind, slot_index, 8))
		unwind->sp += 8;
}

/*
 * Without tables, by the code: not after what stood in the place of the breakpoint, nor after what fills up
 * functions.
 */
static __always_inline void st_find_breakpoint(struct st_slot *slot, __u32 slot_index, __u64 behind)
{
	if (slot->unwind.space)
		st_at_breakpoint(&slot->unwind, slot_index, behind);
	else if (behind && !st_uprobes_prologue(slot_index))
		slot->unwind.pc--;
}

/*
 * Of a return address that is not known, nothing is left but the trampoline: a frame pointer would lead past a
 * caller.
 */
static __always_inline void st_find_place(struct st_slot *slot, __u32 slot_index)
{
	struct st_unwind *unwind = &slot->unwind;
	struct st_uprobes *uprobes = &slot->uprobes;
	int leaf;

	uprobes->sp = unwind->sp;
	uprobes->bp = unwind->bp;
	uprobes->in_kernel = !unwind->has_registers && !unwind->is_call;
	leaf = st_uprobes_leaf(slot_index);
	if (leaf == ST_LEAF_AFTER_BREAKPOINT || leaf == ST_LEAF_AT_BREAKPOINT)
		st_find_breakpoint(slot, slot_index, leaf == ST_LEAF_AFTER_BREAKPOINT);
	if (leaf == ST_LEAF_MOVED && !st_is_code(unwind, slot_index, uprobes->pc))
		leaf = ST_LEAF_LOST;
	if (leaf == ST_LEAF_LOST)
		unwind->is_bp_lost = unwind->space != 0;
	if (leaf != ST_LEAF_MOVED)
		return;
	unwind->pc = uprobes->pc;
	unwind->sp = uprobes->sp;
	unwind->is_call = 0;
}

__noinline int st_unwind_uprobes(__u32 slot_index)
{
	struct st_slot *slot = st_unwind_slot(slot_index);
	struct st_unwind *unwind;
	int found;

	if (!slot)
		return 0;
	unwind = &slot->unwind;
	slot->uprobes.pc = unwind->pc;
	if (unwind->is_place) {
		unwind->is_place = 0;
		st_find_place(slot, slot_index);
		unwind->has_registers = 1; /* what a signal has interrupted was user mode */
		return 0;
	}
	slot->uprobes.sp = unwind->sp - 8;
	found = st_uprobes_return(slot_index);
	if (found > 0 && !st_is_code(unwind, slot_index, slot->uprobes.pc)) {
		unwind->is_bp_lost = 1; /* a frame pointer would lead past that caller */
		return 0;
	}
	unwind->pc = slot->uprobes.pc;
	if (found < 0)
		unwind->is_bp_lost = unwind->space != 0;
	return 0;
}

#endif
