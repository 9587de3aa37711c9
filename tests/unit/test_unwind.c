/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Call frame information, good and bad, and the table that it becomes. */
#include <dwarf.h>
#include <elf.h>
#include <zlib.h>

#include "symbolize/cfi/unwind_compile.h"
#include "tests/unit/cfi_writer.h"
#include "tests/harness.h"
#include "tests/unwind_rule.h"

enum {
	RBP = 6,
	RSP = 7,
	RIP = 16,
};

struct file {
	struct cfi_writer writer;
	struct unwind_table table;
};

/* What compilers put into every CIE: the state behind a call. */
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

static void compile(struct file *file)
{
	assert_int_equal(compile_fd(file, cfi_writer_fd(&file->writer, ".eh_frame", SHF_ALLOC)), 0);
}

static struct st_unwind_rule rule_at(const struct file *file, uint64_t offset)
{
	return unwind_table_rule(&file->table, CFI_CODE + offset);
}

static void assert_sp(const struct file *file, uint64_t offset, int32_t cfa)
{
	struct st_unwind_rule rule = rule_at(file, offset);

	assert_int_equal(rule.kind, ST_UNWIND_SP);
	assert_int_equal(rule.offset, cfa);
}

static void assert_none(const struct file *file, uint64_t offset)
{
	assert_int_equal(rule_at(file, offset).kind, ST_UNWIND_INVALID);
}

/* ---- what instructions become ---- */

FIXTURE_TEST(a_frame_grows_and_shrinks)
{
	cfi_writer_fde(&file->writer, CFI_CODE + 0x100, 0x20,
		       INSTRUCTIONS(DW_CFA_advance_loc | 1, DW_CFA_def_cfa_offset, 16, DW_CFA_offset | RBP, 2,
				    DW_CFA_advance_loc | 3, DW_CFA_def_cfa_register, RBP, DW_CFA_advance_loc1, 20,
				    DW_CFA_remember_state, DW_CFA_def_cfa, RSP, 8, DW_CFA_advance_loc | 1,
				    DW_CFA_restore_state));
	compile(file);
	assert_none(file, 0xff);
	assert_sp(file, 0x100, 8);
	assert_sp(file, 0x101, 16);
	assert_int_equal(ST_UNWIND_HOW_BP(rule_at(file, 0x101).how), ST_UNWIND_BP_AT_CFA);
	assert_int_equal(rule_at(file, 0x101).bp_offset, -16);
	assert_int_equal(rule_at(file, 0x104).kind, ST_UNWIND_BP);
	assert_int_equal(rule_at(file, 0x104).offset, 16);
	assert_sp(file, 0x118, 8);
	assert_int_equal(rule_at(file, 0x119).kind, ST_UNWIND_BP);
	assert_int_equal(rule_at(file, 0x11f).kind, ST_UNWIND_BP);
	assert_none(file, 0x120);
	assert_int_equal(file->table.facts.nr_functions, 1);
}

/* What gcc writes where main() realigns its stack. */
FIXTURE_TEST(a_realigned_stack_is_found_through_its_slot)
{
	cfi_writer_fde(&file->writer, CFI_CODE, 0x20,
		       INSTRUCTIONS(DW_CFA_advance_loc | 4, DW_CFA_def_cfa, 10, 0, DW_CFA_advance_loc | 4,
				    DW_CFA_expression, RBP, 2, DW_OP_breg6, 0, DW_CFA_advance_loc | 4,
				    DW_CFA_def_cfa_expression, 3, DW_OP_breg6, 0x78, DW_OP_deref));
	compile(file);
	assert_int_equal(rule_at(file, 4).kind, ST_UNWIND_REGISTER);
	assert_int_equal(ST_UNWIND_HOW_REG(rule_at(file, 4).how), 10);
	assert_int_equal(ST_UNWIND_HOW_BP(rule_at(file, 8).how), ST_UNWIND_BP_AT_BP);
	assert_int_equal(rule_at(file, 12).kind, ST_UNWIND_DEREF_BP);
	assert_int_equal(rule_at(file, 12).at, -8);
	assert_int_equal(rule_at(file, 12).add, 0);
}

