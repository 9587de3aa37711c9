/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Go's function table from anyone, in a program that is otherwise valid: the input is its section .gopclntab. */
#include "symbolize/elf/go_table.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct image_section section = {
		.name = ".gopclntab", .type = SHT_PROGBITS, .content = data, .size = size
	};
	unsigned char *bytes;
	struct symtab table;
	struct elf_file elf;
	size_t nr;

	if (size > IMAGE_CONTENT_MAX_BYTES)
		return 0;
	bytes = image_make(&section, &nr);
	if (elf_file_open_memory(&elf, bytes, nr))
		__builtin_trap();
	if (symtab_init(&table, &elf))
		__builtin_trap();
	if (!go_functions_add(&table, &elf) && !symtab_finish(&table))
		image_check_symbols(&table);
	symtab_done(&table);
	elf_file_done(&elf);
	free(bytes);
	return 0;
}
