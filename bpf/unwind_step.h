/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The step of a walk by unwind tables, from one frame to its caller, for both sides: bpf/unwind.bpf.c walks the stack of the current task,
 * core/session/look_walk.c that of a stopped or sleeping thread. docs/internals/unwinding.md.
 *
 * The code is written for the verifier. One step is a global function with all its state in a map, so the verifier follows it once instead
 * of 2,048 times. The searches have no branches: a logical shift turns a comparison into 0 or 1, and a barrier keeps clang from making a
 * branch of it (2,500 instead of 78,000 verified instructions). 5.10 refuses an arithmetic shift, and from 7.0 on it forks the verifier's
 * state.
 *
 * Tables and stacks are not trusted: addresses are used only with st_read_user(), and places are masked to their slab.
 *
 * Each side defines st_unwind_slot(), which returns the scratch slot with the state, and the functions declared here.
 */
#pragma once

#include "bpf/registers.h"
#include "bpf/unwind_abi.h"
#include "bpf/unwind_space.h"

/* Reads user memory. 0 or negative. */
static __always_inline int st_read_user(void *to, __u32 bytes, const void *address);

/* NULL: no such slab. */
static __always_inline const struct st_slab *st_slab_at(__u32 index);

/* The cache of rules: st_recall() returns the rule for the current address and space, or 0; st_remember() adds the one in `rule`. */
static __always_inline __u64 st_recall(const struct st_unwind *unwind, __u32 slot_index);
static __always_inline void st_remember(const struct st_unwind *unwind, __u32 slot_index);

/* Whether to follow frame pointers in code without a row. */
static __always_inline int st_follows_frames(void);

/* Reads the 8 bytes of code before an address. Returns 0, or negative if they cannot be read. */
static __always_inline int st_read_code_before(__u64 address, __u64 *ret_code);

/* Whether the frame is at the entry of a function: the word at the stack pointer is the caller, and st_note_caller() adds it. */
static __always_inline int st_is_at_entry(const struct st_slot *slot);

/* If the code shows that the frame pointer would skip the direct caller, goes to that caller and returns 1. */
static __always_inline int st_by_prologue(struct st_slot *slot, __u32 slot_index, int end);

#define ST_ROW_TURNS 11 /* 2^11 > ST_UNWIND_PAGE_ROWS_MAX */
#define ST_MAPPING_TURNS 10 /* 2^10 > ST_MAX_SPACE_MAPPINGS */

/* Begins at registers[], which are in the order of struct pt_regs. */
static __always_inline void st_begin_at_registers(struct st_unwind *unwind)
{
	unwind->order = ST_REGISTERS_PT;
	unwind->pc = unwind->registers[ST_PT_IP];
	unwind->sp = unwind->registers[ST_PT_SP];
	unwind->bp = unwind->registers[ST_PT_BP];
	unwind->is_known = 1;
	unwind->is_bp_lost = 0;
	unwind->by_frame = 0;
	unwind->leaf_by_frame = 0;
	unwind->guess = unwind->nr_searched = 0;
	unwind->low = unwind->high = 0;
	unwind->room = 0;
}

/* 1 if a < b, else 0. They must differ by less than 2^63. */
static __always_inline __u64 st_is_below(__u64 a, __u64 b)
{
	__u64 below = a - b;

	st_opaque(below);
	below >>= 63;
	st_opaque(below);
	return below;
}

#define ST_LONG(slab, place) ((slab)->longs[(place) & (ST_SLAB_LONGS - 1)])
#define ST_WORD(slab, place) ((slab)->words[(place) & (ST_SLAB_WORDS - 1)])

/* The last of `nr` rows that is <= key; the first row always is. Each turn halves the candidates. */
static __always_inline __u32 st_search_rows(const struct st_slab *slab, __u64 first, __u64 nr, __u64 key)
{
	__u64 half;

#pragma clang loop unroll(disable)
	for (int i = 0; i < ST_ROW_TURNS; i++) {
		half = nr >> 1;
		first += half * st_is_below(ST_WORD(slab, first + half), key + 1);
		nr -= half;
	}
	return ST_WORD(slab, first);
}

