/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Call frame information, good and bad, and the table that it becomes. */
#include <dwarf.h>
#include <elf.h>
#include <zlib.h>

#include "symbolize/cfi/unwind_compile.h"
#include "tests/unit/cfi_writer.h"
#include "tests/unit/unwind_text.h"
#include "tests/harness.h"

enum {
	RBP = 6,
	RSP = 7,
	RIP = 16,
};

struct file {
	struct cfi_writer writer;
	struct unwind_table table;
};

/* What compilers put into every CIE: the state after a call. */
#define AFTER_CALL INSTRUCTIONS(DW_CFA_def_cfa, RSP, 8, DW_CFA_offset | RIP, 1)

static void set_up(struct file *file)
{
	cfi_writer_cie(&file->writer, "", AFTER_CALL);
}

static void tear_down(struct file *file)
{
	cfi_writer_done(&file->writer);
	unwind_table_done(&file->table);
}

#define FIXTURE_TEST(name) TEST_WITH(struct file, file, name, set_up, tear_down)

static int compile_fd(struct file *file, int fd)
{
	_cleanup_(closep) int given = fd;
	struct elf_file elf;
	int err = elf_file_open(&elf, given);

	if (err)
		return err;
	err = unwind_compile(&elf, &file->table);
	elf_file_done(&elf);
	if (!err)
		assert_true(unwind_table_is_valid(&file->table));
	return err;
}

/* A function of the code; its offset counts from the start of the code. */
static void add_function(struct file *file, uint64_t offset, uint64_t length, const uint8_t *instructions, size_t nr)
{
	cfi_writer_fde(&file->writer, CFI_CODE + offset, length, instructions, nr);
}

/* The rules of this file, which is left open. */
static void expect_of(struct file *file, int fd, const char *expected)
{
	unwind_table_done(&file->table);
	assert_int_equal(compile_fd(file, dup(fd)), 0);
	expect_rules(&file->table, expected);
}

/* The rules of what is written, as a section with this name. */
static void expect_section(struct file *file, const char *name, uint64_t flags, const char *expected)
{
	_cleanup_(closep) int fd = cfi_writer_fd(&file->writer, name, flags);

	expect_of(file, fd, expected);
}

static void expect(struct file *file, const char *expected)
{
	expect_section(file, ".eh_frame", SHF_ALLOC, expected);
}

/* ---- what instructions become ---- */

FIXTURE_TEST(a_frame_grows_and_shrinks)
{
	add_function(file, 0x100, 0x20,
		     INSTRUCTIONS(DW_CFA_advance_loc | 1, DW_CFA_def_cfa_offset, 16, DW_CFA_offset | RBP, 2,
				  DW_CFA_advance_loc | 3, DW_CFA_def_cfa_register, RBP, DW_CFA_advance_loc1, 20,
				  DW_CFA_remember_state, DW_CFA_def_cfa, RSP, 8, DW_CFA_advance_loc | 1,
				  DW_CFA_restore_state));
	expect(file, "100-100 sp+8, 101-103 sp+16 bp@cfa-16, 104-117 bp+16 bp@cfa-16, 118-118 sp+8 bp@cfa-16, "
		     "119-11f bp+16 bp@cfa-16");
	assert_int_equal(file->table.facts.nr_functions, 1);
}

/* What gcc writes where main() realigns its stack. */
FIXTURE_TEST(a_realigned_stack_is_found_through_its_slot)
{
	add_function(file, 0, 0x20,
		     INSTRUCTIONS(DW_CFA_advance_loc | 4, DW_CFA_def_cfa, 10, 0, DW_CFA_advance_loc | 4,
				  DW_CFA_expression, RBP, 2, DW_OP_breg6, 0, DW_CFA_advance_loc | 4,
				  DW_CFA_def_cfa_expression, 3, DW_OP_breg6, 0x78, DW_OP_deref));
	expect(file, "0-3 sp+8, 4-7 r10+0, 8-b r10+0 bp@bp+0, c-1f *(bp-8)+0 bp@bp+0");
}

