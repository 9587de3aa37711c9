// SPDX-License-Identifier: GPL-2.0-or-later
/* The walk by unwind tables in a task that has hit uprobes. Corrections of bpf/uprobes.bpf.c are accepted only if they fit the tables. */
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

/* Whether the rule for pc uses the stack pointer, and leads to code with the stack pointer `further` bytes higher. */
static __always_inline int st_leads_to_code(struct st_unwind *unwind, __u32 slot_index, __u64 further)
{
	st_unwind_find(slot_index);
	return (__u8)unwind->rule == ST_UNWIND_SP &&
	       !st_unwind_word(slot_index, unwind->sp + (__s32)(unwind->rule >> 32) - 8 + further) &&
	       st_is_code(unwind, slot_index, unwind->word);
}

/*
 * Corrects pc and sp at a breakpoint.
 *
 * `behind` = 1: pc is one byte after a breakpoint that the kernel may not have handled yet. pc moves back if the rule one byte earlier
 * leads to code. For padding before a function, it does not. `behind` = 0: the kernel emulates a push before it changes pc. After the
 * emulation, the rule leads to code only without the pushed word.
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

/* Corrects pc and sp at a breakpoint by tables, or without tables by the code, like st_back_to_breakpoint(). */
static __always_inline void st_find_breakpoint(struct st_slot *slot, __u32 slot_index, __u64 behind)
{
	if (slot->unwind.space)
		st_at_breakpoint(&slot->unwind, slot_index, behind);
	else if (behind && !st_uprobes_prologue(slot_index))
		slot->unwind.pc--;
}

/* Corrects the first frame, or one that a signal has interrupted. If the return address is unknown, a frame pointer would skip a caller. */
static __always_inline void st_find_place(struct st_slot *slot, __u32 slot_index)
{
	struct st_unwind *unwind = &slot->unwind;
	struct st_uprobes *uprobes = &slot->uprobes;
	int leaf;

	uprobes->sp = unwind->sp;
	uprobes->bp = unwind->bp;
	uprobes->in_kernel = !unwind->has_registers && !unwind->is_call;
	leaf = st_uprobes_leaf(slot_index);
	if (leaf >= ST_LEAF_AT_BREAKPOINT) {
		st_find_breakpoint(slot, slot_index, st_is_equal((__u32)leaf, ST_LEAF_AFTER_BREAKPOINT));
		return;
	}
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
		unwind->has_registers = 1; /* any further such frame was interrupted by a signal, in user mode */
		return 0;
	}
	slot->uprobes.sp = unwind->sp - 8;
	found = st_uprobes_return(slot_index);
	if (found > 0 && !st_is_code(unwind, slot_index, slot->uprobes.pc)) {
		unwind->is_bp_lost = 1; /* a frame pointer would skip that caller */
		return 0;
	}
	unwind->pc = slot->uprobes.pc;
	if (found < 0)
		unwind->is_bp_lost = unwind->space != 0;
	return 0;
}

#endif
