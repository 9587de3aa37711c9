/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The known values of registers and stack slots at one instruction of a function: addresses relative to the stack pointer at the function's
 * first instruction, and the place of the caller's rbp. unwind_synthesis.c follows the values through code.
 */
#pragma once

#include "bpf/unwind_abi.h"
#include "symbolize/x86/instruction.h"

enum {
	STACK_SLOTS_MAX = 8, /* words on the stack with a known value */
	STACK_DISTANCE_MAX = 1 << 20, /* bytes from the entry's stack pointer; larger frames are not followed */
};

enum stack_base {
	STACK_NOTHING,
	STACK_ENTRY, /* rsp at the first instruction (the place of the return address), + offset */
	STACK_CALLER_BP, /* rbp at the first instruction */
	STACK_PLACE, /* an address in the file, or a number: origin + offset */
	STACK_TABLE_ENTRY, /* an entry of a table of distances; the table is at origin + offset */
	STACK_TABLE_TARGET, /* the address of a table of distances, plus one of its entries */
	STACK_TABLE_WORD, /* an entry of a table of addresses; the table is at origin + offset */
	/* and higher: stack pointers at unknown distances from the entry's, + offset. Equal numbers are equal stack pointers */
	STACK_OTHER,
};

struct stack_value {
	uint32_t base; /* enum stack_base, or higher */
	int32_t offset;
};

struct stack_state {
	struct stack_value registers[X86_NR_REGISTERS]; /* rsp is ENTRY or OTHER */
	struct {
		struct stack_value place; /* base NOTHING: the slot is empty */
		struct stack_value value; /* ENTRY, CALLER_BP or OTHER */
	} slots[STACK_SLOTS_MAX];
	int32_t compared; /* constant of the last comparison; -1: none */
	int32_t bound; /* the index of a jump table is below this; -1: unknown */
};

/* The state at a function's first instruction. */
struct stack_state stack_at_entry(void);

/*
 * Applies an instruction that is not a branch. `at`: its address - origin, below 2^28. `origin`: the base of places, the same in all calls.
 */
void stack_step(struct stack_state *state, const struct x86_instruction *is, uint32_t at, uint64_t origin);

/* Applies a call that may change the registers in `clobbered`, a bit mask, and the memory below rsp. */
void stack_after_call(struct stack_state *state, uint16_t clobbered);

/* Two paths meet at `at`: keeps in *state what *other agrees with. False if nothing has changed. */
bool stack_meet(struct stack_state *state, const struct stack_state *other, uint32_t at);

/* The word at a memory operand without index. */
struct stack_value stack_load(const struct stack_state *state, const struct x86_instruction *is);

/* Whether rsp is at the return address, as at the first instruction. */
bool stack_is_at_return(const struct stack_state *state);

/* The rule for an instruction with this state before it. Kind INVALID: the caller's frame is not known. */
struct st_unwind_rule stack_rule(const struct stack_state *state, uint64_t origin);