FIXTURE_TEST(the_other_shapes)
{
	add_function(file, 0, 0x20,
		     INSTRUCTIONS(DW_CFA_def_cfa_expression, 11, DW_OP_breg7, 8, DW_OP_breg16, 0, DW_OP_lit15,
				  DW_OP_and, DW_OP_lit11, DW_OP_ge, DW_OP_lit3, DW_OP_shl, DW_OP_plus));
	add_function(file, 0x40, 0x10,
		     INSTRUCTIONS(DW_CFA_def_cfa_expression, 5, DW_OP_breg7, 56, DW_OP_deref, DW_OP_plus_uconst, 8));
	add_function(file, 0x80, 0x10, INSTRUCTIONS(DW_CFA_undefined, RIP));
	add_function(file, 0xc0, 0x10, INSTRUCTIONS(DW_CFA_def_cfa_offset, 0, DW_CFA_register, RIP, 5));
	add_function(file, 0x100, 0x10, INSTRUCTIONS(DW_CFA_undefined, RBP));
	add_function(file, 0x140, 0x10,
		     INSTRUCTIONS(DW_CFA_def_cfa_offset, 24, DW_CFA_expression, RBP, 2, DW_OP_breg7, 8));
	add_function(file, 0x180, 0x10, INSTRUCTIONS(DW_CFA_expression, RBP, 2, DW_OP_breg3, 8));
	expect(file, "0-1f plt+8:11, 40-4f *(sp+56)+8, 80-8f stop, c0-cf sp+0 ra=r5, 100-10f sp+8 bp lost, "
		     "140-14f sp+24 bp@cfa-16, 180-18f sp+8 bp lost");
}

FIXTURE_TEST(a_signal_frame_is_known_by_its_augmentation)
{
	cfi_writer_cie(&file->writer, "zS", NO_INSTRUCTIONS);
	add_function(file, 0xf, 0xa,
		     INSTRUCTIONS(DW_CFA_def_cfa_expression, 4, DW_OP_breg7, 0xa0, 0x01, DW_OP_deref, DW_CFA_expression,
				  RIP, 3, DW_OP_breg7, 0xa8, 0x01));
	expect(file, "f-18 signal+40");
}

/* What OpenSSL's assembler writes for bn_mul_mont: a register has the number of words between rsp and the saved one. */
FIXTURE_TEST(a_register_counts_the_words_above_the_stack_pointer)
{
	add_function(file, 0, 0x10,
		     INSTRUCTIONS(DW_CFA_def_cfa_expression, 10, DW_OP_breg7, 8, DW_OP_breg9, 0, DW_OP_lit8, DW_OP_mul,
				  DW_OP_plus, DW_OP_deref, DW_OP_plus_uconst, 8, DW_CFA_offset | RBP, 3));
	expect(file, "0-f *(sp+8+8*r9)+8 bp@cfa-24");
	add_function(file, 0x10, 0x10, /* cut short */
		     INSTRUCTIONS(DW_CFA_def_cfa_expression, 6, DW_OP_breg7, 8, DW_OP_breg9, 0, DW_OP_lit8, DW_OP_mul));
	add_function(file, 0x20, 0x10, /* without deref */
		     INSTRUCTIONS(DW_CFA_def_cfa_expression, 7, DW_OP_breg7, 8, DW_OP_breg9, 0, DW_OP_lit8, DW_OP_mul,
				  DW_OP_plus));
	add_function(file, 0x30, 0x10, /* another factor */
		     INSTRUCTIONS(DW_CFA_def_cfa_expression, 8, DW_OP_breg7, 8, DW_OP_breg9, 0, DW_OP_lit4, DW_OP_mul,
				  DW_OP_plus, DW_OP_deref));
	add_function(file, 0x40, 0x10, /* no general register */
		     INSTRUCTIONS(DW_CFA_def_cfa_expression, 8, DW_OP_breg7, 8, DW_OP_breg16, 0, DW_OP_lit8, DW_OP_mul,
				  DW_OP_plus, DW_OP_deref));
	add_function(file, 0x50, 0x10, /* the rule has one register, not two */
		     INSTRUCTIONS(DW_CFA_def_cfa_expression, 8, DW_OP_breg7, 8, DW_OP_breg9, 0, DW_OP_lit8, DW_OP_mul,
				  DW_OP_plus, DW_OP_deref, DW_CFA_register, RIP, 1));
	expect(file, "0-f *(sp+8+8*r9)+8 bp@cfa-24, 10-5f unsupported");
}