/* The place of the last of `nr` mappings that starts at or below the address; if there is none, of the first mapping. */
static __always_inline __u64 st_search_mappings(const struct st_slab *slab, __u64 first, __u64 nr, __u64 address)
{
	__u64 half, place;

#pragma clang loop unroll(disable)
	for (int i = 0; i < ST_MAPPING_TURNS; i++) {
		half = nr >> 1;
		place = half * ST_SPACE_MAPPING_LONGS;
		first += place * st_is_below(ST_LONG(slab, first + place), address + 1);
		nr -= half;
	}
	return first;
}

/* Makes the mapping of an address the current one. Returns -1 if there is none. */
static __always_inline int st_find_mapping(struct st_unwind *unwind, __u64 address)
{
	__u32 first = ST_SPACE_PLACE(unwind->space), nr = ST_SPACE_NR(unwind->space);
	const struct st_slab *slab;
	__u64 place, low, high, word;

	if (address - unwind->low < unwind->high - unwind->low)
		return 0;
	slab = st_slab_at(first / ST_SLAB_LONGS);
	if (!slab || !nr)
		return -1;
	place = st_search_mappings(slab, first, nr, address);
	low = ST_LONG(slab, place);
	high = ST_LONG(slab, place + 1);
	if (address - low >= high - low)
		return -1;
	unwind->low = low;
	unwind->high = high;
	unwind->to_file = ST_LONG(slab, place + 2);
	word = ST_LONG(slab, place + 3);
	unwind->head = (__u32)word;
	unwind->nr_pages = word >> 32;
	word = ST_LONG(slab, place + 4);
	unwind->first_page = (__u32)word;
	unwind->rules = word >> 32;
	return 0;
}

/* The rule for an address in the current mapping; 0 (ST_UNWIND_INVALID) if there is none. */
static __always_inline __u64 st_find_rule(const struct st_unwind *unwind, __u64 address)
{
	__u64 in_file = address - unwind->to_file;
	__u32 page = (__u32)(in_file >> ST_UNWIND_PAGE_SHIFT) - unwind->first_page, first, row;
	const struct st_slab *head, *rows;
	__u64 entry;

	if (page >= unwind->nr_pages)
		return 0;
	head = st_slab_at(unwind->head / ST_SLAB_LONGS);
	if (!head)
		return 0;
	entry = ST_LONG(head, unwind->head + page);
	if (!ST_UNWIND_PAGE_NR(entry))
		return 0;
	first = ST_UNWIND_PAGE_FIRST(entry);
	rows = st_slab_at(first / ST_SLAB_WORDS);
	if (!rows)
		return 0;
	row = st_search_rows(rows, first, ST_UNWIND_PAGE_NR(entry), ST_UNWIND_KEY(in_file));
	return ST_LONG(head, unwind->rules + ST_UNWIND_ROW_RULE(row));
}

/* A global function: the verifier follows the search once. */
__noinline int st_unwind_map(__u32 slot_index, __u64 address)
{
	struct st_slot *slot = st_unwind_slot(slot_index);

	return slot ? st_find_mapping(&slot->unwind, address) : -1;
}

static __always_inline __u64 st_walk_address(const struct st_unwind *unwind)
{
	return unwind->pc - unwind->is_call;
}

__noinline int st_unwind_find(__u32 slot_index)
{
	struct st_slot *slot = st_unwind_slot(slot_index);
	struct st_unwind *unwind;

	if (!slot)
		return ST_END_NO_PROCESS;
	unwind = &slot->unwind;
	unwind->rule = 0;
	if (!unwind->space)
		return ST_END_NO_PROCESS;
	if (st_unwind_map(slot_index, st_walk_address(unwind)))
		return ST_END_NO_MAPPING;
	unwind->rule = st_find_rule(unwind, st_walk_address(unwind));
	st_remember(unwind, slot_index);
	if (unwind->rules == ST_SPACE_CUT)
		return ST_END_CUT;
	return unwind->rules == ST_SPACE_TO_COME ? ST_END_NO_TABLE : ST_END_NO_ROW;
}

