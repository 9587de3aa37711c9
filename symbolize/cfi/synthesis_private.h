/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of unwind_synthesis.h. */
#pragma once

#include <string.h>

#include "core/base/cleanup.h"
#include "symbolize/cfi/code_returns.h"
#include "symbolize/cfi/stack_state.h"
#include "symbolize/cfi/unwind_synthesis.h"

enum {
	GAP_BYTES_MAX = 4 << 20, /* of one file; further gaps have no rows */
	GAP_DISTANCE_MAX = 1 << 27, /* from the start of the first gap to the end of the last, for stack_step() */
	PASSES_MAX = 30, /* over the edges of a function */
	INSTRUCTIONS_MAX = 20000, /* of a function */
	PADDING_MAX = 64, /* bytes between functions */
	VISITS_MAX = 600000, /* instructions, table entries and tries visited in one file: about 200 ms */
	EDGES_PER_VISIT = 16, /* in find_proofs(): this many edges count as a visit */
	DEPTH_MAX = 64, /* nested functions, each tried because of a call in the one before */
	MARKS_TOUCHED = 1024, /* bytes of code per element of `touched`: a page of marks */
	SITES_MAX = 1024, /* calls of parts in a function */
	TABLE_MAX = 1024, /* entries of a jump table */
	NOWHERE = 0x7fffffff, /* no index of an instruction */
	CALLER_SAVED = 1 << X86_AX | 1 << X86_CX | 1 << X86_DX | 1 << X86_SI | 1 << X86_DI | 0xf00,
};

/* The mark of a byte: 0, unknown; INSIDE an instruction; LOCAL or DONE, the first byte of an instruction, with its index. */
enum {
	MARK_INSIDE = 1u << 30,
	MARK_LOCAL = 2u << 30,
	MARK_DONE = 3u << 30,
	MARK_KIND = 3u << 30,
};

struct instruction {
	uint64_t address;
	struct x86_instruction is;
	struct stack_state state; /* before the instruction */
	bool is_waiting; /* in `waiting`, to be followed */
	bool is_sure; /* reached from the start without a call that may never return */
	bool is_proved; /* leads to a return or a jump to another function, with the right stack pointer */
};

/* An instruction of an accepted function. */
struct finished {
	struct st_unwind_rule rule;
	struct stack_value sp;
	uint8_t nr_bytes;
	bool is_proved;
};

/* One instruction leads to another. */
struct edge {
	uint32_t from, to; /* indexes in `local` */
	bool is_doubtful; /* by a call that may never return */
};

struct start {
	bool is_function; /* named by a symbol, or called by a function */
	enum {
		START_UNKNOWN,
		START_IN_WORK,
		START_REJECTED, /* no rows */
		START_DOUBTED, /* no rows, unless something calls it */
		START_RETURNS,
		START_NEVER_RETURNS,
	} status;
	bool has_return; /* START_RETURNS by a return, not only by jumps to functions that may return */
	uint16_t clobbered; /* bit mask of registers that a call may change */
};

struct synthesis {
	const struct elf_file *elf;
	const code_gaps *gaps;
	VEC(uint64_t) bases; /* for each gap, the index of its first byte in code and marks */
	uint8_t *code;
	uint32_t *marks;
	uint8_t *touched; /* per MARKS_TOUCHED bytes: whether something was marked */
	uint32_t *start_at; /* for each byte: index into starts, + 1 */
	size_t last_gap; /* gap of the last position_of(): most addresses are in the same */
	uint64_t origin; /* start of the first gap */
	VEC(struct start) starts;
	VEC(struct instruction) local; /* of the functions being tried, innermost last */
	VEC(uint32_t) waiting; /* indexes in `local` */
	VEC(struct edge) edges; /* in the order found; may repeat */
	VEC(uint64_t) sites; /* of the functions being tried: addresses after calls of their parts */
	VEC(struct finished) finished;
	uint64_t nr_visits;
	uint32_t depth;
	struct code_returns *returns;
	struct synthesis_facts *facts;
};

/* Adds a start at an address in a gap, or strengthens its reason. Returns 0 or -ENOMEM. */
int synthesis_add_start(struct synthesis *it, uint64_t address, enum synthesis_reason reason);

/* Tries a function, unless it was tried for at least as strong a reason. Returns 0 or -ENOMEM. */
int synthesis_try(struct synthesis *it, uint64_t address, enum synthesis_reason reason);
