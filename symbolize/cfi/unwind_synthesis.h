/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows for code without CFI, from its instructions: docs/internals/unwind-synthesis.md.
 *
 * A function is followed from its start with the state of stack_state.h. It gets rows only if it is consistent: each `ret` and each jump to
 * another function finds the stack pointer where it was at the start, and everything reached is code.
 */
#pragma once

#include "core/base/vec.h"
#include "symbolize/cfi/unwind_cfi.h"
#include "symbolize/cfi/synthesis_starts.h"
#include "symbolize/elf/elf_file.h"
#include "symbolize/x86/instruction.h"

typedef VEC(struct code_gap) code_gaps;

struct stack_state;

struct synthesis_facts {
	uint64_t nr_bytes; /* of all gaps within the limits */
	uint64_t nr_claimed; /* bytes of instructions with a rule */
	uint32_t nr_functions, nr_rejected;
	bool cut; /* a limit was reached */
	/* For tests, or NULL: called for each accepted instruction with the state before it. */
	void (*observe)(void *context, uint64_t address, const struct x86_instruction *is,
			const struct stack_state *state);
	void *context;
};

/*
 * Appends rows for the gaps, ascending; a row without a rule where knowledge ends. `gaps` must be ascending. Adds to *facts. Returns 0,
 * -ENOMEM, or as elf_file.h.
 */
int unwind_synthesise(const struct elf_file *elf, const code_gaps *gaps, struct cfi_rows *rows,
		      struct synthesis_facts *facts);