FIXTURE_TEST(the_other_shapes)
{
	struct cfi_writer *writer = &file->writer;

	cfi_writer_fde(writer, CFI_CODE, 0x20,
		       INSTRUCTIONS(DW_CFA_def_cfa_expression, 11, DW_OP_breg7, 8, DW_OP_breg16, 0, DW_OP_lit15,
				    DW_OP_and, DW_OP_lit11, DW_OP_ge, DW_OP_lit3, DW_OP_shl, DW_OP_plus));
	cfi_writer_fde(writer, CFI_CODE + 0x40, 0x10,
		       INSTRUCTIONS(DW_CFA_def_cfa_expression, 5, DW_OP_breg7, 56, DW_OP_deref, DW_OP_plus_uconst, 8));
	cfi_writer_fde(writer, CFI_CODE + 0x80, 0x10, INSTRUCTIONS(DW_CFA_undefined, RIP));
	cfi_writer_fde(writer, CFI_CODE + 0xc0, 0x10, INSTRUCTIONS(DW_CFA_def_cfa_offset, 0, DW_CFA_register, RIP, 5));
	cfi_writer_fde(writer, CFI_CODE + 0x100, 0x10, INSTRUCTIONS(DW_CFA_undefined, RBP));
	cfi_writer_fde(writer, CFI_CODE + 0x140, 0x10,
		       INSTRUCTIONS(DW_CFA_def_cfa_offset, 24, DW_CFA_expression, RBP, 2, DW_OP_breg7, 8));
	compile(file);
	assert_int_equal(rule_at(file, 0x1f).kind, ST_UNWIND_PLT);
	assert_int_equal(rule_at(file, 0).at, 8);
	assert_int_equal(rule_at(file, 0).add, 11);
	assert_int_equal(rule_at(file, 0x40).kind, ST_UNWIND_DEREF_SP);
	assert_int_equal(rule_at(file, 0x40).at, 56);
	assert_int_equal(rule_at(file, 0x40).add, 8);
	assert_int_equal(rule_at(file, 0x80).kind, ST_UNWIND_STOP);
	assert_sp(file, 0xc0, 0);
	assert_int_equal(ST_UNWIND_HOW_RA(rule_at(file, 0xc0).how), ST_UNWIND_RA_REGISTER);
	assert_int_equal(ST_UNWIND_HOW_REG(rule_at(file, 0xc0).how), 5);
	assert_int_equal(ST_UNWIND_HOW_BP(rule_at(file, 0x100).how), ST_UNWIND_BP_LOST);
	assert_int_equal(rule_at(file, 0x140).bp_offset, 8 - 24);
}

FIXTURE_TEST(a_signal_frame_is_known_by_its_augmentation)
{
	cfi_writer_cie(&file->writer, "zS", NO_INSTRUCTIONS);
	cfi_writer_fde(&file->writer, CFI_CODE + 0xf, 0xa,
		       INSTRUCTIONS(DW_CFA_def_cfa_expression, 4, DW_OP_breg7, 0xa0, 0x01, DW_OP_deref,
				    DW_CFA_expression, RIP, 3, DW_OP_breg7, 0xa8, 0x01));
	compile(file);
	assert_int_equal(rule_at(file, 0xf).kind, ST_UNWIND_SIGNAL);
	assert_int_equal(rule_at(file, 0xf).offset, 40);
}