/* Each is a function that rules cannot express: it has one that says so, and its neighbour has another. */
FIXTURE_TEST(what_cannot_be_expressed_has_a_rule_that_says_so)
{
	add_function(file, 0, 0x10, INSTRUCTIONS(DW_CFA_def_cfa, 17, 8));
	add_function(file, 0x10, 0x10, INSTRUCTIONS(DW_CFA_offset | RIP, 2));
	add_function(file, 0x20, 0x10, INSTRUCTIONS(DW_CFA_same_value, RIP));
	add_function(file, 0x30, 0x10, INSTRUCTIONS(DW_CFA_def_cfa, 5, 0, DW_CFA_register, RIP, 1));
	add_function(file, 0x40, 0x10, INSTRUCTIONS(DW_CFA_def_cfa_expression, 3, DW_OP_breg3, 0, DW_OP_deref));
	add_function(file, 0x50, 0x10, INSTRUCTIONS(DW_CFA_def_cfa_offset, 0x80, 0x80, 0x80, 0x80, 0x10));
	add_function(file, 0x60, 0x10, NO_INSTRUCTIONS);
	expect(file, "0-5f unsupported, 60-6f sp+8");
	assert_int_equal(file->table.facts.nr_bad, 0);
}

/* ---- where rows are ---- */

FIXTURE_TEST(gaps_have_no_rule_and_padding_has)
{
	add_function(file, 0x130, 0x10, NO_INSTRUCTIONS); /* not in order */
	add_function(file, 0x100, 0x11, NO_INSTRUCTIONS);
	add_function(file, 0x120, 0x8, INSTRUCTIONS(DW_CFA_def_cfa_offset, 32));
	add_function(file, 0x150, 0x10, INSTRUCTIONS(DW_CFA_def_cfa_offset, 40));
	expect(file, "100-11f sp+8, 120-12f sp+32, 130-13f sp+8, 150-15f sp+40");
}

FIXTURE_TEST(the_next_function_ends_one_that_claims_too_much)
{
	add_function(file, 0, UINT64_MAX / 2, INSTRUCTIONS(DW_CFA_advance_loc1, 0x40, DW_CFA_def_cfa_offset, 48));
	add_function(file, 0x20, 0x10, NO_INSTRUCTIONS);
	add_function(file, 0x1000, UINT64_MAX, NO_INSTRUCTIONS);
	add_function(file, 0x2000, UINT64_MAX / 2, NO_INSTRUCTIONS);
	add_function(file, 0ull - CFI_CODE, 0x1000, NO_INSTRUCTIONS); /* no code there */
	add_function(file, CFI_CODE_SIZE, 0x1000, NO_INSTRUCTIONS);
	expect(file, "0-2f sp+8, 2000-ffff sp+8");
	assert_int_equal(file->table.pages.nr, CFI_CODE_SIZE / 4096);
}

FIXTURE_TEST(every_page_begins_with_the_rule_in_force)
{
	add_function(file, 0xf00, 0x3000,
		     INSTRUCTIONS(DW_CFA_advance_loc2, 0x00, 0x01, DW_CFA_def_cfa_offset, 16, DW_CFA_advance_loc2, 0x00,
				  0x18, DW_CFA_def_cfa_offset, 24));
	expect(file, "f00-fff sp+8, 1000-27ff sp+16, 2800-3eff sp+24");
	assert_int_equal(ST_UNWIND_PAGE_NR(file->table.pages.data[1]), 1);
	assert_int_equal(ST_UNWIND_PAGE_NR(file->table.pages.data[4]), 0);
	assert_int_equal(file->table.rows.nr, 2 + 1 + 2 + 2);
}

FIXTURE_TEST(a_page_with_too_many_rows_ends_without_rules)
{
	uint8_t program[0x1000 * 3];

	for (size_t i = 0; i < 0x1000; i++) {
		program[3 * i] = DW_CFA_advance_loc | 1;
		program[3 * i + 1] = DW_CFA_def_cfa_offset;
		program[3 * i + 2] = i % 2 ? 8 : 16;
	}
	add_function(file, 0, 0x1800, program, sizeof(program));
	assert_int_equal(compile_fd(file, cfi_writer_fd(&file->writer, ".eh_frame", SHF_ALLOC)), 0);
	assert_string_equal(rule_text(&file->table, 0x700), "sp+8");
	assert_string_equal(rule_text(&file->table, 0x701), "sp+16");
	assert_string_equal(rule_text(&file->table, 0xfff), "");
	assert_string_equal(rule_text(&file->table, 0x1000), "sp+8");
	assert_int_equal(ST_UNWIND_PAGE_NR(file->table.pages.data[0]), ST_UNWIND_PAGE_ROWS_MAX);
	assert_int_equal(file->table.facts.nr_bad, 1);
}

