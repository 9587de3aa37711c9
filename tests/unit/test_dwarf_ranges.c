/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Headers of units, and every kind of entry of a list of ranges (DWARF 5, 7.25; DWARF 2 to 4, .debug_ranges), by bytes from the
 * specification; libdw says the same of the same bytes.
 */
#include <dwarf.h>
#include <inttypes.h>

#include "symbolize/dwarf/dwarf_unit.h"
#include "tests/unit/dwarf_writer.h"
#include "tests/harness.h"

/* ---- ranges ---- */

enum {
	LOW = 0x1000,  /* of the unit */
	FILLER = 16,   /* bytes before the list */
};

/* How the unit tells what it covers. */
enum where {
	AT_OFFSET, /* of the list */
	BY_INDEX,  /* of the list, which is the second of its table */
	BEYOND,    /* by an index that is not in the table */
	HIGH_AS_LENGTH,
	HIGH_AS_ADDRESS,
	BASE_IS_ENTRY, /* AT_OFFSET, and the unit has DW_AT_entry_pc instead of DW_AT_low_pc */
	NO_BASE,       /* AT_OFFSET, and the unit has neither */
};

struct row {
	struct dwarf_shape shape;
	enum where where;
	const char *bytes; /* of the list; of DW_AT_high_pc */
	size_t nr;
	const char *ranges;
	bool not_in_libdw; /* which gives up the whole list, or what it says depends on its version */
};

#define B(bytes) bytes, sizeof(bytes) - 1
#define V5 { 5, 8, 4 }
#define V5_SMALL { 5, 4, 4 }
#define V5_WIDE { 5, 8, 8 }
#define V4 { 4, 8, 4 }
#define V4_SMALL { 4, 4, 4 }