/* Each is a function that rules cannot express: it has one that says so, and its neighbour has another. */
FIXTURE_TEST(what_cannot_be_expressed_has_a_rule_that_says_so)
{
	struct cfi_writer *writer = &file->writer;

	cfi_writer_fde(writer, CFI_CODE, 0x10, INSTRUCTIONS(DW_CFA_def_cfa, 17, 8));
	cfi_writer_fde(writer, CFI_CODE + 0x10, 0x10, INSTRUCTIONS(DW_CFA_offset | RIP, 2));
	cfi_writer_fde(writer, CFI_CODE + 0x20, 0x10, INSTRUCTIONS(DW_CFA_same_value, RIP));
	cfi_writer_fde(writer, CFI_CODE + 0x30, 0x10, INSTRUCTIONS(DW_CFA_def_cfa, 5, 0, DW_CFA_register, RIP, 1));
	cfi_writer_fde(writer, CFI_CODE + 0x40, 0x10,
		       INSTRUCTIONS(DW_CFA_def_cfa_expression, 3, DW_OP_breg3, 0, DW_OP_deref));
	cfi_writer_fde(writer, CFI_CODE + 0x50, 0x10,
		       INSTRUCTIONS(DW_CFA_def_cfa_offset, 0x80, 0x80, 0x80, 0x80, 0x10));
	cfi_writer_fde(writer, CFI_CODE + 0x60, 0x10, NO_INSTRUCTIONS);
	compile(file);
	for (uint64_t offset = 0; offset < 0x60; offset += 0x10)
		assert_int_equal(rule_at(file, offset).kind, ST_UNWIND_UNSUPPORTED);
	assert_sp(file, 0x60, 8);
	assert_int_equal(file->table.facts.nr_bad, 0);
}

/* ---- where rows are ---- */

FIXTURE_TEST(gaps_have_no_rule_and_padding_has)
{
	cfi_writer_fde(&file->writer, CFI_CODE + 0x130, 0x10, NO_INSTRUCTIONS); /* not in order */
	cfi_writer_fde(&file->writer, CFI_CODE + 0x100, 0x11, NO_INSTRUCTIONS);
	cfi_writer_fde(&file->writer, CFI_CODE + 0x120, 0x8, INSTRUCTIONS(DW_CFA_def_cfa_offset, 32));
	cfi_writer_fde(&file->writer, CFI_CODE + 0x150, 0x10, INSTRUCTIONS(DW_CFA_def_cfa_offset, 40));
	compile(file);
	assert_sp(file, 0x11f, 8);
	assert_sp(file, 0x12f, 32);
	assert_sp(file, 0x13f, 8);
	assert_none(file, 0x140);
	assert_none(file, 0x14f);
	assert_sp(file, 0x150, 40);
	assert_none(file, 0x160);
}

FIXTURE_TEST(the_next_function_ends_one_that_claims_too_much)
{
	cfi_writer_fde(&file->writer, CFI_CODE, UINT64_MAX / 2,
		       INSTRUCTIONS(DW_CFA_advance_loc1, 0x40, DW_CFA_def_cfa_offset, 48));
	cfi_writer_fde(&file->writer, CFI_CODE + 0x20, 0x10, NO_INSTRUCTIONS);
	cfi_writer_fde(&file->writer, CFI_CODE + 0x1000, UINT64_MAX, NO_INSTRUCTIONS);
	cfi_writer_fde(&file->writer, CFI_CODE + 0x2000, UINT64_MAX / 2, NO_INSTRUCTIONS);
	cfi_writer_fde(&file->writer, 0, 0x1000, NO_INSTRUCTIONS); /* no code there */
	cfi_writer_fde(&file->writer, CFI_CODE + CFI_CODE_SIZE, 0x1000, NO_INSTRUCTIONS);
	compile(file);
	assert_sp(file, 0x1f, 8);
	assert_sp(file, 0x20, 8);
	assert_none(file, 0x40);
	assert_none(file, 0x1000); /* it would wrap around */
	assert_sp(file, 0x2000, 8);
	assert_sp(file, CFI_CODE_SIZE - 1, 8);
	assert_none(file, CFI_CODE_SIZE);
	assert_int_equal(file->table.pages.nr, CFI_CODE_SIZE / 4096);
}

