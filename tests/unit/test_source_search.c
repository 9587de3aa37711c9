/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Source lines and inlined calls out of debug sections that are written byte by byte. */
#include "symbolize/dwarf/source_search.h"

#include <dwarf.h>

#include "tests/unit/dwarf_writer.h"
#include "tests/harness.h"

enum {
	CODE = 0x2000,
	CALL = CODE + 0x10, /* 8 bytes of an inlined call at line 7 */
	NEXT = CODE + 0x30, /* 8 bytes of another one */
	OTHER = CODE + 0x40,
	CODE_END = CODE + 0x100,
};

struct fixture {
	struct bytes abbrev, info, line;
	size_t callee;  /* where its entry is in its unit */
	size_t origin;  /* and where the first call refers to it */
	size_t directory; /* in .debug_line: of callee.h */
	uint64_t small_max; /* for dwarf_open() */
};

static void set_length(struct bytes *bytes, size_t at)
{
	uint32_t length = (uint32_t)(bytes->nr - at - 4);

	memcpy(bytes->data + at, &length, 4);
}

static void write_abbrev(struct bytes *abbrev)
{
	PUT_ABBREV(abbrev, 1, DW_TAG_compile_unit, true, DW_AT_stmt_list, DW_FORM_sec_offset, DW_AT_comp_dir,
		   DW_FORM_string, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4);
	PUT_ABBREV(abbrev, 2, DW_TAG_subprogram, true, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4);
	PUT_ABBREV(abbrev, 3, DW_TAG_inlined_subroutine, false, DW_AT_abstract_origin, DW_FORM_ref4, DW_AT_low_pc,
		   DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4, DW_AT_call_file, DW_FORM_data1, DW_AT_call_line,
		   DW_FORM_data1);
	PUT_ABBREV(abbrev, 4, DW_TAG_subprogram, false, DW_AT_abstract_origin, DW_FORM_ref4, DW_AT_name,
		   DW_FORM_string);
	PUT_ABBREV(abbrev, 5, DW_TAG_partial_unit, false, DW_AT_stmt_list, DW_FORM_sec_offset);
	put(abbrev, 0, 1);
}

/* 8 bytes of "callee" at an address. Returns where it refers to that. */
static size_t put_call(struct fixture *fixture, uint64_t address, uint8_t line)
{
	struct bytes *info = &fixture->info;
	size_t origin;

	put(info, 3, 1);
	origin = info->nr;
	put(info, fixture->callee, 4);
	put(info, address, 8);
	put(info, 8, 4);
	put(info, 1, 1); /* call_file */
	put(info, line, 1);
	return origin;
}

static void put_unit(struct bytes *info)
{
	put(info, 0, 4); /* its length, later */
	put(info, 4, 2); /* version */
	put(info, 0, 4);
	put(info, 8, 1);
}

/* A unit of a version to come: it is passed over. */
static void put_strange_unit(struct bytes *info)
{
	size_t start = info->nr;

	put(info, 0, 4);
	put(info, 9, 2);
	put_text(info, "whatever this may mean");
	set_length(info, start);
}

/* What follows it has the same line program, and only that tells its directory. */
static void put_partial_unit(struct bytes *info)
{
	size_t start = info->nr;

	put_unit(info);
	put(info, 5, 1);
	put(info, 0, 4);
	set_length(info, start);
}

/* A unit with a function at CODE, in which "callee" is inlined twice; the entry of that refers to itself. */
static void write_info(struct fixture *fixture)
{
	struct bytes *info = &fixture->info;
	size_t start;

	put_partial_unit(info);
	start = info->nr;
	put_unit(info);
	put(info, 1, 1);
	put(info, 0, 4);
	put_text(info, "/build");
	put(info, CODE, 8);
	put(info, CODE_END - CODE, 4);
	fixture->callee = info->nr - start;
	put(info, 4, 1);
	put(info, fixture->callee, 4);
	put_text(info, "callee");
	put(info, 2, 1);
	put(info, CODE, 8);
	put(info, 0x40, 4);
	fixture->origin = put_call(fixture, CALL, 30);
	put_call(fixture, NEXT, 31);
	put(info, 0, 1);
	put(info, 0, 1);
	set_length(info, start);
	put_strange_unit(info);
}

static void set_address(struct bytes *line, uint64_t address)
{
	put(line, 0, 1);
	put(line, 9, 1);
	put(line, DW_LNE_set_address, 1);
	put(line, address, 8);
}

static void end_sequence(struct bytes *line, uint8_t advance)
{
	put(line, DW_LNS_advance_pc, 1);
	put(line, advance, 1);
	put(line, 0, 1);
	put(line, 1, 1);
	put(line, DW_LNE_end_sequence, 1);
}

