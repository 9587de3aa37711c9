/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where functions without CFI may begin: symbols, targets of calls, and addresses in code or data of the file. */
#pragma once

#include "core/base/vec.h"
#include "symbolize/elf/elf_file.h"

struct code_gap {
	uint64_t start, end; /* addresses in one segment of code */
};

/* Why something may be a function; the strongest reason last. */
enum synthesis_reason {
	SYNTHESIS_JUMP, /* a possible jump leads there */
	SYNTHESIS_TAKEN, /* a possible call, a word of data, or an instruction has its address */
	SYNTHESIS_FUNCTION, /* a symbol names it, or known code calls it */
};

struct synthesis_start { /* 16 bytes, for radix_sort() */
	uint64_t address;
	uint64_t reason; /* enum synthesis_reason */
};

typedef VEC(struct synthesis_start) synthesis_starts;

/*
 * Appends the addresses in the gaps where functions may begin, ascending, each once. `gaps` must be ascending. Ignores parts of the file
 * beyond some limits. Returns 0 or -ENOMEM.
 */
int synthesis_starts_find(const struct elf_file *elf, const struct code_gap *gaps, size_t nr_gaps,
			  synthesis_starts *starts);