FIXTURE_TEST(every_page_begins_with_the_rule_in_force)
{
	cfi_writer_fde(&file->writer, CFI_CODE + 0xf00, 0x3000,
		       INSTRUCTIONS(DW_CFA_advance_loc2, 0x00, 0x01, DW_CFA_def_cfa_offset, 16, DW_CFA_advance_loc2,
				    0x00, 0x18, DW_CFA_def_cfa_offset, 24));
	compile(file);
	assert_sp(file, 0xfff, 8);
	assert_sp(file, 0x1000, 16);
	assert_sp(file, 0x27ff, 16);
	assert_sp(file, 0x2800, 24);
	assert_sp(file, 0x3000, 24);
	assert_none(file, 0x3f00);
	assert_none(file, 0x4000);
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
	cfi_writer_fde(&file->writer, CFI_CODE, 0x1800, program, sizeof(program));
	compile(file);
	assert_int_equal(ST_UNWIND_PAGE_NR(file->table.pages.data[0]), ST_UNWIND_PAGE_ROWS_MAX);
	assert_sp(file, 0x700, 8);
	assert_none(file, 0xfff);
	assert_sp(file, 0x1000, 8);
	assert_int_equal(file->table.facts.nr_bad, 1);
}

/* ---- where the information is ---- */

FIXTURE_TEST(without_sections_the_program_headers_lead_there)
{
	cfi_writer_fde(&file->writer, CFI_CODE, 0x10, NO_INSTRUCTIONS);
	assert_int_equal(compile_fd(file, cfi_writer_segment_fd(&file->writer)), 0);
	assert_sp(file, 0xf, 8);
}

static void rewrite_as_debug_frame(struct file *file)
{
	file->writer.bytes.nr = 0;
	file->writer.is_debug = true;
	cfi_writer_cie(&file->writer, "", AFTER_CALL);
	cfi_writer_fde(&file->writer, CFI_CODE, 0x10, INSTRUCTIONS(DW_CFA_def_cfa_offset, 64));
}

FIXTURE_TEST(debug_frame_is_read_where_there_is_no_eh_frame)
{
	rewrite_as_debug_frame(file);
	assert_int_equal(compile_fd(file, cfi_writer_fd(&file->writer, ".debug_frame", 0)), 0);
	assert_sp(file, 0, 64);
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
	assert_int_equal(compile_fd(file, cfi_writer_fd(&file->writer, ".debug_frame", SHF_COMPRESSED)), 0);
	assert_sp(file, 0, 64);
}

FIXTURE_TEST(debug_frame_may_be_compressed_the_old_way)
{
	uint8_t head[12] = "ZLIB";

	rewrite_as_debug_frame(file);
	head[11] = (uint8_t)file->writer.bytes.nr;
	compress_behind(&file->writer, head, sizeof(head));
	assert_int_equal(compile_fd(file, cfi_writer_fd(&file->writer, ".zdebug_frame", 0)), 0);
	assert_sp(file, 0, 64);
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
	cfi_writer_fde(&file->writer, CFI_CODE, 0x10, NO_INSTRUCTIONS);
	assert_int_equal(compile_fd(file, cfi_writer_fd(&file->writer, ".eh_frome", 0)), -ENODATA);
	file->writer.bytes.nr = 8; /* the CIE's first words */
	assert_int_equal(compile_fd(file, cfi_writer_fd(&file->writer, ".eh_frame", 0)), -ENODATA);
}

/* ---- nonsense ---- */

FIXTURE_TEST(a_function_with_nonsense_has_no_rule)
{
	struct cfi_writer *writer = &file->writer;

	cfi_writer_fde(writer, CFI_CODE, 0x10, INSTRUCTIONS(DW_CFA_advance_loc | 1, 0x3f));
	cfi_writer_fde(writer, CFI_CODE + 0x10, 0x10, INSTRUCTIONS(DW_CFA_restore_state));
	cfi_writer_fde(writer, CFI_CODE + 0x20, 0x10, INSTRUCTIONS(DW_CFA_def_cfa_expression, 0x7f));
	cfi_writer_fde(writer, CFI_CODE + 0x30, 0x10, NO_INSTRUCTIONS);
	compile(file);
	assert_none(file, 0);
	assert_none(file, 0x10);
	assert_none(file, 0x20);
	assert_sp(file, 0x30, 8);
	assert_int_equal(file->table.facts.nr_bad, 3);
	assert_int_equal(file->table.facts.nr_functions, 4);
}

