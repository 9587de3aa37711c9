/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Call frame information from anyone: what comes out is a valid table, and every address has an answer. */
#include "symbolize/cfi/unwind_compile.h"
#include "tests/fuzz/fuzz.h"
#include "tests/unwind_rule.h"

static void check(const struct unwind_table *table)
{
	if (!unwind_table_is_valid(table))
		__builtin_trap();
	for (size_t i = 0; i <= table->pages.nr && i < 4096; i++)
		if (unwind_table_rule(table, ((table->first_page + i) << ST_UNWIND_PAGE_SHIFT) + i % 4096).kind >=
		    ST_UNWIND_NR_KINDS)
			__builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_(closep) int fd = fuzz_file(data, size);
	struct unwind_table table;
	struct elf_file elf;

	if (fd < 0 || elf_file_open(&elf, fd))
		return 0;
	if (!unwind_compile(&elf, &table)) {
		check(&table);
		unwind_table_done(&table);
	}
	elf_file_done(&elf);
	return 0;
}