/* ---- where the information is ---- */

FIXTURE_TEST(without_sections_the_program_headers_lead_there)
{
	add_function(file, 0, 0x10, NO_INSTRUCTIONS);
	assert_int_equal(compile_fd(file, cfi_writer_segment_fd(&file->writer)), 0);
	expect_rules(&file->table, "0-f sp+8");
}

static void rewrite_as_debug_frame(struct file *file)
{
	file->writer.bytes.nr = 0;
	file->writer.is_debug = true;
	cfi_writer_cie(&file->writer, "", AFTER_CALL);
	add_function(file, 0, 0x10, INSTRUCTIONS(DW_CFA_def_cfa_offset, 64));
}

FIXTURE_TEST(debug_frame_is_read_where_there_is_no_eh_frame)
{
	rewrite_as_debug_frame(file);
	expect_section(file, ".debug_frame", 0, "0-f sp+64");
}

/* Replaces the bytes by `nr_head` bytes and their compressed form. */
static void compress_behind(struct cfi_writer *writer, const void *head, size_t nr_head)
{
	uLongf nr = compressBound(writer->bytes.nr);
	uint8_t *packed = malloc(nr_head + nr);

	memcpy(packed, head, nr_head);
	assert_int_equal(compress(packed + nr_head, &nr, writer->bytes.data, writer->bytes.nr), Z_OK);
	free(writer->bytes.data);
	writer->bytes.data = packed;
	writer->bytes.nr = writer->bytes.room = nr_head + nr;
}

FIXTURE_TEST(debug_frame_may_be_compressed)
{
	Elf64_Chdr head = { .ch_type = ELFCOMPRESS_ZLIB };

	rewrite_as_debug_frame(file);
	head.ch_size = file->writer.bytes.nr;
	compress_behind(&file->writer, &head, sizeof(head));
	expect_section(file, ".debug_frame", SHF_COMPRESSED, "0-f sp+64");
}

FIXTURE_TEST(debug_frame_may_be_compressed_the_old_way)
{
	uint8_t head[12] = "ZLIB";

	rewrite_as_debug_frame(file);
	head[11] = (uint8_t)file->writer.bytes.nr;
	compress_behind(&file->writer, head, sizeof(head));
	expect_section(file, ".zdebug_frame", 0, "0-f sp+64");
}

FIXTURE_TEST(a_wrong_size_of_compressed_bytes_is_refused)
{
	Elf64_Chdr head = { .ch_type = ELFCOMPRESS_ZLIB, .ch_size = 1 << 20 };

	rewrite_as_debug_frame(file);
	compress_behind(&file->writer, &head, sizeof(head));
	assert_int_equal(compile_fd(file, cfi_writer_fd(&file->writer, ".debug_frame", SHF_COMPRESSED)), -EBADMSG);
}

FIXTURE_TEST(a_file_without_any_says_so)
{
	add_function(file, 0, 0x10, NO_INSTRUCTIONS);
	assert_int_equal(compile_fd(file, cfi_writer_fd(&file->writer, ".eh_frome", 0)), -ENODATA);
	file->writer.bytes.nr = 8; /* the CIE's first words */
	assert_int_equal(compile_fd(file, cfi_writer_fd(&file->writer, ".eh_frame", 0)), -ENODATA);
}

/* ---- nonsense ---- */

FIXTURE_TEST(a_function_with_nonsense_has_no_rule)
{
	add_function(file, 0, 0x10, INSTRUCTIONS(DW_CFA_advance_loc | 1, 0x3f));
	add_function(file, 0x10, 0x10, INSTRUCTIONS(DW_CFA_restore_state));
	add_function(file, 0x20, 0x10, INSTRUCTIONS(DW_CFA_def_cfa_expression, 0x7f));
	add_function(file, 0x30, 0x10, NO_INSTRUCTIONS);
	expect(file, "30-3f sp+8");
	assert_int_equal(file->table.facts.nr_bad, 3);
	assert_int_equal(file->table.facts.nr_functions, 4);
}