/* ---- user memory ---- */

/* Fills the window from a user address on, or up to the end of the page if the next page cannot be read. Returns 0 or -1. */
__noinline int st_unwind_read(__u32 slot_index, __u64 address)
{
	struct st_slot *slot = st_unwind_slot(slot_index);
	struct st_unwind *unwind;
	__u64 bytes = ST_UNWIND_WINDOW_BYTES;

	if (!slot)
		return -1;
	unwind = &slot->unwind;
	unwind->room = 0;
	if (st_read_user(unwind->window, ST_UNWIND_WINDOW_BYTES, (void *)address)) {
		bytes = ST_PAGE_BYTES - (address & (ST_PAGE_BYTES - 1));
		if (bytes < 8 || bytes >= ST_UNWIND_WINDOW_BYTES)
			return -1;
		if (st_read_user(unwind->window, bytes, (void *)address))
			return -1;
	}
	unwind->window_at = address;
	unwind->room = bytes / 8;
	return 0;
}

/*
 * Reads a word of the stack. If it is not in the window, fills the window from this word on, because the next frames are close. The address
 * of the window is then read from memory again, so that both paths are the same to the verifier.
 */
static __always_inline int st_stack_word(struct st_unwind *unwind, __u64 address, __u64 *ret_word)
{
	__u64 in_window = address - unwind->window_at;

	/* Rotates the three lowest bits to the top: the index of the word, or too large if misaligned. */
	if ((in_window >> 3 | in_window << 61) >= unwind->room && st_unwind_read(unwind->slot, address))
		return -1;
	in_window = address - *(volatile __u64 *)&unwind->window_at;
	*ret_word = unwind->window[(in_window >> 3) & (ST_UNWIND_WINDOW_WORDS - 1)];
	return 0;
}

__noinline int st_unwind_word(__u32 slot_index, __u64 address)
{
	struct st_slot *slot = st_unwind_slot(slot_index);

	return slot ? st_stack_word(&slot->unwind, address, &slot->unwind.word) : -1;
}

/* ---- one frame ---- */

struct st_caller {
	__u64 pc, sp, bp;
};

static __always_inline __u64 st_register(const struct st_unwind *unwind, __u64 rule)
{
	__u32 number = ST_UNWIND_HOW_REG((rule >> 8) & 0xff);

	return unwind->registers[(unwind->order >> (4 * number)) & 15];
}

/* Computes the CFA by a rule. Returns 0 or an enum st_stack_end. */
static __always_inline int st_cfa(struct st_unwind *unwind, __u64 rule, __u64 *ret_cfa)
{
	__s64 offset = (__s32)(rule >> 32), at = (__s16)(rule >> 32), add = (__s16)(rule >> 48);
	__u8 kind = (__u8)rule;
	__u64 base = unwind->sp, past;

	if (kind == ST_UNWIND_SP) {
		*ret_cfa = base + offset;
		return 0;
	}
	if (kind == ST_UNWIND_PLT) {
		past = st_is_below(unwind->pc & 15, add);
		*ret_cfa = base + at + ((past ^ 1) << 3);
		return 0;
	}
	if (kind == ST_UNWIND_REGISTER) {
		*ret_cfa = st_register(unwind, rule) + offset;
		return unwind->is_known ? 0 : ST_END_LOST;
	}
	if (kind == ST_UNWIND_BP || kind == ST_UNWIND_DEREF_BP) {
		base = unwind->bp;
		if (unwind->is_bp_lost)
			return ST_END_LOST;
	}
	if (kind == ST_UNWIND_BP) {
		*ret_cfa = base + offset;
		return 0;
	}
	if (kind == ST_UNWIND_DEREF_INDEXED) {
		base += 8 * st_register(unwind, rule);
		if (!unwind->is_known)
			return ST_END_LOST;
	} else if (kind != ST_UNWIND_DEREF_SP && kind != ST_UNWIND_DEREF_BP) {
		return ST_END_NO_ROW;
	}
	if (st_stack_word(unwind, base + at, ret_cfa))
		return ST_END_UNREADABLE;
	*ret_cfa += add;
	return 0;
}