static const struct row rows[] = {
	{ V5, AT_OFFSET, B("\0"), "", false },
	{ V5, AT_OFFSET, B("\1\1\4\x10\x20\0"), "2010-2020", false }, /* base_addressx, offset_pair */
	{ V5, AT_OFFSET, B("\2\0\1\0"), "1000-2000", false },         /* startx_endx */
	{ V5, AT_OFFSET, B("\3\1\x80\1\0"), "2000-2080", false },     /* startx_length */
	{ V5, AT_OFFSET, B("\4\x10\x90\1\0"), "1010-1090", false },   /* offset_pair */
	{ V5, AT_OFFSET, B("\5\0\0\4\0\0\0\0\0\4\1\2\0"), "40001-40002", false }, /* base_address */
	{ V5, AT_OFFSET, B("\6\0\x20\0\0\0\0\0\0\0\x30\0\0\0\0\0\0\0"), "2000-3000", false }, /* start_end */
	{ V5, AT_OFFSET, B("\7\0\x20\0\0\0\0\0\0\x10\0"), "2000-2010", false }, /* start_length */
	{ V5, AT_OFFSET, B("\4\1\2\1\1\4\1\2\3\0\4\4\3\4\0"), "1001-1002,2001-2002,1000-1004,2003-2004", false },
	{ V5, AT_OFFSET, B("\4\5\5\4\1\2\0"), "1001-1002", false },   /* an empty one covers nothing */
	{ V5, AT_OFFSET, B("\4\1\2\4\5\4\4\6\7\0"), "1001-1002,1006-1007", true }, /* ends before it begins */
	{ V5, AT_OFFSET, B("\4\1\2\x08\1\1\4\3\4\0"), "1001-1002", true }, /* a kind that is not known */
	{ V5, AT_OFFSET, B("\4\1\2\xff"), "1001-1002", true },
	{ V5, AT_OFFSET, B("\4\1\2"), "1001-1002", true },            /* without an end */
	{ V5, AT_OFFSET, B("\4\1\2\7\0\x20"), "1001-1002", true },    /* an entry without an end */
	{ V5, AT_OFFSET, B("\4\1\2\3\x63\1\4\3\4\0"), "1001-1002", true }, /* beyond the table of addresses */
	{ V5, AT_OFFSET, B("\4\1\2\1\x63\4\3\4\0"), "1001-1002", true },
	{ V5, BY_INDEX, B("\4\1\2\0"), "1001-1002", false },
	{ V5, BEYOND, B("\4\1\2\0"), "", true },
	{ V5, NO_BASE, B("\4\1\2\7\0\x20\0\0\0\0\0\0\x10\0"), "1-2,2000-2010", false },
	{ V5, HIGH_AS_LENGTH, B("\x20\0\0\0"), "1000-1020", false },
	{ V5, HIGH_AS_ADDRESS, B("\x20\x10\0\0\0\0\0\0"), "1000-1020", false },
	{ V5_SMALL, AT_OFFSET, B("\5\0\0\4\0\4\1\2\0"), "40001-40002", false },
	{ V5_SMALL, AT_OFFSET, B("\6\0\x20\0\0\0\x30\0\0\0"), "2000-3000", false },
	{ V5_SMALL, AT_OFFSET, B("\7\0\x20\0\x80\x10\0"), "80002000-80002010", false },
	{ V5_SMALL, AT_OFFSET, B("\3\1\x80\1\0"), "2000-2080", false },
	{ V5_SMALL, HIGH_AS_ADDRESS, B("\x20\x10\0\0"), "1000-1020", false },
	{ V5_WIDE, AT_OFFSET, B("\2\0\1\0"), "1000-2000", false },
	{ V5_WIDE, BY_INDEX, B("\4\1\2\0"), "1001-1002", false },

#define PAIR(low, high) low "\0\0\0\0\0\0\0" high "\0\0\0\0\0\0\0"
#define SMALL_PAIR(low, high) low "\0\0\0" high "\0\0\0"
#define ONES "\xff\xff\xff\xff"
	{ V4, AT_OFFSET, B(PAIR("\0", "\0")), "", false },
	{ V4, AT_OFFSET, B(PAIR("\1", "\2") PAIR("\4", "\6") PAIR("\0", "\0")), "1001-1002,1004-1006", false },
	{ V4, AT_OFFSET, B(PAIR("\0", "\2") PAIR("\0", "\0")), "1000-1002", false },
	{ V4, AT_OFFSET, B(PAIR("\3", "\3") PAIR("\1", "\2") PAIR("\0", "\0")), "1001-1002", false },
	{ V4, AT_OFFSET, B(PAIR("\3", "\1") PAIR("\1", "\2") PAIR("\0", "\0")), "1001-1002", true },
	{ V4, AT_OFFSET, B(PAIR("\1", "\2") ONES ONES "\0\0\4\0\0\0\0\0" PAIR("\1", "\2") PAIR("\0", "\0")),
	  "1001-1002,40001-40002", false },
	{ V4, AT_OFFSET, B(PAIR("\1", "\2") "\3"), "1001-1002", true },
	{ V4, BASE_IS_ENTRY, B(PAIR("\1", "\2") PAIR("\0", "\0")), "1001-1002", false },
	{ V4, NO_BASE, B(PAIR("\1", "\2") PAIR("\0", "\0")), "1-2", false },
	{ V4, BY_INDEX, B(PAIR("\1", "\2") PAIR("\0", "\0")), "", true }, /* DWARF 4 has no such form */
	{ V4, HIGH_AS_LENGTH, B("\x20\0\0\0"), "1000-1020", false },
	{ V4_SMALL, AT_OFFSET, B(SMALL_PAIR("\1", "\2") SMALL_PAIR("\0", "\0")), "1001-1002", false },
	{ V4_SMALL, AT_OFFSET, B(ONES "\0\0\4\0" SMALL_PAIR("\1", "\2") SMALL_PAIR("\0", "\0")), "40001-40002", false },
	{ { 4, 8, 8 }, AT_OFFSET, B(PAIR("\1", "\2") PAIR("\0", "\0")), "1001-1002", false },
	{ { 3, 8, 4 }, AT_OFFSET, B(PAIR("\1", "\2") PAIR("\0", "\0")), "1001-1002", false },
	{ { 3, 8, 8 }, AT_OFFSET, B(PAIR("\1", "\2") PAIR("\0", "\0")), "1001-1002", false },
	{ { 3, 4, 4 }, AT_OFFSET, B(SMALL_PAIR("\1", "\2") SMALL_PAIR("\0", "\0")), "1001-1002", false },
	{ { 2, 8, 4 }, HIGH_AS_ADDRESS, B("\x20\x10\0\0\0\0\0\0"), "1000-1020", false },
	{ { 2, 4, 4 }, HIGH_AS_ADDRESS, B("\x20\x10\0\0"), "1000-1020", false },
};

static const char *title(const struct row *row)
{
	static char text[64];

	snprintf(text, sizeof(text), "row %td: version %d", row - rows, row->shape.version);
	return text;
}

/* The second list of the table, and where each place is that the unit names. */
static uint64_t put_lists(struct dwarf_writer *writer, const struct row *row)
{
	const struct dwarf_shape *shape = &row->shape;
	struct bytes *lists = &writer->sections[shape->version >= 5 ? DEBUG_RNGLISTS : DEBUG_RANGES];
	size_t start;
	uint64_t at;

	if (shape->version < 5) {
		put_list(lists, "no pair of a list", FILLER);
		at = lists->nr;
		put_list(lists, row->bytes, row->nr);
		return at;
	}
	start = begin_length(lists, shape->offset_size);
	put(lists, 5, 2);
	put(lists, shape->address_size, 2);
	put(lists, 2, 4);
	put(lists, 2u * shape->offset_size, shape->offset_size);
	put(lists, 2u * shape->offset_size + 1, shape->offset_size);
	put(lists, 0, 1);
	at = lists->nr;
	put_list(lists, row->bytes, row->nr);
	end_length(lists, start, shape->offset_size);
	return at;
}