/* Line 1 at CODE, line 7 at CALL, line 9 after it up to OTHER; and a function that the linker dropped, from 0 on. */
static void write_line(struct fixture *fixture)
{
	struct bytes *line = &fixture->line;

	static const unsigned char operands[] = { 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1 };
	size_t header;

	put(line, 0, 4);
	put(line, 4, 2);
	header = line->nr;
	put(line, 0, 4);
	put(line, 1, 1);
	put(line, 1, 1);
	put(line, 1, 1);
	put(line, (uint8_t)-5, 1);
	put(line, 14, 1);
	put(line, 13, 1);
	put_list(line, operands, sizeof(operands));
	put_text(line, "include");
	put(line, 0, 1);
	put_text(line, "main.c");
	put(line, 0, 3);
	put_text(line, "callee.h");
	fixture->directory = line->nr;
	put(line, 1, 1);
	put(line, 0, 2);
	put(line, 0, 1);
	set_length(line, header);
	set_address(line, 0);
	put(line, DW_LNS_copy, 1);
	put(line, DW_LNS_advance_line, 1);
	put(line, 66, 1);
	end_sequence(line, 127);
	set_address(line, CODE);
	put(line, DW_LNS_copy, 1);
	put(line, DW_LNS_set_file, 1);
	put(line, 2, 1);
	put(line, 13 + 14 * 15 + 5, 1); /* 15 bytes and no line, */
	put(line, 13 + 14 * 1 + 5 + 6, 1); /* 1 byte and 6 lines further */
	put(line, DW_LNS_set_file, 1);
	put(line, 1, 1);
	put(line, 13 + 14 * 8 + 5 + 2, 1);
	end_sequence(line, OTHER - CALL - 8);
	set_length(line, 0);
}

static void set_up(struct fixture *fixture)
{
	write_abbrev(&fixture->abbrev);
	write_info(fixture);
	write_line(fixture);
}

