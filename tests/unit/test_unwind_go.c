/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of Go programs: .gopclntab, byte by byte. */

#include "symbolize/cfi/unwind_compile.h"
#include "tests/unit/cfi_writer.h"
#include "tests/unit/unwind_text.h"
#include "tests/harness.h"

enum {
	NAMES = 0x100, /* where names begin and end in the section; there are none */
	NAMES_END = 0x101,
	PROGRAMS = 0x400, /* where the tables of distances begin in the section */
	FUNCTIONS = 0x800, /* where the list of functions begins */
	RECORDS = 0x100, /* from there: where a struct _func begins */
	RECORD_BYTES = 0x40,
	TOP_FRAME = 1,
	SP_WRITE = 2,
};

/* A version of the format. */
struct layout {
	uint32_t magic, entry_bytes, id;
};

static const struct layout go_116 = { 0xfffffffa, 8, 40 }, go_118 = { 0xfffffff0, 4, 36 },
			   go_120 = { 0xfffffff1, 4, 40 };

struct program {
	struct cfi_writer writer; /* its bytes are the section */
	const struct layout *layout;
	uint64_t nr_functions, nr_distances;
	struct unwind_table table;
};

static void put(struct program *program, size_t position, uint64_t number, size_t nr_bytes)
{
	memcpy(program->writer.bytes.data + position, &number, nr_bytes);
}

static void begin(struct program *program, const struct layout *layout)
{
	bool is_new = layout->entry_bytes == 4;

	program->layout = layout;
	for (size_t i = 0; i < 0x1000; i++)
		vec_push(&program->writer.bytes, 0);
	put(program, 0, layout->magic, 4);
	put(program, 6, 1, 1); /* quantum */
	put(program, 7, 8, 1); /* bytes of a pointer */
	put(program, 8 + 8 * 2, is_new ? CFI_CODE : 0, 8);
	put(program, 8 + 8 * (is_new ? 3 : 2), NAMES, 8);
	put(program, 8 + 8 * (is_new ? 4 : 3), NAMES_END, 8);
	put(program, 8 + 8 * (is_new ? 6 : 5), PROGRAMS, 8);
	put(program, 8 + 8 * (is_new ? 7 : 6), FUNCTIONS, 8);
}

static uint64_t entry_of(const struct program *program, uint64_t offset)
{
	return program->layout->entry_bytes == 4 ? offset : CFI_CODE + offset;
}

/* A function of the code, with the table of distances that these bytes are. */
static void add(struct program *program, uint64_t offset, uint8_t id, uint8_t flags, const uint8_t *distances,
		size_t nr)
{
	uint32_t entry_bytes = program->layout->entry_bytes;
	uint64_t record = RECORDS + RECORD_BYTES * program->nr_functions, place = FUNCTIONS + record;
	uint64_t list = FUNCTIONS + 2 * entry_bytes * program->nr_functions;

	put(program, list, entry_of(program, offset), entry_bytes);
	put(program, list + entry_bytes, record, entry_bytes);
	put(program, place + entry_bytes + 12, program->nr_distances, 4);
	put(program, place + program->layout->id, id, 1);
	put(program, place + program->layout->id + 1, flags, 1);
	memcpy(program->writer.bytes.data + PROGRAMS + program->nr_distances, distances, nr);
	program->nr_distances += nr;
	put(program, 8, ++program->nr_functions, 8);
}

static int end(struct program *program, uint64_t offset, const uint8_t *code, size_t nr_code, uint64_t at)
{
	_cleanup_(closep) int fd = -1;
	struct elf_file elf;
	int err;

	put(program, FUNCTIONS + 2 * program->layout->entry_bytes * program->nr_functions, entry_of(program, offset),
	    program->layout->entry_bytes);
	fd = cfi_writer_fd(&program->writer, ".gopclntab", 0);
	assert_int_equal(pwrite(fd, code, nr_code, (off_t)at), nr_code);
	assert_int_equal(elf_file_open(&elf, fd), 0);
	err = unwind_compile(&elf, &program->table);
	elf_file_done(&elf);
	if (!err)
		assert_true(unwind_table_is_valid(&program->table));
	return err;
}