static void put_addresses(struct bytes *addrs, const struct dwarf_shape *shape)
{
	size_t start = begin_length(addrs, shape->offset_size);

	put(addrs, 5, 2);
	put(addrs, shape->address_size, 2);
	put(addrs, 0x1000, shape->address_size);
	put(addrs, 0x2000, shape->address_size);
	end_length(addrs, start, shape->offset_size);
}

static bool has_list(const struct row *row)
{
	return row->where != HIGH_AS_LENGTH && row->where != HIGH_AS_ADDRESS;
}

static bool is_by_index(const struct row *row)
{
	return row->where == BY_INDEX || row->where == BEYOND;
}

static void put_abbrev(struct bytes *abbrev, const struct row *row)
{
	uint16_t offset = row->shape.version >= 4       ? DW_FORM_sec_offset
			  : row->shape.offset_size == 8 ? DW_FORM_data8
							: DW_FORM_data4;

	begin_abbrev(abbrev, 1, DW_TAG_compile_unit, false);
	if (row->shape.version >= 5) {
		put_field(abbrev, DW_AT_rnglists_base, DW_FORM_sec_offset);
		put_field(abbrev, DW_AT_addr_base, DW_FORM_sec_offset);
	}
	if (row->where != NO_BASE)
		put_field(abbrev, row->where == BASE_IS_ENTRY ? DW_AT_entry_pc : DW_AT_low_pc, DW_FORM_addr);
	if (has_list(row))
		put_field(abbrev, DW_AT_ranges, is_by_index(row) ? DW_FORM_rnglistx : offset);
	else
		put_field(abbrev, DW_AT_high_pc, row->where == HIGH_AS_LENGTH ? DW_FORM_data4 : DW_FORM_addr);
	put_field(abbrev, 0, 0);
	put(abbrev, 0, 1);
}

static void put_unit(struct bytes *info, const struct row *row, uint64_t list)
{
	const struct dwarf_shape *shape = &row->shape;
	size_t start = begin_unit(info, shape, DW_UT_compile, 0);

	put_uleb(info, 1);
	if (shape->version >= 5) {
		put(info, 2u * shape->offset_size + 4, shape->offset_size);
		put(info, 2u * shape->offset_size, shape->offset_size);
	}
	if (row->where != NO_BASE)
		put(info, LOW, shape->address_size);
	if (is_by_index(row))
		put_uleb(info, row->where == BEYOND ? 0x1000 : 1);
	else if (has_list(row))
		put(info, list, shape->offset_size);
	else
		put_list(info, row->bytes, row->nr);
	end_length(info, start, shape->offset_size);
}

struct text {
	char data[256];
	size_t nr;
};

static bool add_range(void *context, uint64_t low, uint64_t high)
{
	struct text *text = context;

	text->nr += (size_t)snprintf(text->data + text->nr, sizeof(text->data) - text->nr, "%s%" PRIx64 "-%" PRIx64,
				     text->nr ? "," : "", low, high);
	return true;
}

static void check(const struct row *row, const char *who, const struct text *text)
{
	if (strcmp(text->data, row->ranges) != 0)
		fail_msg("%s: %s has %s, not %s", title(row), who, text->data, row->ranges);
}

static void read_ours(const struct row *row, struct dwarf *dwarf)
{
	struct abbrevs abbrevs = {};
	struct dwarf_unit unit;
	struct text text = {};
	uint64_t next;

	assert_int_equal(dwarf_unit_open(dwarf, 0, &unit, &next), 0);
	assert_int_equal(dwarf_unit_read_root(dwarf, &unit, &abbrevs), 0);
	dwarf_code_ranges(dwarf, &unit, &unit.code, add_range, &text);
	abbrevs_done(&abbrevs);
	check(row, "ours", &text);
}

static void read_libdw(const struct row *row, Dwarf *libdw)
{
	Dwarf_Addr base, low, high;
	struct text text = {};
	ptrdiff_t at = 0;
	Dwarf_CU *unit = NULL;
	Dwarf_Die root;

	assert_int_equal(dwarf_get_units(libdw, NULL, &unit, NULL, NULL, &root, NULL), 0);
	while ((at = dwarf_ranges(&root, at, &base, &low, &high)) > 0)
		if (low != high)
			add_range(&text, low, high);
	if (at < 0)
		fail_msg("%s: libdw says %s", title(row), dwarf_errmsg(-1));
	check(row, "libdw", &text);
}