/* Computes the caller's rbp by a rule. Returns 0 or -1. Conditions are bits: the verifier would follow branches separately. */
static __always_inline int st_bp_by_rule(struct st_unwind *unwind, __u64 rule, __u64 cfa)
{
	__u64 how = ST_UNWIND_HOW_BP(rule >> 8), is_odd = how & 1, bp = unwind->bp, is_lost = unwind->is_bp_lost;

	st_opaque(is_odd);
	if ((how + 1) & 2) { /* AT_CFA or AT_BP */
		bp ^= (bp ^ cfa) & -is_odd;
		if (st_stack_word(unwind, bp + (__s16)(rule >> 16), &unwind->bp))
			return -1;
	}
	unwind->is_bp_lost = is_lost ^ ((is_lost ^ how >> 1) & is_odd); /* becomes 0 with AT_CFA, 1 with LOST */
	return 0;
}

/* Computes the caller's registers by a rule. Returns 0 or an enum st_stack_end. */
static __always_inline int st_by_rule(struct st_unwind *unwind, __u64 rule)
{
	__u8 in_register = ST_UNWIND_HOW_RA(rule >> 8) & ST_UNWIND_RA_REGISTER,
	     elsewhere = ST_UNWIND_HOW_RA(rule >> 8) & ST_UNWIND_RA_ELSEWHERE;
	__u64 cfa = 0, pc = 0;
	int end = st_cfa(unwind, rule, &cfa);

	if (end)
		return end;
	if ((cfa < unwind->sp && !elsewhere) || (cfa & 7))
		return ST_END_BAD_CFA;
	if (cfa == unwind->sp && unwind->is_call && !in_register)
		return ST_END_ROOT; /* see ST_UNWIND_RA_AT_CFA */
	/* Through memory, so that all paths to here are the same to the verifier. */
	unwind->cfa = cfa;
	unwind->rule = rule;
	cfa = *(volatile __u64 *)&unwind->cfa;
	rule = *(volatile __u64 *)&unwind->rule;
	if (st_bp_by_rule(unwind, rule, cfa))
		return ST_END_UNREADABLE;
	if (ST_UNWIND_HOW_RA(rule >> 8) & ST_UNWIND_RA_REGISTER) {
		pc = st_register(unwind, rule);
		if (!unwind->is_known)
			return ST_END_LOST;
	} else if (st_stack_word(unwind, cfa - 8, &pc)) {
		return ST_END_UNREADABLE;
	}
	unwind->sp = cfa;
	unwind->pc = pc;
	unwind->is_call = 1;
	unwind->is_known = 0;
	unwind->by_frame = 0;
	return pc ? 0 : ST_END_ROOT;
}

static __always_inline int st_by_signal(struct st_unwind *unwind, __u64 rule)
{
	__u64 context = unwind->sp + (__s32)(rule >> 32);

	if (st_read_user(unwind->registers, 8 * ST_SIGCONTEXT_WORDS, (void *)context))
		return ST_END_UNREADABLE;
	unwind->order = ST_REGISTERS_SIGCONTEXT;
	unwind->bp = unwind->registers[ST_SIGCONTEXT_BP];
	unwind->sp = unwind->registers[ST_SIGCONTEXT_SP];
	unwind->pc = unwind->registers[ST_SIGCONTEXT_IP];
	unwind->is_call = 0;
	unwind->is_place = 1;
	unwind->is_known = 1;
	unwind->is_bp_lost = 0;
	unwind->by_frame = 0;
	return 0;
}

/* Goes to the caller at `pc`. `sp`: its stack pointer after the return. `by_frame` as in struct st_unwind. */
static __always_inline int st_to_caller(struct st_unwind *unwind, __u64 pc, __u64 sp, int by_frame)
{
	unwind->pc = pc;
	unwind->sp = sp;
	unwind->is_call = 1;
	unwind->is_known = 0;
	unwind->by_frame = by_frame;
	return 0;
}