FIXTURE_TEST(a_length_that_leads_away_ends_the_section)
{
	size_t second;

	add_function(file, 0, 0x10, NO_INSTRUCTIONS);
	second = file->writer.bytes.nr;
	add_function(file, 0x10, 0x10, NO_INSTRUCTIONS);
	memset(file->writer.bytes.data + second, 0xee, 4);
	expect(file, "0-f sp+8");
	assert_int_equal(file->table.facts.nr_functions, 1);
}

FIXTURE_TEST(an_unknown_cie_takes_its_functions_along)
{
	add_function(file, 0, 0x10, NO_INSTRUCTIONS);
	cfi_writer_cie(&file->writer, "eh", AFTER_CALL);
	add_function(file, 0x100, 0x10, NO_INSTRUCTIONS);
	expect(file, "0-f sp+8");
}

FIXTURE_TEST(a_table_is_not_for_any_address)
{
	const uint64_t highest = UNWIND_FIRST_PAGE_MAX << ST_UNWIND_PAGE_SHIFT;
	_cleanup_(unwind_builder_done) struct unwind_builder builder;

	assert_int_equal(unwind_builder_init(&builder, 0, (uint64_t)UNWIND_PAGES_MAX * 4096 + 1), -E2BIG);
	assert_int_equal(unwind_builder_init(&builder, highest + 4096, highest + 8192), -E2BIG);
	assert_int_equal(unwind_builder_init(&builder, 16, 16), -E2BIG);
	assert_int_equal(unwind_builder_init(&builder, highest, highest + 4096), 0);
	assert_int_equal(unwind_builder_add(&builder, highest - 1, (struct st_unwind_rule){ .kind = 1 }), -ERANGE);
	assert_int_equal(unwind_builder_add(&builder, highest + 4096, (struct st_unwind_rule){ .kind = 1 }), -ERANGE);
}

FIXTURE_TEST(an_address_below_the_last_one_is_taken_for_it)
{
	struct unwind_builder builder;

	assert_int_equal(unwind_builder_init(&builder, CFI_CODE, CFI_CODE + 4096), 0);
	assert_int_equal(unwind_builder_add(&builder, CFI_CODE + 16, (struct st_unwind_rule){ .kind = ST_UNWIND_SP }),
			 0);
	assert_int_equal(unwind_builder_add(&builder, CFI_CODE + 15, (struct st_unwind_rule){ .kind = ST_UNWIND_STOP }),
			 0);
	assert_int_equal(unwind_builder_finish(&builder, &file->table), 0);
	assert_true(unwind_table_is_valid(&file->table));
	expect_rules(&file->table, "10-fff stop");
}

/* ---- a worker that lies ---- */

FIXTURE_TEST(an_address_follows_from_a_place_in_the_file)
{
	const struct unwind_table table = {
		.segments = { { 0x1230, 0x1000, 0x401230 }, { 0x3000, 0x10, 0x803000 } },
		.nr_segments = 2,
	};
	uint64_t address = 0;

	assert_int_equal(unwind_table_address_of_offset(&table, 0x1000, &address), 0);
	assert_int_equal(address, 0x401000);
	assert_int_equal(unwind_table_address_of_offset(&table, 0x2fff, &address), 0);
	assert_int_equal(address, 0x402fff);
	assert_int_equal(unwind_table_address_of_offset(&table, 0x3008, &address), 0);
	assert_int_equal(address, 0x803008);
	assert_int_equal(unwind_table_address_of_offset(&table, 0xfff, &address), -ENODATA);
	assert_int_equal(unwind_table_address_of_offset(&table, 0x4000, &address), -ENODATA);
}

