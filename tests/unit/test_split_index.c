/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The index of a package of split files (.debug_cu_index), versions 2 (GNU's) and 5 (DWARF 5, 7.3.5.3), by bytes from the
 * specification. libdw reads the unit that is found; it knows of packages from 0.191 on only.
 */
#include "symbolize/dwarf/dwarf_splits.h"

#include <dwarf.h>

#include "tests/unit/dwarf_writer.h"
#include "tests/harness.h"

enum {
	ABBREV_BEFORE = 4, /* bytes before the unit's part of each section */
	TEXTS_BEFORE = 12,
	LISTS_BEFORE = 20,
	SKELETON_ADDRESSES = 0x40,
	SKELETON_RANGES = 0x30,
	SLOTS_MAX = 16,
};

#define ID 0x1122334400000005ull

struct slot {
	uint64_t id;
	uint32_t row;
};

struct row {
	const char *name;
	uint16_t version, unit_version;
	uint32_t nr_units, nr_slots;
	struct slot slots[SLOTS_MAX];
	uint32_t kinds[8]; /* columns, 0 ends them */
	int err;
	uint64_t ranges; /* where the ranges begin, when the unit is found */
};

/* Version 2 has types in column 2, macros in 7 and 8; version 5 nothing, macros and range lists. */
#define ALL { DW_SECT_INFO, DW_SECT_ABBREV, DW_SECT_STR_OFFSETS, DW_SECT_RNGLISTS }

static const struct row rows[] = {
	{ "first slot", 5, 5, 2, 4, { [1] = { ID, 2 } }, ALL, 0, LISTS_BEFORE },
	{ "version 2", 2, 4, 2, 4, { [1] = { ID, 2 } }, ALL, 0, SKELETON_RANGES },
	{ "version 2 without the fourth column",
	  2,
	  4,
	  2,
	  4,
	  { [1] = { ID, 2 } },
	  { DW_SECT_INFO, DW_SECT_ABBREV, DW_SECT_STR_OFFSETS },
	  0,
	  SKELETON_RANGES },
	{ "columns in another order",
	  5,
	  5,
	  2,
	  4,
	  { [1] = { ID, 2 } },
	  { DW_SECT_RNGLISTS, DW_SECT_LINE, DW_SECT_STR_OFFSETS, DW_SECT_INFO, DW_SECT_MACRO, DW_SECT_ABBREV },
	  0,
	  LISTS_BEFORE },
	{ "columns that are not known",
	  5,
	  5,
	  2,
	  4,
	  { [1] = { ID, 2 } },
	  { 2, DW_SECT_INFO, DW_SECT_ABBREV, 99, DW_SECT_STR_OFFSETS, DW_SECT_RNGLISTS },
	  0,
	  LISTS_BEFORE },
	/* The hash: slot 5 of 8, then every (0x11223344 & 7) | 1 = 5: 2, 7, 4 … */
	{ "third slot", 5, 5, 2, 8, { [5] = { 0x15, 1 }, [2] = { 0x25, 1 }, [7] = { ID, 2 } }, ALL, 0, LISTS_BEFORE },
	{ "a unit whose number is 0 on the way", 5, 5, 2, 8, { [5] = { 0, 1 }, [2] = { ID, 2 } }, ALL, 0, LISTS_BEFORE },
	{ "an empty slot on the way", 5, 5, 2, 8, { [5] = { 0x15, 1 }, [7] = { ID, 2 } }, ALL, -ENODATA, 0 },
	{ "another unit", 5, 5, 2, 4, { [1] = { ID + 8, 2 } }, ALL, -ENODATA, 0 },
	{ "nothing but other units", 5, 5, 2, 2, { { 1, 1 }, { 2, 2 } }, ALL, -ENODATA, 0 },
	{ "a row that is not there", 5, 5, 2, 4, { [1] = { ID, 3 } }, ALL, -ENODATA, 0 },
	{ "no row", 5, 5, 2, 4, { [1] = { ID, 0 } }, ALL, -ENODATA, 0 },
	{ "no slots", 5, 5, 0, 0, {}, ALL, -ENODATA, 0 },
	{ "three slots", 5, 5, 2, 3, { [2] = { ID, 2 } }, ALL, -ENODATA, 0 },
	{ "more units than slots", 5, 5, 5, 4, { [1] = { ID, 2 } }, ALL, -ENODATA, 0 },
	{ "version 1", 1, 4, 2, 4, { [1] = { ID, 2 } }, ALL, -ENODATA, 0 },
	{ "version 3", 3, 4, 2, 4, { [1] = { ID, 2 } }, ALL, -ENODATA, 0 },
	{ "version 6", 6, 5, 2, 4, { [1] = { ID, 2 } }, ALL, -ENODATA, 0 },
	{ "the number in the unit is another", 5, 5, 2, 4, { [1] = { ID, 1 } }, ALL, -ENODATA, 0 },
};

static uint32_t nr_columns(const struct row *row)
{
	uint32_t nr = 0;

	while (row->kinds[nr])
		nr++;
	return nr;
}

/* Row 1 of the index is a unit at 0 with another number, row 2 the one that is looked for; all else they share. */
static void put_index(struct bytes *index, const struct row *row, uint32_t info)
{
	const uint32_t offsets[] = { [DW_SECT_INFO] = info,
				     [2] = 0xbad,
				     [DW_SECT_ABBREV] = ABBREV_BEFORE,
				     [4] = 0xbad,
				     [5] = 0xbad,
				     [DW_SECT_STR_OFFSETS] = TEXTS_BEFORE,
				     [7] = 0xbad,
				     [DW_SECT_RNGLISTS] = LISTS_BEFORE };
	uint32_t nr = nr_columns(row);

	put(index, row->version, 4);
	put(index, nr, 4);
	put(index, row->nr_units, 4);
	put(index, row->nr_slots, 4);
	for (uint32_t i = 0; i < row->nr_slots; i++)
		put(index, row->slots[i].id, 8);
	for (uint32_t i = 0; i < row->nr_slots; i++)
		put(index, row->slots[i].row, 4);
	for (uint32_t i = 0; i < nr; i++)
		put(index, row->kinds[i], 4);
	for (uint32_t unit = 1; unit <= 2; unit++)
		for (uint32_t i = 0; i < nr; i++)
			put(index,
			    unit == 1 && row->kinds[i] == DW_SECT_INFO ? 0
			    : row->kinds[i] <= 8                       ? offsets[row->kinds[i]]
								       : 0xbad,
			    4);
	for (uint32_t i = 0; i < 2 * nr; i++)
		put(index, 0x100, 4); /* sizes */
}

/* In version 4 the number is an attribute. Returns where the unit is. */
static uint32_t put_unit(struct dwarf_writer *writer, const struct row *row, uint64_t id)
{
	const struct dwarf_shape shape = { (uint8_t)row->unit_version, 8, 4 };
	struct bytes *info = &writer->sections[DEBUG_INFO];
	uint32_t offset = (uint32_t)info->nr;
	size_t start = begin_unit(info, &shape, DW_UT_split_compile, id);

	put_uleb(info, 1);
	put(info, id, 8);
	end_length(info, start, 4);
	return offset;
}

static void put_abbrev(struct bytes *abbrev)
{
	PUT_ABBREV(abbrev, 1, DW_TAG_compile_unit, false, DW_AT_GNU_dwo_id, DW_FORM_data8);
	put(abbrev, 0, 1);
}

static void fail_row(const struct row *row, const char *what, uint64_t is, uint64_t should)
{
	if (is != should)
		fail_msg("%s: %s is %#lx, not %#lx", row->name, what, (unsigned long)is, (unsigned long)should);
}

/* Whether libdw reads the header that was found in the same way; to it the sections are those of an ordinary file. */
static void compare(const struct row *row, const struct dwarf_writer *split, const struct dwarf_unit *unit)
{
	struct dwarf_writer writer = *split;
	_cleanup_(dwarf_opened_done) struct dwarf_opened opened;
	size_t nr_header = 0;
	Dwarf_Half version = 0;
	Dwarf_Off next = 0;

	writer.is_split = false;
	dwarf_writer_open(&writer, &opened);
	if (!opened.libdw)
		fail_msg("%s: libdw: %s", row->name, dwarf_errmsg(-1));
	fail_row(row, "libdw's error",
		 (uint64_t)dwarf_next_unit(opened.libdw, unit->offset, &next, &nr_header, &version, NULL, NULL, NULL,
					   NULL, NULL),
		 0);
	fail_row(row, "libdw's version", version, unit->version);
	fail_row(row, "libdw's end of the unit", next, unit->end);
	fail_row(row, "libdw's first entry", unit->offset + nr_header, unit->entries);
}

static void check(const struct row *row, const struct dwarf_unit *unit, uint32_t info)
{
	bool is_new = row->unit_version >= 5;

	fail_row(row, "the unit", unit->offset, info);
	fail_row(row, "its abbreviations", unit->abbrevs, ABBREV_BEFORE);
	fail_row(row, "its texts", unit->text_offsets, TEXTS_BEFORE + (is_new ? 8 : 0));
	fail_row(row, "its range lists", unit->range_lists, is_new ? LISTS_BEFORE + 12 : 0);
	fail_row(row, "its ranges", unit->ranges, row->ranges);
	fail_row(row, "its addresses", unit->addresses, SKELETON_ADDRESSES);
	fail_row(row, "its line program", unit->program, 7);
}

TEST(each_index_leads_where_the_specification_says)
{
	for (const struct row *row = rows; row < rows + sizeof(rows) / sizeof(rows[0]); row++) {
		const struct dwarf_unit skeleton = {
			.split_id = ID,
			.program = 7,
			.addresses = SKELETON_ADDRESSES,
			.split_ranges = SKELETON_RANGES,
		};
		struct dwarf_writer writer = { .is_split = true };
		struct dwarf_opened opened;
		struct abbrevs abbrevs = {};
		struct dwarf_unit unit;
		uint32_t info;

		put(&writer.sections[DEBUG_ABBREV], 0, ABBREV_BEFORE);
		put_abbrev(&writer.sections[DEBUG_ABBREV]);
		put_unit(&writer, row, ID + 1);
		info = put_unit(&writer, row, ID);
		put_index(&writer.sections[DEBUG_CU_INDEX], row, info);
		dwarf_writer_open(&writer, &opened);
		fail_row(row, "the error", (uint64_t)dwarf_splits_find(&opened.dwarf, &skeleton, &abbrevs, &unit),
			 (uint64_t)row->err);
		if (!row->err) {
			check(row, &unit, info);
			compare(row, &writer, &unit);
		}
		abbrevs_done(&abbrevs);
		dwarf_opened_done(&opened);
	}
}

/* Where it ends too early, nothing is found. */
TEST(an_index_may_end_anywhere)
{
	const struct dwarf_unit skeleton = { .split_id = ID };
	struct dwarf_writer writer = { .is_split = true };
	struct bytes *index = &writer.sections[DEBUG_CU_INDEX];
	size_t whole;

	put(&writer.sections[DEBUG_ABBREV], 0, ABBREV_BEFORE);
	put_abbrev(&writer.sections[DEBUG_ABBREV]);
	put_unit(&writer, &rows[0], ID + 1);
	put_index(index, &rows[0], put_unit(&writer, &rows[0], ID));
	whole = index->nr;
	for (index->nr = 1; index->nr < whole; index->nr++) {
		struct dwarf_opened opened;
		struct abbrevs abbrevs = {};
		struct dwarf_unit unit;

		dwarf_writer_open(&writer, &opened);
		assert_int_equal(dwarf_splits_find(&opened.dwarf, &skeleton, &abbrevs, &unit), -ENODATA);
		abbrevs_done(&abbrevs);
		dwarf_opened_done(&opened);
	}
}
