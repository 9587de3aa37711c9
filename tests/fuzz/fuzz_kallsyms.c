/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's list is to be trusted, but what is handed over under its name need not be the kernel's. */
#include "symbolize/kernel/kallsyms.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_(closep) int fd = fuzz_file(data, size);
	struct kernel_function function;
	struct kallsyms kallsyms;

	if (fd < 0 || kallsyms_read(&kallsyms, fd))
		return 0;
	for (size_t i = 0; i < kallsyms.symbols.nr; i++) {
		uint64_t address = kallsyms.symbols.data[i].address;

		if (i && address < kallsyms.symbols.data[i - 1].address)
			__builtin_trap();
		if (kallsyms_lookup(&kallsyms, address, &function) && (function.start != address || !*function.name))
			__builtin_trap();
		kallsyms_lookup(&kallsyms, address - 1, &function);
	}
	kallsyms_lookup(&kallsyms, UINT64_MAX, &function);
	kallsyms_done(&kallsyms);
	return 0;
}