/* ---- code without a row ---- */

/*
 * The caller of such code is found by the frame pointer, or is the word at the stack pointer. Either is a guess until it is proved: the
 * frame pointer may belong to a function further out. Then the functions between have left return addresses below the frame pointer:
 * docs/internals/unwinding.md, "Callers by guess".
 */
#define ST_SEARCH_WORDS 128 /* larger frames are not searched */
#define ST_SEARCH_PART 16 /* words searched in one turn */
#define ST_SEARCHED_MOST 1024 /* words searched in one walk */
#define ST_CALL_DIRECT 0xe8
#define ST_CALL_DISTANCE 65536 /* the largest size of a function that is expected */

/* 1 if a is 0, else 0. */
static __always_inline __u64 st_is_zero(__u64 a)
{
	return st_is_below(a >> 1, 1) & ~a & 1;
}

/* Whether the 8 bytes before an address end with a call: e8 and 4 bytes, or ff /2 with 2, 3, 4, 6 or 7 bytes. */
static __always_inline __u64 st_ends_with_call(__u64 code)
{
	__u64 is_call = st_is_zero((__u8)(code >> 24) ^ ST_CALL_DIRECT);

	is_call |= st_is_zero((code >> 8 & 0x38ff) ^ 0x10ff);
	is_call |= st_is_zero((code >> 16 & 0x38ff) ^ 0x10ff);
	is_call |= st_is_zero((code >> 32 & 0x38ff) ^ 0x10ff);
	is_call |= st_is_zero((code >> 40 & 0x38ff) ^ 0x10ff);
	is_call |= st_is_zero((code >> 48 & 0x38ff) ^ 0x10ff);
	return is_call;
}

enum st_return {
	ST_RETURN_NONE = 0, /* not code */
	ST_RETURN_MADE, /* code in memory, not after a call: interpreters push return addresses of their own */
	ST_RETURN_CALL, /* code after a call, or unreadable code */
	/*
	 * Code after a direct call that can have led to the current frame; or code after any call if the word before it on the stack is the
	 * frame pointer; or the word could not be read.
	 */
	ST_RETURN_HERE,
};

static __always_inline int st_is_memory(const struct st_unwind *unwind)
{
	return !unwind->nr_pages && unwind->to_file == unwind->low;
}

/*
 * What the word at this stack address can be: an enum st_return. Expects the word before it in st_unwind.word, and stores the word there.
 */
__noinline int st_unwind_returns(__u32 slot_index, __u64 address)
{
	struct st_slot *slot = st_unwind_slot(slot_index);
	struct st_unwind *unwind;
	__u64 code = 0, is_saved, is_here, is_call;

	if (!slot)
		return ST_RETURN_HERE;
	unwind = &slot->unwind;
	is_saved = st_is_zero(unwind->word ^ unwind->bp);
	if (st_read_user(&unwind->word, 8, (void *)address))
		return ST_RETURN_HERE;
	if (st_unwind_map(slot_index, unwind->word - 1))
		return ST_RETURN_NONE;
	if (st_read_code_before(unwind->word, &code))
		return ST_RETURN_CALL;
	is_here = st_is_zero((__u8)(code >> 24) ^ ST_CALL_DIRECT) &
		  st_is_zero((unwind->pc - unwind->word - (__s32)(code >> 32)) / ST_CALL_DISTANCE);
	is_call = st_ends_with_call(code);
	if (is_call)
		return (int)(ST_RETURN_CALL + (is_here | is_saved));
	return st_is_memory(unwind) ? ST_RETURN_MADE : ST_RETURN_NONE;
}

/* Marks the caller of the frame that was stored last as a guess. */
static __always_inline void st_note_guess(struct st_unwind *unwind)
{
	if (!unwind->guess)
		unwind->guess = ST_MAX_FRAMES - (unwind->until - unwind->at) + unwind->nr_outer;
}