FIXTURE_TEST(a_table_of_nonsense_is_not_sound)
{
	struct unwind_table *table = &file->table;

	add_function(file, 0x100, 0x1000, INSTRUCTIONS(DW_CFA_advance_loc | 1, DW_CFA_nop, DW_CFA_def_cfa_offset, 16));
	expect(file, "100-100 sp+8, 101-10ff sp+16");
#define UNSOUND(place, value)                               \
	do {                                                \
		__typeof__(place) was = place;              \
		place = value;                              \
		assert_false(unwind_table_is_valid(table)); \
		place = was;                                \
		assert_true(unwind_table_is_valid(table));  \
	} while (0)
	UNSOUND(table->nr_segments, UNWIND_SEGMENTS_MAX + 1);
	UNSOUND(table->pages.data[0], ST_UNWIND_PAGE(0, 2048));
	UNSOUND(table->pages.data[0], ST_UNWIND_PAGE(1, 3));
	UNSOUND(table->pages.data[1], ST_UNWIND_PAGE(UINT32_MAX, UINT32_MAX));
	UNSOUND(table->pages.nr, 1);
	UNSOUND(table->rows.nr, table->rows.nr - 1);
	UNSOUND(table->rows.data[0], ST_UNWIND_ROW(1, 0));
	UNSOUND(table->rows.data[1], ST_UNWIND_ROW(0, 1));
	UNSOUND(table->rows.data[1], ST_UNWIND_ROW(0x100, table->rules.nr));
	UNSOUND(table->rules.nr, 0);
	UNSOUND(table->rules.data[0].kind, ST_UNWIND_STOP);
	UNSOUND(table->rules.data[1].kind, ST_UNWIND_NR_KINDS);
	UNSOUND(table->rules.data[1].how, ST_UNWIND_HOW(0, 3, 0));
	UNSOUND(table->first_page, UINT64_MAX);
}

/* ---- what code says by itself ---- */

/* musl's and Go's: mov $15, %rax or %eax; syscall. */
static const uint8_t return_wide[] = { 0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05 };
static const uint8_t return_narrow[] = { 0xb8, 15, 0, 0, 0, 0x0f, 0x05 };

static void write_at(int fd, uint64_t offset, const void *bytes, size_t nr)
{
	assert_int_equal(pwrite(fd, bytes, nr, (off_t)offset), nr);
}

/* A handler returns to its first byte, so the rule begins one before. Where the file says something, that counts. */
FIXTURE_TEST(the_return_from_a_signal_needs_no_information)
{
	/* before, between and after functions; across what is read at once */
	static const uint64_t wide[] = { 0xe0, 0x1000, 0x120 + 16384 - 4, 0xfff0 }, narrow = 0x5000;
	_cleanup_(closep) int fd = -1;

	add_function(file, 0x100, 0x20, NO_INSTRUCTIONS);
	add_function(file, 0x8000, 0x20, NO_INSTRUCTIONS);
	fd = cfi_writer_fd(&file->writer, ".eh_frame", SHF_ALLOC);
	for (size_t i = 0; i < 4; i++)
		write_at(fd, wide[i], return_wide, sizeof(return_wide));
	write_at(fd, narrow, return_narrow, sizeof(return_narrow));
	write_at(fd, 0x8004, return_wide, sizeof(return_wide));
	expect_of(file, fd,
		  "df-e8 signal+40, 100-11f sp+8, fff-1008 signal+40, 411b-4124 signal+40, 4fff-5006 signal+40, "
		  "8000-801f sp+8, ffef-fff8 signal+40");
}

FIXTURE_TEST(a_file_that_has_nothing_else_has_a_table_for_it)
{
	_cleanup_(closep) int fd = cfi_writer_fd(&file->writer, ".comment", 0);

	assert_int_equal(compile_fd(file, dup(fd)), -ENODATA);
	write_at(fd, 0x3000, return_wide, sizeof(return_wide));
	expect_of(file, fd, "2fff-3008 signal+40");
}

static void set_entry(int fd, uint64_t offset)
{
	const uint64_t entry = CFI_CODE + offset;

	write_at(fd, offsetof(Elf64_Ehdr, e_entry), &entry, sizeof(entry));
}

