/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/unit/symbol_image.h"

#include "tests/unit/extents.h"
#include "tests/unit/name_text.h"
#include "tests/harness.h"

void symbol_image_set_up(struct symbol_image *image)
{
	elf_writer_init(&image->writer, ET_DYN);
	elf_writer_code(&image->writer, ADDRESS, OFFSET, SIZE);
	image->fd = -1;
}

void symbol_image_tear_down(struct symbol_image *image)
{
	symtab_done(&image->table);
	elf_file_done(&image->elf);
	elf_writer_done(&image->writer);
	closep(&image->fd);
}

void symbol_image_open(struct symbol_image *image)
{
	if (!image->writer.image.nr)
		elf_writer_finish(&image->writer);
	image->fd = elf_writer_fd(&image->writer);
	assert_int_equal(elf_file_open(&image->elf, image->fd), 0);
}

void symbol_image_read(struct symbol_image *image)
{
	symbol_image_open(image);
	assert_int_equal(symtab_init(&image->table, &image->elf), 0);
	assert_int_equal(symtab_add(&image->table, &image->elf), 0);
	assert_int_equal(symtab_finish(&image->table), 0);
}

static const char *name_of(void *context, uint64_t place)
{
	static char text[NAME_MAX_BYTES + 1];
	struct symbol_image *image = context;
	const struct symtab_symbol *symbol =
		symtab_lookup(&image->table, image->writer.segments.data[0].p_offset + place);
	char scratch[NAME_MAX_BYTES];

	return symbol ? name_text(symtab_name(&image->table, symbol, scratch), text) : "";
}

void expect_names(struct symbol_image *image, const char *expected)
{
	if (image->fd < 0)
		symbol_image_read(image);
	expect_extents(name_of, image, 0, image->writer.segments.data[0].p_filesz + 0x100, expected);
	assert_string_equal(name_of(image, (uint64_t)-1), "");
	assert_string_equal(name_of(image, (uint64_t)-0x80000000), "");
}
