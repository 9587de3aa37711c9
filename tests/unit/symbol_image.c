/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/unit/symbol_image.h"

#include "tests/unit/name_text.h"
#include "tests/harness.h"

int symbol_image_open(const struct elf_writer *writer, struct elf_file *ret_elf, struct symtab *ret_table)
{
	int fd = elf_writer_fd(writer);

	assert_int_equal(elf_file_open(ret_elf, fd), 0);
	assert_int_equal(symtab_init(ret_table, ret_elf), 0);
	assert_int_equal(symtab_add(ret_table, ret_elf), 0);
	assert_int_equal(symtab_finish(ret_table), 0);
	return fd;
}

const char *symbol_image_name(const struct symtab *table, uint64_t offset, char *text)
{
	const struct symtab_symbol *symbol = symtab_lookup(table, offset);
	char scratch[NAME_MAX_BYTES];

	return name_text(symbol ? symtab_name(table, symbol, scratch) : (struct name){ "", 0 }, text);
}