TEST(each_kind_of_range_is_what_the_specification_and_libdw_say)
{
	for (const struct row *row = rows; row < rows + sizeof(rows) / sizeof(rows[0]); row++) {
		struct dwarf_writer writer = {};
		struct dwarf_opened opened;

		put_addresses(&writer.sections[DEBUG_ADDR], &row->shape);
		put_abbrev(&writer.sections[DEBUG_ABBREV], row);
		put_unit(&writer.sections[DEBUG_INFO], row, has_list(row) ? put_lists(&writer, row) : 0);
		dwarf_writer_open(&writer, &opened);
		read_ours(row, &opened.dwarf);
		if (!row->not_in_libdw)
			read_libdw(row, opened.libdw);
		dwarf_opened_done(&opened);
	}
}

/* ---- units ---- */

struct unit_row {
	struct dwarf_shape shape;
	uint8_t type;
	int err;
	uint64_t entries; /* where the first one is */
};

static const struct unit_row units[] = {
	{ { 2, 8, 4 }, 0, 0, 11 },
	{ { 2, 4, 4 }, 0, 0, 11 },
	{ { 3, 8, 4 }, 0, 0, 11 },
	{ { 3, 8, 8 }, 0, 0, 23 },
	{ { 4, 8, 4 }, 0, 0, 11 },
	{ { 4, 8, 8 }, 0, 0, 23 },
	{ { 5, 8, 4 }, DW_UT_compile, 0, 12 },
	{ { 5, 8, 8 }, DW_UT_compile, 0, 24 },
	{ { 5, 4, 4 }, DW_UT_partial, 0, 12 },
	{ { 5, 8, 4 }, DW_UT_type, 0, 24 },
	{ { 5, 8, 8 }, DW_UT_type, 0, 40 },
	{ { 5, 8, 4 }, DW_UT_skeleton, 0, 20 },
	{ { 5, 8, 8 }, DW_UT_skeleton, 0, 32 },
	{ { 5, 8, 4 }, DW_UT_split_compile, 0, 20 },
	{ { 5, 8, 4 }, DW_UT_split_type, 0, 24 },
	{ { 1, 8, 4 }, 0, -ENODATA, 0 },
	{ { 6, 8, 4 }, DW_UT_compile, -ENODATA, 0 },
	{ { 5, 8, 4 }, 0, -ENODATA, 0 },
	{ { 5, 8, 4 }, DW_UT_split_type + 1, -ENODATA, 0 },
	{ { 5, 8, 4 }, DW_UT_lo_user, -ENODATA, 0 },
	{ { 5, 2, 4 }, DW_UT_compile, -ENODATA, 0 },
	{ { 4, 16, 4 }, 0, -ENODATA, 0 },
};

static uint64_t entries_by_libdw(Dwarf *libdw, uint64_t *ret_next)
{
	size_t nr_header = 0;
	Dwarf_Half version;

	assert_int_equal(dwarf_next_unit(libdw, 0, ret_next, &nr_header, &version, NULL, NULL, NULL, NULL, NULL), 0);
	return nr_header;
}

/* An unknown unit is passed over: the one after it is found. */
TEST(each_header_of_a_unit_is_what_the_specification_and_libdw_say)
{
	for (const struct unit_row *row = units; row < units + sizeof(units) / sizeof(units[0]); row++) {
		struct dwarf_writer writer = {};
		struct bytes *info = &writer.sections[DEBUG_INFO];
		size_t start = begin_unit(info, &row->shape, row->type, 0x1122334455667788);
		struct dwarf_opened opened;
		struct dwarf_unit unit;
		uint64_t next, libdw_next;

		put(info, 0, 8);
		put(info, 0, 8);
		end_length(info, start, row->shape.offset_size);
		put(&writer.sections[DEBUG_ABBREV], 0, 1);
		dwarf_writer_open(&writer, &opened);
		assert_int_equal(dwarf_unit_open(&opened.dwarf, 0, &unit, &next), row->err);
		assert_int_equal(next, info->nr);
		if (!row->err) {
			assert_int_equal(unit.entries, row->entries);
			assert_int_equal(entries_by_libdw(opened.libdw, &libdw_next), row->entries);
			assert_int_equal(libdw_next, next);
			assert_int_equal(unit.split_id, row->type == DW_UT_skeleton || row->type == DW_UT_split_compile
								? 0x1122334455667788
								: 0);
		}
		dwarf_opened_done(&opened);
	}
}