static void done(struct program *program)
{
	cfi_writer_done(&program->writer);
	unwind_table_done(&program->table);
}

/* Ends the code at this offset; then its rules. */
static void expect(struct program *program, uint64_t offset, const char *expected)
{
	assert_int_equal(end(program, offset, NULL, 0, 0), 0);
	expect_rules(&program->table, expected);
}

/* 0 for 4 bytes, 24 for 0x30 bytes, 0 for the rest: numbers are twice as large for their sign, the first from -1 on. */
#define A_FRAME INSTRUCTIONS(2, 4, 48, 0x30, 47, 0x0c, 0)

TEST(distances_become_rows_in_every_version)
{
	const struct layout *const layouts[] = { &go_116, &go_118, &go_120 };

	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
		_cleanup_(done) struct program program = {};

		begin(&program, layouts[i]);
		add(&program, 0x100, 0, 0, A_FRAME);
		add(&program, 0x140, 0, 0, INSTRUCTIONS(2, 0x20, 0));
		expect(&program, 0x160, "100-103 sp+8, 104-133 sp+32 bp@cfa-16, 134-15f sp+8");
	}
}

TEST(roots_and_changes_of_the_stack_are_known_by_their_flags)
{
	_cleanup_(done) struct program program = {};

	begin(&program, &go_120);
	add(&program, 0x100, 7, TOP_FRAME, A_FRAME); /* goexit */
	add(&program, 0x140, 0, TOP_FRAME, A_FRAME); /* sigtramp */
	add(&program, 0x180, 2, SP_WRITE, A_FRAME); /* asmcgocall */
	expect(&program, 0x1c0,
	       "100-13f stop, 140-143 sp+8, 144-173 sp+32 bp@cfa-16, 174-17f sp+8, 180-1bf bp+16 ra elsewhere bp@cfa-16");
}

TEST(the_return_from_a_signal_is_known_by_its_code)
{
	static const uint8_t code[] = { 0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05, 0xcc };
	_cleanup_(done) struct program program = {};

	begin(&program, &go_118);
	add(&program, 0x140, 0, 0, INSTRUCTIONS(2, 0x20, 0));
	add(&program, 0x160, 0, 0, INSTRUCTIONS(2, 0x20, 0));
	assert_int_equal(end(&program, 0x180, code, sizeof(code), 0x160), 0);
	expect_rules(&program.table, "140-15e sp+8, 15f-17f signal+40");
}

TEST(nonsense_has_no_rule_and_its_neighbour_has)
{
	_cleanup_(done) struct program program = {};

	begin(&program, &go_118);
	add(&program, 0x100, 0, 0, INSTRUCTIONS(2, 0)); /* of no code */
	add(&program, 0x140, 0, 0, INSTRUCTIONS(9, 4, 0)); /* below rsp */
	add(&program, 0x180, 0, 0, A_FRAME);
	expect(&program, 0x1c0, "180-183 sp+8, 184-1b3 sp+32 bp@cfa-16, 1b4-1bf sp+8");
}

TEST(an_entry_that_leads_back_has_no_rule_nor_has_what_follows)
{
	_cleanup_(done) struct program program = {};

	begin(&program, &go_118);
	add(&program, 0x100, 0, 0, A_FRAME);
	add(&program, 0x80, 0, 0, A_FRAME);
	expect(&program, 0x1c0, "");
}

TEST(a_header_that_is_not_known_is_no_table)
{
	static const struct {
		size_t position, nr_bytes;
		uint64_t number;
	} wrong[] = {
		{ 0, 4, 0xfffffffb }, /* before 1.16 */
		{ 6, 1, 4 }, /* another processor's steps */
		{ 7, 1, 4 }, /* of 32 bits */
		{ 8, 8, UINT64_MAX }, { 8 + 8 * 6, 8, UINT64_MAX }, { 8 + 8 * 7, 8, 0xfff },
	};

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		_cleanup_(done) struct program program = {};

		begin(&program, &go_118);
		add(&program, 0x100, 0, 0, A_FRAME);
		put(&program, wrong[i].position, wrong[i].number, wrong[i].nr_bytes);
		program.nr_functions = 1;
		assert_true(end(&program, 0x140, NULL, 0, 0) < 0);
	}
}