/* The index of the first guessed frame in the record; 0: none. ST_INNER_FRAMES stands for all elided frames. */
static __always_inline __u8 st_guess_in_record(const struct st_unwind *unwind, const struct st_stack_head *head)
{
	__u32 guess = unwind->guess, elided = head->flags & ST_STACK_ELIDED ? head->elided : 0;

	if (elided && guess >= ST_INNER_FRAMES)
		guess = guess < ST_INNER_FRAMES + elided ? ST_INNER_FRAMES : guess - elided;
	return guess < head->nr_user ? guess : 0;
}

/*
 * Whether one of at most ST_SEARCH_PART words below the frame pointer is at least `least`. The verifier follows each turn of a loop, but
 * each function once: two short loops cost it a sixth of a long one.
 */
__noinline int st_unwind_search(__u32 slot_index, __u64 from, __u32 least)
{
	struct st_slot *slot = st_unwind_slot(slot_index);
	__u64 bp;

	if (!slot)
		return 1;
	bp = slot->unwind.bp;
#pragma clang loop unroll(disable)
	for (int i = 0; i < ST_SEARCH_PART && from < bp; i++) {
		if (st_unwind_returns(slot_index, from) >= (int)least)
			return 1;
		from += 8;
	}
	return 0;
}

/*
 * Sets is_proved if the frame pointer is that of this frame: no word below it shows a skipped function. Frames of generated code contain
 * many old return addresses, so only ST_RETURN_HERE counts there.
 */
static __always_inline void st_unwind_prove(struct st_unwind *unwind, __u32 slot_index, __u64 from, int is_memory)
{
	__u32 least = is_memory ? ST_RETURN_HERE : ST_RETURN_CALL;
	__u64 nr = (unwind->bp - from) / 8;

	if (nr > ST_SEARCH_WORDS || unwind->nr_searched + nr > ST_SEARCHED_MOST)
		return;
	unwind->nr_searched += nr;
	if (st_unwind_returns(slot_index, unwind->bp + 8) == ST_RETURN_NONE)
		return;
#pragma clang loop unroll(disable)
	for (int i = 0; i < ST_SEARCH_WORDS / ST_SEARCH_PART; i++) {
		if (st_unwind_search(slot_index, from, least))
			return;
		from += 8 * ST_SEARCH_PART;
	}
	unwind->is_proved = 1;
}

/* If the code at st_unwind.word, the word at the stack pointer, has a row, goes to this caller and returns 1. */
static __always_inline int st_to_word(struct st_unwind *unwind, __u32 slot_index)
{
	__u64 pc = unwind->pc;
	__u8 kind;

	unwind->pc = unwind->word;
	unwind->is_call = 1;
	st_unwind_find(slot_index);
	kind = (__u8)unwind->rule;
	if (kind == ST_UNWIND_INVALID || kind == ST_UNWIND_UNSUPPORTED) {
		unwind->pc = pc;
		return 0;
	}
	unwind->sp += 8;
	unwind->is_known = 0;
	unwind->by_frame = 0;
	return 1;
}

/*
 * For a process with tables. If the word at the stack pointer of the innermost frame is the caller, goes there and returns 1. Otherwise
 * tries to set is_proved. Generated code may be interrupted before it has a frame and after: nothing is proved if that word is a return
 * address.
 */
static __always_inline int st_by_search(struct st_slot *slot, __u32 slot_index, int end)
{
	struct st_unwind *unwind = &slot->unwind;
	int is_memory = end == ST_END_NO_ROW && st_is_memory(unwind), first;
	__u64 from = unwind->sp + 8 * st_is_at_entry(slot);

	unwind->word = ~unwind->bp;
	first = st_unwind_returns(slot_index, from);
	if (first != ST_RETURN_NONE && unwind->is_known) {
		if (first != ST_RETURN_HERE || st_is_at_entry(slot) || !st_to_word(unwind, slot_index))
			return 0;
		st_note_guess(unwind);
		return 1;
	}
	if (*(volatile __u16 *)&unwind->is_frame)
		st_unwind_prove(unwind, slot_index, from, is_memory);
	return 0;
}

