/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions of Go programs, from tables of each form. */
#include "symbolize/elf/go_table.h"

#include "tests/unit/symbol_image.h"
#include "tests/harness.h"

#define TABLE 0x8000 /* where the table is loaded */

struct fixture {
	struct symbol_image image;
	_Alignas(8) unsigned char go[512];
	size_t nr;
};

static void put(struct fixture *fixture, uint64_t value, size_t nr_bytes)
{
	memcpy(fixture->go + fixture->nr, &value, nr_bytes);
	fixture->nr += nr_bytes;
}

static void put_names(struct fixture *fixture)
{
	static const char names[] = "main.main\0main.(*T).f";

	memcpy(fixture->go + fixture->nr, names, sizeof(names));
	fixture->nr += sizeof(names);
}

/* main.main of 0x40 bytes at the start of the text, and main.(*T).f of 0x20 after it, as Go 1.18 and 1.20 write it. */
static void make_new(struct fixture *fixture, uint32_t magic)
{
	put(fixture, magic, 4);
	put(fixture, 0x08010000, 4);
	put(fixture, 2, 8); /* functions */
	put(fixture, 1, 8); /* files */
	put(fixture, ADDRESS, 8); /* the text */
	put(fixture, 72, 8); /* names */
	for (int i = 0; i < 4; i++) /* compilation units, files, values of the program counter, functions */
		put(fixture, 96, 8);
	put_names(fixture);
	fixture->nr = 96;
	for (uint32_t i = 0; i < 2; i++) {
		put(fixture, 0x40 * i, 4); /* entry */
		put(fixture, 20 + 8 * i, 4); /* record */
	}
	put(fixture, 0x60, 4); /* the end of the last */
	put(fixture, 0, 4);
	put(fixture, 0, 4); /* record: entry, name */
	put(fixture, 0x40, 4);
	put(fixture, 10, 4);
}

/* The same as Go 1.16 and before, or 1.2 to 1.15, wrote it, with words of the machine. */
static void make_old(struct fixture *fixture, uint32_t magic, size_t width)
{
	bool is_first = magic == 0xfffffffb;
	uint64_t names = is_first ? 8 + width + 5 * width + 2 * (width + 4) : 8 + 7 * width, functions = names + 24;

	put(fixture, magic, 4);
	put(fixture, width << 24 | 0x00010000, 4);
	put(fixture, 2, width);
	if (!is_first) {
		put(fixture, 1, width);
		put(fixture, names, width);
		for (int i = 0; i < 4; i++)
			put(fixture, functions, width);
		put_names(fixture);
		fixture->nr = functions;
	}
	for (uint64_t i = 0; i < 2; i++) {
		put(fixture, ADDRESS + 0x40 * i, width);
		put(fixture, 5 * width + (width + 4) * i + (is_first ? 8 + width : 0), width);
	}
	put(fixture, ADDRESS + 0x60, width);
	for (uint64_t i = 0; i < 2; i++) {
		put(fixture, ADDRESS + 0x40 * i, width);
		put(fixture, 10 * i + (is_first ? names : 0), 4);
	}
	if (is_first)
		put_names(fixture);
	fixture->nr = fixture->nr < 128 ? 128 : fixture->nr;
}

static void expect_functions(struct fixture *fixture, const char *section, const char *expected)
{
	struct symbol_image *image = &fixture->image;

	symbol_image_set_up(image);
	elf_writer_extra(&image->writer, section, &(Elf64_Shdr){ .sh_type = SHT_PROGBITS, .sh_addr = TABLE },
			 fixture->go, fixture->nr);
	symbol_image_open(image);
	assert_int_equal(symtab_init(&image->table, &image->elf), 0);
	assert_int_equal(go_functions_add(&image->table, &image->elf), 0);
	assert_int_equal(symtab_finish(&image->table), 0);
	expect_names(image, expected);
	symbol_image_tear_down(image);
}

TEST(functions_of_each_form_are_found)
{
	static const struct {
		uint32_t magic;
		size_t width; /* 0: tables with offsets, from 1.18 on */
		const char *section;
	} forms[] = {
		{ 0xfffffff1, 0, ".gopclntab" }, /* 1.20 */
		{ 0xfffffff0, 0, ".data.rel.ro.gopclntab" }, /* 1.18 */
		{ 0xfffffffa, 8, ".gopclntab" }, /* 1.16 */
		{ 0xfffffffb, 4, ".gopclntab" }, /* 1.2, 32 bits */
	};

	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		struct fixture fixture = {};

		if (forms[i].width)
			make_old(&fixture, forms[i].magic, forms[i].width);
		else
			make_new(&fixture, forms[i].magic);
		expect_functions(&fixture, forms[i].section, "0-3f main.main, 40-5f main.(*T).f");
	}
}

TEST(broken_tables_name_nothing)
{
	static const size_t spoilt[] = { 0, 4, 5, 6, 7, 8 + 3, 32 + 5, 64 + 5 };

	for (size_t i = 0; i < ARRAY_SIZE(spoilt); i++) {
		struct fixture fixture = {};

		make_new(&fixture, 0xfffffff1);
		fixture.go[spoilt[i]] ^= 0x7c;
		expect_functions(&fixture, ".gopclntab", "");
	}
}
