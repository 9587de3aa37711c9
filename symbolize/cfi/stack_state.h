/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is known, at one instruction of a function, of registers and of the stack: which of them hold the stack pointer of the
 * function's first instruction, plus a distance, and where the caller's rbp is. unwind_synthesis.c follows it through code.
 */
#pragma once

#include "bpf/unwind_abi.h"
#include "symbolize/x86/instruction.h"

enum {
	STACK_SLOTS_MAX = 8, /* words on the stack that hold something known */
	STACK_DISTANCE_MAX = 1 << 20, /* bytes from the entry's stack pointer; frames beyond are not followed */
};

enum stack_base {
	STACK_NOTHING, /* unknown */
	STACK_ENTRY, /* rsp at the first instruction, where the return address is, + offset */
	STACK_CALLER_BP, /* rbp at the first instruction */
	STACK_PLACE, /* an address of the file, or a number: origin + offset */
	STACK_TABLE_ENTRY, /* an entry of the table of distances at origin + offset */
	STACK_TABLE_TARGET, /* the sum of such a table's address and an entry */
	STACK_TABLE_WORD, /* an entry of the table of addresses at origin + offset */
	STACK_OTHER, /* this and higher: a stack pointer that has no known distance from the entry's, + offset; equal by number */
};

struct stack_value {
	uint32_t base; /* enum stack_base, or higher */
	int32_t offset;
};

struct stack_state {
	struct stack_value registers[X86_NR_REGISTERS]; /* rsp is ENTRY or OTHER */
	struct {
		struct stack_value place; /* base NOTHING: an empty slot */
		struct stack_value value; /* ENTRY, CALLER_BP or OTHER */
	} slots[STACK_SLOTS_MAX];
	int32_t compared; /* constant of the last comparison; -1 none */
	int32_t bound; /* a number was found below this, for the table of a jump; -1 none */
};

/* At a function's first instruction. */
struct stack_state stack_at_entry(void);

/*
 * Changes the state as an instruction other than a branch does. `at`: its address - origin; `origin`: of places, the same in all
 * calls. `at` is below 2^28.
 */
void stack_step(struct stack_state *state, const struct x86_instruction *is, uint32_t at, uint64_t origin);

/* After a call that may change the registers of `clobbered`, bit by bit, and what is below rsp. */
void stack_after_call(struct stack_state *state, uint16_t clobbered);

/* Keeps in *state what *other says too: two paths meet at `at`. False if nothing has changed. */
bool stack_meet(struct stack_state *state, const struct stack_state *other, uint32_t at);

/* The word at base + offset of a memory operand without index. */
struct stack_value stack_load(const struct stack_state *state, const struct x86_instruction *is);

/* Whether rsp is where it was at the first instruction: at the return address. */
bool stack_is_at_return(const struct stack_state *state);

/* The rule of an instruction that finds this state. Kind INVALID where the caller's frame cannot be found. */
struct st_unwind_rule stack_rule(const struct stack_state *state, uint64_t origin);