FIXTURE_TEST(a_length_that_leads_away_ends_the_section)
{
	size_t second;

	cfi_writer_fde(&file->writer, CFI_CODE, 0x10, NO_INSTRUCTIONS);
	second = file->writer.bytes.nr;
	cfi_writer_fde(&file->writer, CFI_CODE + 0x10, 0x10, NO_INSTRUCTIONS);
	memset(file->writer.bytes.data + second, 0xee, 4);
	compile(file);
	assert_sp(file, 0, 8);
	assert_int_equal(file->table.facts.nr_functions, 1);
}

FIXTURE_TEST(an_unknown_cie_takes_its_functions_along)
{
	cfi_writer_fde(&file->writer, CFI_CODE, 0x10, NO_INSTRUCTIONS);
	cfi_writer_cie(&file->writer, "eh", AFTER_CALL);
	cfi_writer_fde(&file->writer, CFI_CODE + 0x100, 0x10, NO_INSTRUCTIONS);
	compile(file);
	assert_sp(file, 0, 8);
	assert_none(file, 0x100);
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
	assert_int_equal(rule_at(file, 15).kind, ST_UNWIND_INVALID);
	assert_int_equal(rule_at(file, 16).kind, ST_UNWIND_STOP);
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

	cfi_writer_fde(&file->writer, CFI_CODE + 0x100, 0x1000,
		       INSTRUCTIONS(DW_CFA_advance_loc | 1, DW_CFA_nop, DW_CFA_def_cfa_offset, 16));
	compile(file);
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

static void assert_return(const struct file *file, uint64_t offset, size_t nr)
{
	for (uint64_t at = offset - 1; at < offset + nr; at++) { /* a handler returns to its first byte */
		assert_int_equal(rule_at(file, at).kind, ST_UNWIND_SIGNAL);
		assert_int_equal(rule_at(file, at).offset, 40);
	}
	assert_none(file, offset - 2);
	assert_none(file, offset + nr);
}

FIXTURE_TEST(the_return_from_a_signal_needs_no_information)
{
	/* before, between and behind functions; across what is read at once */
	static const uint64_t wide[] = { 0xe0, 0x1000, 0x120 + 16384 - 4, 0xfff0 }, narrow = 0x5000;
	int fd;

	cfi_writer_fde(&file->writer, CFI_CODE + 0x100, 0x20, NO_INSTRUCTIONS);
	cfi_writer_fde(&file->writer, CFI_CODE + 0x8000, 0x20, NO_INSTRUCTIONS);
	fd = cfi_writer_fd(&file->writer, ".eh_frame", SHF_ALLOC);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(pwrite(fd, return_wide, sizeof(return_wide), (off_t)wide[i]), sizeof(return_wide));
	assert_int_equal(pwrite(fd, return_narrow, sizeof(return_narrow), narrow), sizeof(return_narrow));
	assert_int_equal(pwrite(fd, return_wide, sizeof(return_wide), 0x8004), sizeof(return_wide));
	assert_int_equal(compile_fd(file, fd), 0);
	for (size_t i = 0; i < 4; i++)
		assert_return(file, wide[i], sizeof(return_wide));
	assert_return(file, narrow, sizeof(return_narrow));
	assert_sp(file, 0x11f, 8);
	assert_sp(file, 0x8004, 8); /* what the file says counts */
}

FIXTURE_TEST(a_file_that_has_nothing_else_has_a_table_for_it)
{
	int fd = cfi_writer_fd(&file->writer, ".comment", 0);

	assert_int_equal(compile_fd(file, dup(fd)), -ENODATA);
	assert_int_equal(pwrite(fd, return_wide, sizeof(return_wide), 0x3000), sizeof(return_wide));
	assert_int_equal(compile_fd(file, fd), 0);
	assert_return(file, 0x3000, sizeof(return_wide));
	assert_none(file, 0x100);
}

static void set_entry(int fd, uint64_t offset)
{
	const uint64_t entry = CFI_CODE + offset;

	assert_int_equal(pwrite(fd, &entry, sizeof(entry), offsetof(Elf64_Ehdr, e_entry)), sizeof(entry));
}

static void assert_root(const struct file *file, uint64_t offset, uint64_t end)
{
	assert_none(file, offset - 1);
	for (uint64_t at = offset; at < end; at++)
		assert_int_equal(rule_at(file, at).kind, ST_UNWIND_STOP);
}

/* As ld.so's, whose bytes these are: no function before, one directly behind. */
FIXTURE_TEST(the_function_that_a_program_begins_with_is_the_root)
{
	static const uint8_t padding[] = { 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0 };
	int fd;

	cfi_writer_fde(&file->writer, CFI_CODE + 0x100, 0x20, NO_INSTRUCTIONS);
	cfi_writer_fde(&file->writer, CFI_CODE + 0x1000, 0x20, NO_INSTRUCTIONS);
	fd = cfi_writer_fd(&file->writer, ".eh_frame", SHF_ALLOC);

	set_entry(fd, 0xfe0); /* up to a function */
	assert_int_equal(compile_fd(file, dup(fd)), 0);
	assert_root(file, 0xfe0, 0x1000);
	assert_sp(file, 0x1000, 8);

	unwind_table_done(&file->table);
	set_entry(fd, 0x40); /* as long as it may be */
	assert_int_equal(compile_fd(file, dup(fd)), 0);
	assert_root(file, 0x40, 0x80);
	assert_none(file, 0x80);

	unwind_table_done(&file->table);
	set_entry(fd, 0x800); /* up to padding, and to what else is known */
	assert_int_equal(pwrite(fd, padding, sizeof(padding), 0x820), sizeof(padding));
	assert_int_equal(compile_fd(file, dup(fd)), 0);
	assert_root(file, 0x800, 0x820);
	assert_none(file, 0x822);

	unwind_table_done(&file->table);
	assert_int_equal(pwrite(fd, return_wide, sizeof(return_wide), 0x810), sizeof(return_wide));
	assert_int_equal(compile_fd(file, dup(fd)), 0);
	assert_root(file, 0x800, 0x80f);
	assert_int_equal(rule_at(file, 0x810).kind, ST_UNWIND_SIGNAL);
	assert_none(file, 0x810 + sizeof(return_wide));

	unwind_table_done(&file->table);
	set_entry(fd, 0x108); /* what the file says counts */
	assert_int_equal(compile_fd(file, fd), 0);
	assert_sp(file, 0x108, 8);
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
	int fd;

	cfi_writer_fde(&file->writer, CFI_CODE + 0x1000, 0x20, NO_INSTRUCTIONS);
	fd = cfi_writer_fd(&file->writer, ".eh_frame", SHF_ALLOC);
	set_entry(fd, 0xfe0);
	assert_int_equal(pwrite(fd, &type, 2, offsetof(Elf64_Ehdr, e_type)), 2);
	assert_int_equal(compile_fd(file, dup(fd)), 0);
	assert_root(file, 0xfe0, 0x1000);

	unwind_table_done(&file->table);
	assert_int_equal(pwrite(fd, &nr_segments, 2, offsetof(Elf64_Ehdr, e_phnum)), 2);
	assert_int_equal(pwrite(fd, &segment, sizeof(segment), sizeof(Elf64_Ehdr) + sizeof(segment)), sizeof(segment));
	assert_int_equal(pwrite(fd, dynamic, sizeof(dynamic), (off_t)dynamic_offset), sizeof(dynamic));
	assert_int_equal(pwrite(fd, "\0libc.so.6", 11, (off_t)names_offset), 11);
	assert_int_equal(compile_fd(file, fd), 0);
	assert_none(file, 0xfe0);
	assert_sp(file, 0x1000, 8);
}
