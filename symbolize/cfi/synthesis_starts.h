/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where functions without CFI may begin: symbols, targets of calls, and addresses that code or data of the file have. */
#pragma once

#include "core/base/vec.h"
#include "symbolize/elf/elf_file.h"

struct code_gap {
	uint64_t start, end; /* addresses of one segment of code */
};

/* Why something may be a function, the strongest reason last. */
enum synthesis_reason {
	SYNTHESIS_JUMP, /* what may be a jump leads there */
	SYNTHESIS_TAKEN, /* what may be a call, or a word of data, or an instruction has its address */
	SYNTHESIS_FUNCTION, /* it is one: a symbol names it, or known code calls it */
};

struct synthesis_start { /* 16 bytes, for radix_sort() */
	uint64_t address;
	uint64_t reason; /* enum synthesis_reason */
};

typedef VEC(struct synthesis_start) synthesis_starts;

/*
 * Appends the places in the gaps, which are in ascending order, where functions may begin: by ascending address, each once. What the file
 * has beyond some limits is not looked at. 0 or -ENOMEM.
 */
int synthesis_starts_find(const struct elf_file *elf, const struct code_gap *gaps, size_t nr_gaps,
			  synthesis_starts *starts);
