/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of unwind_synthesis.h share. */
#pragma once

#include <string.h>

#include "core/base/cleanup.h"
#include "symbolize/cfi/code_returns.h"
#include "symbolize/cfi/stack_state.h"
#include "symbolize/cfi/unwind_synthesis.h"

enum {
	GAP_BYTES_MAX = 4 << 20, /* of one file; later gaps get no rows */
	GAP_DISTANCE_MAX = 1 << 27, /* from the first gap's start to the last one's end, for stack_step() */
	PASSES_MAX = 30, /* over the edges of one function */
	INSTRUCTIONS_MAX = 20000, /* of one function */
	PADDING_MAX = 64, /* bytes between functions */
	VISITS_MAX = 600000, /* of instructions, entries of jump tables and tries, in one file: about 200 ms */
	EDGES_PER_VISIT = 16, /* in find_proofs(), which counts as visits too */
	DEPTH_MAX = 64, /* functions that are begun because another one calls them */
	MARKS_TOUCHED = 1024, /* bytes of code, a page of marks */
	SITES_MAX = 1024, /* calls of parts of one function */
	TABLE_MAX = 1024, /* entries of a jump table */
	NOWHERE = 0x7fffffff, /* no instruction's number */
	CALLER_SAVED = 1 << X86_AX | 1 << X86_CX | 1 << X86_DX | 1 << X86_SI | 1 << X86_DI | 0xf00,
};

/* A byte of a gap: 0 nothing is known, INSIDE an instruction, or where an instruction begins, LOCAL or done, with its number. */
enum {
	MARK_INSIDE = 1u << 30,
	MARK_LOCAL = 2u << 30,
	MARK_DONE = 3u << 30,
	MARK_KIND = 3u << 30,
};

struct instruction {
	uint64_t address;
	struct x86_instruction is;
	struct stack_state state; /* before it */
	bool is_waiting; /* to be followed */
	bool is_sure; /* reached from the start without passing a call that may never return */
	bool is_proved; /* from here a return or a jump to another function is reached, and it finds the stack as it should */
};

/* One whose function is accepted. */
struct finished {
	struct st_unwind_rule rule;
	struct stack_value sp;
	uint8_t nr_bytes;
	bool is_proved;
};

/* The flow goes on from one instruction to another one. */
struct edge {
	uint32_t from, to; /* of `local` */
	bool is_doubtful; /* a call is between them that may never return */
};

struct start {
	bool is_function; /* a symbol names it, or a function calls it */
	enum {
		START_UNKNOWN,
		START_IN_WORK,
		START_REJECTED, /* it has no rows */
		START_DOUBTED, /* nor this one; but it would have some if something called it */
		START_RETURNS,
		START_NEVER_RETURNS,
	} status;
	bool has_return; /* START_RETURNS, and not only jumps to what may return */
	uint16_t clobbered; /* registers that a call to it may change, bit by bit */
};

struct synthesis {
	const struct elf_file *elf;
	const code_gaps *gaps;
	VEC(uint64_t) bases; /* of each gap: position of its first byte in code and marks */
	uint8_t *code;
	uint32_t *marks;
	uint8_t *touched; /* whether something was known of one of MARKS_TOUCHED bytes */
	uint32_t *start_at; /* of each byte: index into starts, + 1 */
	size_t last_gap; /* of position_of(): most addresses are in the same one */
	uint64_t origin; /* start of the first gap */
	VEC(struct start) starts;
	VEC(struct instruction) local; /* of the functions that are tried now, the innermost one last */
	VEC(uint32_t) waiting; /* of `local` */
	VEC(struct edge) edges; /* as they are found, some more than once */
	VEC(uint64_t) sites; /* of the functions that are tried now: addresses after calls of their parts */
	VEC(struct finished) finished;
	uint64_t nr_visits;
	uint32_t depth;
	struct code_returns *returns;
	struct synthesis_facts *facts;
};

/* Adds a start at an address in a gap, or a stronger reason for it. 0 or -ENOMEM. */
int synthesis_add_start(struct synthesis *it, uint64_t address, enum synthesis_reason reason);

/* Tries a function, unless it has been tried without a stronger reason. 0 or -ENOMEM. */
int synthesis_try(struct synthesis *it, uint64_t address, enum synthesis_reason reason);