/*
 * Goes to the caller by the frame pointer, if it points up the stack, or by the word at the stack pointer. The next step checks whether the
 * return address is code. In a chain of such frames, a frame pointer or return address of 0 is the root by the ABI; before the first of
 * them, rbp may have any value. If the process is not known yet, all frames are of this kind, and the walk follows the same frame pointers
 * as the kernel.
 */
__noinline int st_unwind_by_frame(__u32 slot_index, int end)
{
	struct st_slot *slot = st_unwind_slot(slot_index);
	struct st_unwind *unwind;
	__u64 bp, pc = 0, above = 0;

	if (!slot)
		return end;
	unwind = &slot->unwind;
	bp = unwind->bp;
	if (!bp && unwind->by_frame)
		return unwind->space ? ST_END_ROOT : end;
	unwind->is_frame = !(bp < (unwind->space ? unwind->sp : ST_PAGE_BYTES) || (bp & 7 && unwind->space));
	unwind->is_proved = !unwind->space;
	if (unwind->space && st_by_search(slot, slot_index, end))
		return 0;
	/* Through memory, so that all paths to here are the same to the verifier. */
	if (!*(volatile __u16 *)&unwind->is_proved)
		st_note_guess(unwind);
	if (!*(volatile __u16 *)&unwind->is_frame || st_unwind_word(slot_index, bp))
		return end;
	above = unwind->word;
	if (st_unwind_word(slot_index, bp + 8))
		return end;
	pc = unwind->word;
	if (!pc && unwind->space)
		return unwind->by_frame ? ST_END_ROOT : end;
	unwind->bp = above;
	return st_to_caller(unwind, pc, bp + 16, end);
}

/* Stores a frame for which the record has no room. Returns -1 if the walk must end. */
static __always_inline int st_store_outer(struct st_unwind *unwind, __u32 slot_index)
{
	if (!unwind->nr_outer)
		st_unwind_deepen(slot_index);
	if (unwind->nr_outer >= unwind->outer_until)
		return -1;
	unwind->outer[unwind->nr_outer & (ST_OUTER_RING - 1)] = unwind->pc;
	unwind->nr_outer++;
	return 0;
}

static __always_inline int st_store_frame(struct st_slot *slot, __u32 slot_index)
{
	__u32 at = slot->unwind.at;

	if (at >= slot->unwind.until || at >= 2 * ST_MAX_FRAMES)
		return st_store_outer(&slot->unwind, slot_index);
	st_opaque(at);
	slot->stack.frames[at] = slot->unwind.pc;
	slot->unwind.at = at + 1;
	return 0;
}

/* Stores the current frame and goes to its caller. Returns 0, or the enum st_stack_end of the walk. */
__noinline int st_unwind_step(__u32 slot_index)
{
	struct st_slot *slot = st_unwind_slot(slot_index);
	struct st_unwind *unwind;
	int end = ST_END_NO_ROW;
	__u64 rule;

	if (!slot)
		return ST_END_NO_PROCESS;
	unwind = &slot->unwind;
	rule = st_recall(unwind, slot_index);
	if (!rule) {
		end = st_unwind_find(slot_index);
		if (end == ST_END_NO_MAPPING && unwind->by_frame)
			return unwind->by_frame;
		rule = unwind->rule;
	}
	if (st_store_frame(slot, slot_index))
		return ST_END_TRUNCATED;
	if ((__u8)rule == ST_UNWIND_STOP)
		return ST_END_ROOT;
	if ((__u8)rule == ST_UNWIND_SIGNAL)
		return st_by_signal(unwind, rule);
	if ((__u8)rule == ST_UNWIND_UNSUPPORTED)
		end = ST_END_UNSUPPORTED;
	if ((__u8)rule != ST_UNWIND_INVALID && (__u8)rule != ST_UNWIND_UNSUPPORTED)
		return st_by_rule(unwind, rule);
	if (!st_follows_frames() || unwind->is_bp_lost)
		return end;
	return st_by_prologue(slot, slot_index, end) ? 0 : st_unwind_by_frame(slot_index, end);
}