/* With sections that are held whole, and with some that are read as a window moves. */
#define IN_BOTH_TEST(name)                                                     \
	static void name(struct fixture *fixture);                             \
	TEST_WITH(struct fixture, fixture, name##_held_whole, set_up, nothing) \
	{                                                                      \
		fixture->small_max = DWARF_SMALL_MAX;                          \
		name(fixture);                                                 \
	}                                                                      \
	TEST_WITH(struct fixture, fixture, name##_moving, set_up, nothing)     \
	{                                                                      \
		name(fixture);                                                 \
	}                                                                      \
	static void name(struct fixture *fixture)

/* Looks places up in the sections as they are now. */
static const uint64_t addresses[] = { CODE_END - 1, CALL + 7, CALL + 8, NEXT, CODE };

static int search(const struct fixture *fixture, bool inlines, uint64_t deadline_ns, struct source_batch *batch)
{
	static const struct code_range code = { .address = CODE, .offset = 0x1000, .size = CODE_END - CODE };
	const Elf64_Shdr header = { .sh_type = SHT_PROGBITS };
	struct elf_writer writer;
	struct dwarf dwarf;
	struct elf_file elf;
	int err = 0;

	elf_writer_init(&writer, ET_DYN);
	elf_writer_extra(&writer, ".debug_abbrev", &header, fixture->abbrev.data, fixture->abbrev.nr);
	elf_writer_extra(&writer, ".debug_info", &header, fixture->info.data, fixture->info.nr);
	elf_writer_extra(&writer, ".debug_line", &header, fixture->line.data, fixture->line.nr);
	elf_writer_finish(&writer);
	assert_int_equal(elf_file_open_memory(&elf, writer.image.data, writer.image.nr), 0);
	*batch = (struct source_batch){ .code = &code, .nr_code = 1, .deadline_ns = deadline_ns };
	for (uint32_t i = 0; i < sizeof(addresses) / sizeof(*addresses); i++)
		assert_int_equal(source_batch_add(batch, addresses[i], i), 0);
	assert_int_equal(source_batch_sort(batch), 0);
	if (!dwarf_open(&dwarf, &elf, fixture->small_max)) {
		err = source_search(&dwarf, batch, inlines);
		dwarf_close(&dwarf);
	}
	elf_file_done(&elf);
	elf_writer_done(&writer);
	return err;
}

static void look_up(const struct fixture *fixture, bool inlines, struct source_batch *batch)
{
	assert_int_equal(search(fixture, inlines, 0, batch), 0);
}

static const struct source_place *place_of(const struct source_batch *batch, uint64_t address)
{
	return &batch->places.data[source_batch_from(batch, address)];
}

static void expect(const struct source_batch *batch, uint64_t address, const char *file, uint32_t line)
{
	const struct source_place *place = place_of(batch, address);

	assert_int_equal(place->address, address);
	assert_int_equal(place->line, line);
	if (file)
		assert_string_equal(place->file, file);
	else
		assert_null(place->file);
}

IN_BOTH_TEST(a_row_counts_up_to_the_next_and_the_last_to_the_end)
{
	struct source_batch batch;

	for (int inlines = 0; inlines < 2; inlines++) {
		look_up(fixture, inlines, &batch);
		expect(&batch, CODE, "/build/main.c", 1);
		expect(&batch, CALL + 7, "/build/include/callee.h", 7);
		expect(&batch, CALL + 8, "/build/main.c", 9);
		expect(&batch, CODE_END - 1, NULL, 0);
		source_batch_done(&batch);
	}
}

IN_BOTH_TEST(a_call_has_the_name_of_its_origin_and_the_line_of_the_caller)
{
	const struct source_frame *frame;
	_cleanup_(source_batch_done) struct source_batch batch;

	look_up(fixture, true, &batch);
	assert_int_equal(batch.frames.nr, 2);
	assert_int_equal(place_of(&batch, CALL + 7)->inner, 0);
	assert_int_equal(place_of(&batch, CALL + 8)->inner, SOURCE_NONE);
	frame = &batch.frames.data[0];
	assert_string_equal(frame->name, "callee"); /* although its entry refers to itself for ever */
	assert_string_equal(frame->file, "/build/main.c");
	assert_int_equal(frame->line, 30);
	assert_int_equal(frame->outer, SOURCE_NONE);
	assert_int_equal(place_of(&batch, NEXT)->inner, 1);
	assert_string_equal(batch.frames.data[1].name, "callee");
	assert_int_equal(batch.frames.data[1].line, 31);
}

IN_BOTH_TEST(the_search_is_given_up_when_its_time_is_over)
{
	struct source_batch batch;

	for (int inlines = 0; inlines < 2; inlines++) {
		assert_int_equal(search(fixture, inlines, 1, &batch), -ETIME);
		source_batch_done(&batch);
		assert_int_equal(search(fixture, inlines, UINT64_MAX, &batch), 0);
		source_batch_done(&batch);
	}
}

IN_BOTH_TEST(a_reference_to_nowhere_leaves_the_call_without_a_name)
{
	static const uint32_t targets[] = { 0, 1, 0x7fffffff, 0xffffffff };
	struct source_batch batch;

	for (size_t i = 0; i < sizeof(targets) / sizeof(*targets); i++) {
		memcpy(fixture->info.data + fixture->origin, &targets[i], 4);
		look_up(fixture, true, &batch);
		assert_int_equal(batch.frames.nr, 2);
		assert_null(batch.frames.data[0].name);
		expect(&batch, CALL + 7, "/build/include/callee.h", 7);
		source_batch_done(&batch);
	}
}

IN_BOTH_TEST(a_directory_behind_the_end_is_none)
{
	_cleanup_(source_batch_done) struct source_batch batch;

	fixture->line.data[fixture->directory] = 2;
	look_up(fixture, false, &batch);
	expect(&batch, CALL + 7, "/build/callee.h", 7);
}

/* Nothing but what is requested in the asserts of look_up(): no crash, no endless loop, no error. */
IN_BOTH_TEST(sections_may_end_anywhere)
{
	struct bytes *const parts[] = { &fixture->abbrev, &fixture->info, &fixture->line };
	struct source_batch batch;

	for (size_t part = 0; part < 3; part++) {
		size_t all = parts[part]->nr;

		for (parts[part]->nr = 0; parts[part]->nr < all; parts[part]->nr++) {
			look_up(fixture, true, &batch);
			assert_in_range(batch.frames.nr, 0, 2);
			source_batch_done(&batch);
		}
	}
}

IN_BOTH_TEST(any_byte_may_be_wrong)
{
	struct bytes *const parts[] = { &fixture->abbrev, &fixture->info, &fixture->line };
	struct source_batch batch;

	for (size_t part = 0; part < 3; part++) {
		for (size_t i = 0; i < parts[part]->nr; i++) {
			unsigned char before = parts[part]->data[i];

			for (int value = 0; value < 256; value += 51) {
				parts[part]->data[i] = (unsigned char)value;
				look_up(fixture, true, &batch);
				assert_in_range(batch.frames.nr, 0, 8);
				source_batch_done(&batch);
			}
			parts[part]->data[i] = before;
		}
	}
}
