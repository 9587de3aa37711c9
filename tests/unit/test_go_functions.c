/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions of Go programs, from tables of each form. */
#include "symbolize/elf/go_table.h"

#include "tests/unit/symbol_image.h"
#include "tests/harness.h"

enum {
	ADDRESS = 0x2000,
	OFFSET = 0x1000,
	SIZE = 0x3000,
	TABLE = 0x8000, /* where the table is loaded */
};

struct fixture {
	struct elf_writer writer;
	struct symtab table;
	_Alignas(8) unsigned char go[512];
	size_t nr;
	char text[NAME_MAX_BYTES + 1];
};

static void set_up(struct fixture *fixture)
{
	elf_writer_init(&fixture->writer, ET_DYN);
	elf_writer_code(&fixture->writer, ADDRESS, OFFSET, SIZE);
}

static void tear_down(struct fixture *fixture)
{
	symtab_done(&fixture->table);
	elf_writer_done(&fixture->writer);
}

#define FIXTURE_TEST(name) TEST_WITH(struct fixture, fixture, name, set_up, tear_down)

static void put(struct fixture *fixture, uint64_t value, size_t nr_bytes)
{
	memcpy(fixture->go + fixture->nr, &value, nr_bytes);
	fixture->nr += nr_bytes;
}

static void put_text(struct fixture *fixture, const char *text)
{
	memcpy(fixture->go + fixture->nr, text, strlen(text) + 1);
	fixture->nr += strlen(text) + 1;
}

/* main.main of 0x40 bytes at the start of the text, and main.(*T).f of 0x20 behind it, as Go 1.18 and 1.20 write it. */
static void make_new(struct fixture *fixture, uint32_t magic, uint64_t text)
{
	put(fixture, magic, 4);
	put(fixture, 0x08010000, 4);
	put(fixture, 2, 8); /* functions */
	put(fixture, 1, 8); /* files */
	put(fixture, text, 8);
	put(fixture, 72, 8); /* names */
	put(fixture, 96, 8); /* compilation units */
	put(fixture, 96, 8);
	put(fixture, 96, 8);
	put(fixture, 96, 8); /* functions */
	put_text(fixture, "main.main");
	put_text(fixture, "main.(*T).f");
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
		put(fixture, functions, width);
		put(fixture, functions, width);
		put(fixture, functions, width);
		put(fixture, functions, width);
		put_text(fixture, "main.main");
		put_text(fixture, "main.(*T).f");
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
	if (is_first) {
		put_text(fixture, "main.main");
		put_text(fixture, "main.(*T).f");
	}
	fixture->nr = fixture->nr < 128 ? 128 : fixture->nr;
}

static void finish(struct fixture *fixture, const char *section)
{
	_cleanup_(elf_file_done) struct elf_file elf;
	_cleanup_(closep) int fd;

	elf_writer_extra(&fixture->writer, section, &(Elf64_Shdr){ .sh_type = SHT_PROGBITS, .sh_addr = TABLE },
			 fixture->go, fixture->nr);
	elf_writer_finish(&fixture->writer);
	fd = elf_writer_fd(&fixture->writer);
	assert_int_equal(elf_file_open(&elf, fd), 0);
	assert_int_equal(symtab_init(&fixture->table, &elf), 0);
	assert_int_equal(go_functions_add(&fixture->table, &elf), 0);
	assert_int_equal(symtab_finish(&fixture->table), 0);
}

static const char *name_at(struct fixture *fixture, uint64_t offset)
{
	return symbol_image_name(&fixture->table, OFFSET + offset, fixture->text);
}

static void expect_both(struct fixture *fixture)
{
	assert_string_equal(name_at(fixture, 0), "main.main");
	assert_string_equal(name_at(fixture, 0x3f), "main.main");
	assert_string_equal(name_at(fixture, 0x40), "main.(*T).f");
	assert_string_equal(name_at(fixture, 0x5f), "main.(*T).f");
	assert_string_equal(name_at(fixture, 0x60), "");
}

FIXTURE_TEST(the_form_of_1_20)
{
	make_new(fixture, 0xfffffff1, ADDRESS);
	finish(fixture, ".gopclntab");
	expect_both(fixture);
}

FIXTURE_TEST(the_form_of_1_18)
{
	make_new(fixture, 0xfffffff0, ADDRESS);
	finish(fixture, ".data.rel.ro.gopclntab");
	expect_both(fixture);
}

FIXTURE_TEST(the_form_of_1_16)
{
	make_old(fixture, 0xfffffffa, 8);
	finish(fixture, ".gopclntab");
	expect_both(fixture);
}

FIXTURE_TEST(the_form_of_1_2_in_32_bits)
{
	make_old(fixture, 0xfffffffb, 4);
	finish(fixture, ".gopclntab");
	expect_both(fixture);
}

TEST(broken_tables_name_nothing)
{
	static const size_t spoilt[] = { 0, 4, 5, 6, 7, 8 + 3, 32 + 5, 64 + 5 };

	for (size_t i = 0; i < sizeof(spoilt) / sizeof(*spoilt); i++) {
		struct fixture one = {}, *fixture = &one;

		set_up(fixture);
		make_new(fixture, 0xfffffff1, ADDRESS);
		fixture->go[spoilt[i]] ^= 0x7c;
		finish(fixture, ".gopclntab");
		assert_string_equal(name_at(fixture, 0), "");
		tear_down(fixture);
	}
}