/* As ld.so's, whose bytes these are: no function before, one directly after. */
FIXTURE_TEST(the_function_that_a_program_begins_with_is_the_root)
{
	static const uint8_t padding[] = { 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0 };
	_cleanup_(closep) int fd = -1;

	add_function(file, 0x100, 0x20, NO_INSTRUCTIONS);
	add_function(file, 0x1000, 0x20, NO_INSTRUCTIONS);
	fd = cfi_writer_fd(&file->writer, ".eh_frame", SHF_ALLOC);

	set_entry(fd, 0xfe0); /* up to a function */
	expect_of(file, fd, "100-11f sp+8, fe0-fff stop, 1000-101f sp+8");

	set_entry(fd, 0x40); /* as long as it may be */
	expect_of(file, fd, "40-7f stop, 100-11f sp+8, 1000-101f sp+8");

	set_entry(fd, 0x800); /* up to padding, and to what else is known */
	write_at(fd, 0x820, padding, sizeof(padding));
	expect_of(file, fd, "100-11f sp+8, 800-821 stop, 1000-101f sp+8");

	write_at(fd, 0x810, return_wide, sizeof(return_wide));
	expect_of(file, fd, "100-11f sp+8, 800-80e stop, 80f-818 signal+40, 1000-101f sp+8");

	set_entry(fd, 0x108); /* what the file says counts */
	expect_of(file, fd, "100-11f sp+8, 80f-818 signal+40, 1000-101f sp+8");
}

/* As glibc's, whose unwind information is that of a called function: what makecontext() has called returns to its first byte. */
FIXTURE_TEST(the_function_that_ends_a_context_is_a_root)
{
	static const uint8_t begin[] = { 0x48, 0x89, 0xdc, 0x48, 0x8b, 0x3c, 0x24, 0x48, 0x85, 0xff, 0x74, 0x08 };
	_cleanup_(closep) int fd = -1;

	add_function(file, 0x100, 0x19, NO_INSTRUCTIONS);
	add_function(file, 0x120, 0x1a, NO_INSTRUCTIONS); /* after padding */
	add_function(file, 0x140, 0x20, NO_INSTRUCTIONS);
	add_function(file, 0x160, 0x1a, NO_INSTRUCTIONS); /* without */
	add_function(file, 0x1000, 0x1a, NO_INSTRUCTIONS); /* after much that has no information */
	add_function(file, 0x1020, 0x9, NO_INSTRUCTIONS); /* too short */
	add_function(file, 0x1040, 0x1000, NO_INSTRUCTIONS); /* too long */
	fd = cfi_writer_fd(&file->writer, ".eh_frame", SHF_ALLOC);
	expect_of(file, fd, "100-179 sp+8, 1000-1028 sp+8, 1040-203f sp+8");
	for (size_t i = 0; i < 5; i++)
		write_at(fd, (const uint64_t[]){ 0x120, 0x160, 0x1000, 0x1020, 0x1040 }[i], begin, sizeof(begin));
	expect_of(file, fd,
		  "100-11e sp+8, 11f-13f stop, 140-15f sp+8, 160-179 stop, fff-101f stop, 1020-1028 sp+8, "
		  "1040-203f sp+8");
}

/* The linker's guess: the first byte of the code. */
FIXTURE_TEST(the_entry_of_a_library_is_no_root)
{
	const uint64_t dynamic_offset = 0x3e00, names_offset = 0x3f00;
	const Elf64_Dyn dynamic[] = { { DT_NEEDED, { 1 } },
				      { DT_STRTAB, { CFI_CODE + names_offset } },
				      { DT_STRSZ, { 16 } } };
	const Elf64_Phdr segment = { .p_type = PT_DYNAMIC, .p_offset = dynamic_offset, .p_filesz = sizeof(dynamic) };
	const uint16_t nr_segments = 2, type = ET_DYN;
	_cleanup_(closep) int fd = -1;

	add_function(file, 0x1000, 0x20, NO_INSTRUCTIONS);
	fd = cfi_writer_fd(&file->writer, ".eh_frame", SHF_ALLOC);
	set_entry(fd, 0xfe0);
	write_at(fd, offsetof(Elf64_Ehdr, e_type), &type, 2);
	expect_of(file, fd, "fe0-fff stop, 1000-101f sp+8");

	write_at(fd, offsetof(Elf64_Ehdr, e_phnum), &nr_segments, 2);
	write_at(fd, sizeof(Elf64_Ehdr) + sizeof(segment), &segment, sizeof(segment));
	write_at(fd, dynamic_offset, dynamic, sizeof(dynamic));
	write_at(fd, names_offset, "\0libc.so.6", 11);
	expect_of(file, fd, "1000-101f sp+8");
}
