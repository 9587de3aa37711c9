/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code without CFI from anyone: rows are in order and inside of the code, and no rule puts a caller below its callee. The first bytes say
 * where functions may begin. And where the first function ends.
 */
#include "symbolize/cfi/function_ends.h"
#include "symbolize/cfi/unwind_synthesis.h"
#include "tests/fuzz/fuzz.h"

enum {
	NR_STARTS = 8,
	CODE = 0x10000,
};

static void check(const struct cfi_rows *rows, uint64_t end)
{
	for (size_t i = 0; i < rows->rows.nr; i++) {
		const struct cfi_row *row = &rows->rows.data[i];

		if (row->address < CODE || row->address > end || (i && row->address <= row[-1].address))
			__builtin_trap();
		if (row->rule.kind >= ST_UNWIND_NR_KINDS || row->rule.kind == ST_UNWIND_STOP)
			__builtin_trap();
		if (row->rule.kind == ST_UNWIND_SP && row->rule.offset < 0)
			__builtin_trap();
	}
}

static bool is_even(void *context, uint64_t address)
{
	(void)context;
	return !(address & 15);
}

/* Where the function at the beginning ends: in order, inside of the code, and each at an instruction once. */
static void check_ends(const struct elf_file *elf, uint64_t size, uint64_t end)
{
	function_ends ends = {};
	int err = function_ends_find(elf, CODE, size, is_even, NULL, &ends);

	for (size_t i = 0; !err && i < ends.nr; i++)
		if (ends.data[i].address < CODE || ends.data[i].address >= end ||
		    (i && ends.data[i].address <= ends.data[i - 1].address))
			__builtin_trap();
	vec_done(&ends);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct elf_file elf = { .fd = -1, .is_64 = true, .type = ET_DYN, .machine = EM_X86_64 };
	struct synthesis_facts facts = {};
	struct cfi_rows rows = {};
	uint64_t words[NR_STARTS];
	code_gaps gaps = {};
	uint8_t *bytes;

	if (size <= NR_STARTS || size > 1 << 16)
		return 0;
	for (size_t i = 0; i < NR_STARTS; i++)
		words[i] = CODE + 16 * (uint64_t)data[i];
	elf.size = sizeof(words) + size - NR_STARTS;
	bytes = malloc(elf.size);
	if (!bytes)
		return 0;
	memcpy(bytes, words, sizeof(words));
	memcpy(bytes + sizeof(words), data + NR_STARTS, size - NR_STARTS);
	elf.memory = bytes;
	vec_push(&elf.segments, (Elf64_Phdr){ .p_type = PT_LOAD, .p_flags = PF_R, .p_filesz = sizeof(words) });
	vec_push(&elf.segments, (Elf64_Phdr){ .p_type = PT_LOAD,
					      .p_flags = PF_R | PF_X,
					      .p_vaddr = CODE,
					      .p_offset = sizeof(words),
					      .p_filesz = size - NR_STARTS });
	vec_push(&gaps, (struct code_gap){ CODE, CODE + size - NR_STARTS });
	if (unwind_synthesise(&elf, &gaps, &rows, &facts) || facts.nr_claimed > facts.nr_bytes)
		__builtin_trap();
	check(&rows, gaps.data[0].end);
	check_ends(&elf, 0, gaps.data[0].end);
	check_ends(&elf, (size - NR_STARTS) / 2, gaps.data[0].end);
	vec_done(&rows.rows);
	vec_done(&gaps);
	vec_done(&elf.segments);
	free(bytes);
	return 0;
}
