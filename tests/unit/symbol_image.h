/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A library as the readers of symbolize/ get it: an open file with its table of symbols.
 *
 *	elf_writer_function(&image->writer, "first", ADDRESS + 0x100, 0x20);
 *	expect_names(image, "100-11f first");
 */
#pragma once

#include "symbolize/elf/symtab.h"
#include "tests/unit/elf_writer.h"

/* Where the code of the library is. */
enum {
	ADDRESS = 0x2000,
	OFFSET = 0x1000,
	SIZE = 0x3000
};

struct symbol_image {
	struct elf_writer writer;
	struct elf_file elf; /* these are there when it is read */
	struct symtab table;
	int fd; /* -1: it is not read yet */
};

void symbol_image_set_up(struct symbol_image *image);
void symbol_image_tear_down(struct symbol_image *image);

#define IMAGE_TEST(name) TEST_WITH(struct symbol_image, image, name, symbol_image_set_up, symbol_image_tear_down)

/* Finishes the image, unless it is finished, and opens the file. */
void symbol_image_open(struct symbol_image *image);

/* And reads its symbols. */
void symbol_image_read(struct symbol_image *image);

/* The names of the first segment's code, each place counted from the start of the segment: extents.h. */
void expect_names(struct symbol_image *image, const char *expected);
