/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every form of a value, by bytes from the specification (DWARF 5, 7.5.6; GNU's and LLVM's from their sources): what it is, how long
 * it is, and that libdw says the same of the same bytes. A form is of one kind; asked for another kind it is not known.
 */
#include <dwarf.h>
#include <inttypes.h>

#include "symbolize/dwarf/dwarf_unit.h"
#include "tests/unit/dwarf_writer.h"
#include "tests/harness.h"

enum kind {
	UNKNOWN, /* it ends what can be read of the entry */
	OTHER,   /* it is read over */
	NUMBER,
	OFFSET,
	BOTH, /* a number, and before DWARF 4 an offset in a section as well */
	ADDRESS,
	TEXT,
	REFERENCE,
	SUPPLEMENT, /* a reference to the alternate file */
};

struct row {
	uint16_t form;
	uint8_t version, address_size, offset_size;
	const char *bytes;
	size_t nr;
	enum kind kind;
	uint64_t number;
	const char *text;
	bool not_in_libdw; /* or libdw does not know it as this kind */
};

#define B(bytes) bytes, sizeof(bytes) - 1
#define IS(kind, number) kind, number, NULL, false
#define SAYS(text) TEXT, 0, text, false
#define OURS_ONLY(kind, number) kind, number, NULL, true

/* Numbers of the tables below. */
#define THIRD_ADDRESS 0x1122334455667788
#define LAST_OF_LINES "from .debug_line_str"

static const struct row rows[] = {
	{ DW_FORM_addr, 5, 8, 4, B("\x88\x77\x66\x55\x44\x33\x22\x11"), IS(ADDRESS, 0x1122334455667788) },
	{ DW_FORM_addr, 4, 4, 4, B("\x44\x33\x22\x91"), IS(ADDRESS, 0x91223344) },
	{ DW_FORM_addr, 2, 8, 4, B("\1\0\0\0\0\0\0\x80"), IS(ADDRESS, 0x8000000000000001) },

	{ DW_FORM_data1, 5, 8, 4, B("\xfe"), IS(NUMBER, 0xfe) },
	{ DW_FORM_data2, 5, 8, 4, B("\xfe\xff"), IS(NUMBER, 0xfffe) },
	{ DW_FORM_data4, 5, 8, 4, B("\xfe\xff\xff\xff"), IS(BOTH, 0xfffffffe) },
	{ DW_FORM_data8, 5, 8, 4, B("\1\2\3\4\5\6\7\x88"), IS(BOTH, 0x8807060504030201) },
	{ DW_FORM_data16, 5, 8, 4, B("0123456789abcdef"), IS(OTHER, 0) },
	{ DW_FORM_data1, 2, 4, 4, B("\x7f"), IS(NUMBER, 0x7f) },
	{ DW_FORM_data4, 3, 4, 4, B("\x11\0\0\0"), IS(BOTH, 0x11) },
	{ DW_FORM_data8, 3, 8, 8, B("\x11\0\0\0\0\0\0\0"), IS(BOTH, 0x11) },
	{ DW_FORM_udata, 5, 8, 4, B("\x7f"), IS(NUMBER, 0x7f) },
	{ DW_FORM_udata, 5, 8, 4, B("\xe5\x8e\x26"), IS(NUMBER, 624485) },
	{ DW_FORM_udata, 5, 8, 4, B("\xff\xff\xff\xff\xff\xff\xff\xff\xff\1"), IS(NUMBER, UINT64_MAX) },
	{ DW_FORM_udata, 2, 8, 4, B("\x80\x81\x80\0"), IS(NUMBER, 0x80) },
	{ DW_FORM_sdata, 5, 8, 4, B("\x3f"), IS(NUMBER, 63) },
	{ DW_FORM_sdata, 5, 8, 4, B("\xff\0"), IS(NUMBER, 127) },
	{ DW_FORM_sdata, 5, 8, 4, B("\x7f"), OURS_ONLY(OTHER, 0) }, /* -1 */
	{ DW_FORM_sdata, 3, 8, 4, B("\x80\x7f"), OURS_ONLY(OTHER, 0) }, /* -128 */
	{ DW_FORM_implicit_const, 5, 8, 4, B(""), IS(NUMBER, 300) }, /* `number` is in the abbreviation */
	{ DW_FORM_implicit_const, 5, 8, 4, B(""), OURS_ONLY(OTHER, (uint64_t)-3) },
	{ DW_FORM_sec_offset, 5, 8, 4, B("\x12\0\0\0"), IS(OFFSET, 0x12) },
	{ DW_FORM_sec_offset, 5, 8, 8, B("\x12\0\0\0\0\0\0\0"), IS(OFFSET, 0x12) },
	{ DW_FORM_sec_offset, 4, 8, 4, B("\x0e\0\0\0"), IS(OFFSET, 0xe) },

	{ DW_FORM_flag, 2, 8, 4, B("\1"), IS(OTHER, 0) },
	{ DW_FORM_flag, 5, 8, 4, B("\0"), IS(OTHER, 0) },
	{ DW_FORM_flag_present, 4, 8, 4, B(""), IS(OTHER, 0) },
	{ DW_FORM_block1, 2, 8, 4, B("\3abc"), IS(OTHER, 0) },
	{ DW_FORM_block1, 5, 8, 4, B("\0"), IS(OTHER, 0) },
	{ DW_FORM_block2, 5, 8, 4, B("\4\0abcd"), IS(OTHER, 0) },
	{ DW_FORM_block4, 5, 8, 4, B("\2\0\0\0ab"), IS(OTHER, 0) },
	{ DW_FORM_block, 5, 8, 4, B("\x85\0abcde"), IS(OTHER, 0) },
	{ DW_FORM_exprloc, 4, 8, 4, B("\1\x9c"), IS(OTHER, 0) },
	{ DW_FORM_loclistx, 5, 8, 4, B("\x81\1"), IS(OTHER, 0) },
	{ DW_FORM_rnglistx, 5, 8, 4, B("\5"), IS(OTHER, 0) },

	{ DW_FORM_string, 2, 8, 4, B("here\0"), SAYS("here") },
	{ DW_FORM_string, 5, 8, 4, B("\0"), SAYS("") },
	{ DW_FORM_strp, 2, 4, 4, B("\6\0\0\0"), SAYS("second") },
	{ DW_FORM_strp, 5, 8, 8, B("\6\0\0\0\0\0\0\0"), SAYS("second") },
	{ DW_FORM_line_strp, 5, 8, 4, B("\1\0\0\0"), SAYS(LAST_OF_LINES) },
	{ DW_FORM_line_strp, 5, 8, 8, B("\1\0\0\0\0\0\0\0"), SAYS(LAST_OF_LINES) },
	{ DW_FORM_strx, 5, 8, 4, B("\2"), SAYS("third") },
	{ DW_FORM_strx, 5, 8, 8, B("\x82\0"), SAYS("third") },
	{ DW_FORM_strx1, 5, 8, 4, B("\1"), SAYS("second") },
	{ DW_FORM_strx2, 5, 8, 4, B("\2\0"), SAYS("third") },
	{ DW_FORM_strx3, 5, 8, 4, B("\1\0\0"), SAYS("second") },
	{ DW_FORM_strx4, 5, 8, 4, B("\0\0\0\0"), SAYS("first") },
	{ DW_FORM_strx, 5, 8, 4, B("\x63"), IS(OTHER, 0) }, /* beyond the table */
	{ DW_FORM_strx4, 5, 8, 4, B("\xff\xff\xff\xff"), IS(OTHER, 0) },
	{ DW_FORM_GNU_str_index, 4, 8, 4, B("\2"), SAYS("third") },
	{ DW_FORM_strp_sup, 5, 8, 4, B("\x0d\0\0\0"), SAYS("third") },
	{ DW_FORM_strp_sup, 5, 8, 8, B("\x0d\0\0\0\0\0\0\0"), SAYS("third") },
	{ DW_FORM_GNU_strp_alt, 4, 8, 4, B("\x0d\0\0\0"), SAYS("third") },
	{ DW_FORM_GNU_strp_alt, 4, 8, 8, B("\x0d\0\0\0\0\0\0\0"), SAYS("third") },

	{ DW_FORM_addrx, 5, 8, 4, B("\2"), IS(ADDRESS, THIRD_ADDRESS) },
	{ DW_FORM_addrx, 5, 8, 8, B("\x82\0"), IS(ADDRESS, THIRD_ADDRESS) },
	{ DW_FORM_addrx1, 5, 8, 4, B("\1"), IS(ADDRESS, 0x2000) },
	{ DW_FORM_addrx2, 5, 8, 4, B("\2\0"), IS(ADDRESS, THIRD_ADDRESS) },
	{ DW_FORM_addrx3, 5, 8, 4, B("\1\0\0"), IS(ADDRESS, 0x2000) },
	{ DW_FORM_addrx4, 5, 8, 4, B("\0\0\0\0"), IS(ADDRESS, 0x1000) },
	{ DW_FORM_addrx, 5, 4, 4, B("\1"), IS(ADDRESS, 0x2000) },
	{ DW_FORM_addrx, 5, 8, 4, B("\x63"), IS(OTHER, 0) }, /* beyond the table */
	{ DW_FORM_GNU_addr_index, 4, 8, 4, B("\2"), IS(ADDRESS, THIRD_ADDRESS) },

	{ DW_FORM_ref1, 2, 8, 4, B("\x10"), IS(REFERENCE, 0x10) },
	{ DW_FORM_ref2, 5, 8, 4, B("\x10\0"), IS(REFERENCE, 0x10) },
	{ DW_FORM_ref4, 5, 8, 4, B("\x10\0\0\0"), IS(REFERENCE, 0x10) },
	{ DW_FORM_ref8, 5, 8, 4, B("\x10\0\0\0\0\0\0\0"), IS(REFERENCE, 0x10) },
	{ DW_FORM_ref_udata, 5, 8, 4, B("\x90\0"), IS(REFERENCE, 0x10) },
	{ DW_FORM_ref_addr, 2, 8, 4, B("\x10\0\0\0\0\0\0\0"), IS(REFERENCE, 0x10) },
	{ DW_FORM_ref_addr, 2, 4, 4, B("\x10\0\0\0"), IS(REFERENCE, 0x10) },
	{ DW_FORM_ref_addr, 3, 8, 4, B("\x10\0\0\0"), IS(REFERENCE, 0x10) },
	{ DW_FORM_ref_addr, 5, 8, 8, B("\x10\0\0\0\0\0\0\0"), IS(REFERENCE, 0x10) },
	{ DW_FORM_ref4, 5, 8, 4, B("\xff\xff\0\0"), IS(OTHER, 0) }, /* beyond the unit */
	{ DW_FORM_ref_sig8, 4, 8, 4, B("\1\2\3\4\5\6\7\x8"), IS(OTHER, 0) },
	{ DW_FORM_ref_sup4, 5, 8, 4, B("\x10\0\0\0"), IS(SUPPLEMENT, 0x10) },
	{ DW_FORM_ref_sup8, 5, 8, 4, B("\x10\0\0\0\0\0\0\0"), IS(SUPPLEMENT, 0x10) },
	{ DW_FORM_GNU_ref_alt, 4, 8, 4, B("\x10\0\0\0"), IS(SUPPLEMENT, 0x10) },
	{ DW_FORM_GNU_ref_alt, 4, 8, 8, B("\x10\0\0\0\0\0\0\0"), IS(SUPPLEMENT, 0x10) },

	{ DW_FORM_indirect, 5, 8, 4, B("\x05\xfe\xff"), IS(NUMBER, 0xfffe) },
	{ DW_FORM_indirect, 5, 8, 4, B("\x08here\0"), SAYS("here") },
	{ DW_FORM_indirect, 2, 8, 4, B("\x11\x10"), IS(REFERENCE, 0x10) },
	{ DW_FORM_indirect, 4, 8, 4, B("\x99\0"), IS(OTHER, 0) }, /* DW_FORM_flag_present, in two bytes */
	{ DW_FORM_indirect, 5, 8, 4, B("\x16\x05\xfe\xff"), OURS_ONLY(UNKNOWN, 0) }, /* to a further one */
	{ DW_FORM_indirect, 5, 8, 4, B("\x21"), OURS_ONLY(UNKNOWN, 0) }, /* DW_FORM_implicit_const has no value here */
	{ DW_FORM_indirect, 5, 8, 4, B("\x8b\x80\x04\x11"), OURS_ONLY(UNKNOWN, 0) }, /* 0x1000b is not DW_FORM_data1 */
	{ DW_FORM_indirect, 5, 8, 4, B("\x7f\x11"), OURS_ONLY(UNKNOWN, 0) },

	{ 0x02, 5, 8, 4, B("\x11\x11\x11\x11"), OURS_ONLY(UNKNOWN, 0) },
	{ 0x2d, 5, 8, 4, B("\x11\x11\x11\x11"), OURS_ONLY(UNKNOWN, 0) },
	{ 0x1f00, 4, 8, 4, B("\x11\x11\x11\x11"), OURS_ONLY(UNKNOWN, 0) },
	{ 0x1f03, 4, 8, 4, B("\x11\x11\x11\x11"), OURS_ONLY(UNKNOWN, 0) },
	{ 0x1f22, 4, 8, 4, B("\x11\x11\x11\x11"), OURS_ONLY(UNKNOWN, 0) },
	{ DW_FORM_LLVM_addrx_offset, 5, 8, 4, B("\2\x10\0\0\0"), OURS_ONLY(ADDRESS, THIRD_ADDRESS + 0x10) },
	{ 0x7fff, 5, 8, 4, B("\x11\x11\x11\x11"), OURS_ONLY(UNKNOWN, 0) },
};

enum {
	NR_ROWS = sizeof(rows) / sizeof(rows[0]),
	SENTINEL = 0x5aa5, /* a value after that of the row */
};

/* The attribute that libdw expects a value of this kind in. */
static const uint16_t attributes[] = {
	[UNKNOWN] = DW_AT_const_value, [OTHER] = DW_AT_const_value, [NUMBER] = DW_AT_call_line,
	[OFFSET] = DW_AT_stmt_list,    [BOTH] = DW_AT_call_line,    [ADDRESS] = DW_AT_low_pc,
	[TEXT] = DW_AT_producer,       [REFERENCE] = DW_AT_type,    [SUPPLEMENT] = DW_AT_type,
};

static const char *title(const struct row *row)
{
	static char text[64];

	snprintf(text, sizeof(text), "row %td: form %#x, version %d", row - rows, row->form, row->version);
	return text;
}

static void check(const struct row *row, const char *what, uint64_t is, uint64_t should)
{
	if (is != should)
		fail_msg("%s: %s is %#" PRIx64 ", not %#" PRIx64, title(row), what, is, should);
}

static void check_text(const struct row *row, const char *what, const char *is)
{
	if (!is || strcmp(is, row->text) != 0)
		fail_msg("%s: %s is '%s', not '%s'", title(row), what, is ?: "(none)", row->text);
}

/* ---- the sections ---- */

static void put_tables(struct dwarf_writer *writer, const struct row *row)
{
	static const uint32_t texts[] = { 0, 6, 13 };
	static const uint64_t addresses[] = { 0x1000, 0x2000, THIRD_ADDRESS };
	struct bytes *offsets = &writer->sections[DEBUG_STR_OFFSETS], *addrs = &writer->sections[DEBUG_ADDR];
	bool is_new = row->version >= 5;
	size_t start_offsets = is_new ? begin_length(offsets, row->offset_size) : 0;
	size_t start_addresses = is_new ? begin_length(addrs, row->offset_size) : 0;

	put_list(&writer->sections[DEBUG_STR], "first\0second\0third", 19);
	put_list(&writer->sections[DEBUG_LINE_STR], "\0" LAST_OF_LINES, sizeof(LAST_OF_LINES) + 1);
	put(&writer->sections[DEBUG_LINE], 0, 8);
	put(&writer->sections[DEBUG_LINE], 0, 8);
	put(&writer->sections[DEBUG_LINE], 0, 8);
	if (is_new) {
		put(offsets, 5, 4); /* version and padding */
		put(addrs, 5, 2);
		put(addrs, row->address_size, 2); /* and no segments */
	}
	for (size_t i = 0; i < 3; i++) {
		put(offsets, texts[i], row->offset_size);
		put(addrs, addresses[i], row->address_size);
	}
	if (is_new) {
		end_length(offsets, start_offsets, row->offset_size);
		end_length(addrs, start_addresses, row->offset_size);
	}
}

static void put_abbrev(struct bytes *abbrev, const struct row *row)
{
	begin_abbrev(abbrev, 1, DW_TAG_compile_unit, false);
	if (row->version >= 5) {
		put_field(abbrev, DW_AT_str_offsets_base, DW_FORM_sec_offset);
		put_field(abbrev, DW_AT_addr_base, DW_FORM_sec_offset);
	}
	put_field(abbrev, attributes[row->kind], row->form);
	if (row->form == DW_FORM_implicit_const)
		put_sleb(abbrev, (int64_t)row->number);
	put_field(abbrev, DW_AT_decl_line, DW_FORM_data2);
	put_field(abbrev, 0, 0);
	put(abbrev, 0, 1);
}

static void put_unit(struct bytes *info, const struct row *row)
{
	const struct dwarf_shape shape = { row->version, row->address_size, row->offset_size };
	size_t start = begin_unit(info, &shape, DW_UT_compile, 0);

	put_uleb(info, 1);
	if (row->version >= 5) {
		put(info, 2u * row->offset_size, row->offset_size);
		put(info, 2u * row->offset_size, row->offset_size);
	}
	put_list(info, row->bytes, row->nr);
	put(info, SENTINEL, 2);
	put(info, 0, 8); /* so that 0x10 is in each unit */
	end_length(info, start, row->offset_size);
}

/* ---- our reader ---- */

struct values {
	uint16_t attribute; /* of the row */
	struct dwarf_value value, sentinel;
};

static void take(void *context, uint16_t attribute, const struct dwarf_value *value)
{
	struct values *values = context;

	if (attribute == values->attribute)
		values->value = *value;
	else if (attribute == DW_AT_decl_line)
		values->sentinel = *value;
}

static const char *text_of(struct dwarf *dwarf, const struct dwarf_text *text)
{
	uint64_t offset = text->offset & ~IN_ALTERNATE;

	if (text->kind == TEXT_HERE)
		return elf_section_string_before(&dwarf->info, offset, text->end);
	return elf_section_string(text->kind == TEXT_STR ? &dwarf->str : &dwarf->line_str, offset);
}

static void check_meanings(const struct row *row, struct dwarf *dwarf, const struct dwarf_unit *unit,
			   const struct dwarf_value *value)
{
	uint64_t number = 0, offset = 0, address = 0, reference = 0;
	struct dwarf_text text;
	bool in_alternate = row->form == DW_FORM_strp_sup || row->form == DW_FORM_GNU_strp_alt;

	check(row, "being a number", dwarf_value_number(value, &number), row->kind == NUMBER || row->kind == BOTH);
	check(row, "being an offset", dwarf_value_offset(value, &offset), row->kind == OFFSET || row->kind == BOTH);
	check(row, "being an address", dwarf_value_address(dwarf, unit, value, &address), row->kind == ADDRESS);
	check(row, "being a text", dwarf_value_text(dwarf, unit, value, &text), row->kind == TEXT);
	check(row, "being a reference", dwarf_value_reference(unit, value, &reference),
	      row->kind == REFERENCE || row->kind == SUPPLEMENT);
	if (row->kind == NUMBER || row->kind == BOTH)
		check(row, "the number", number, row->number);
	if (row->kind == OFFSET || row->kind == BOTH)
		check(row, "the offset", offset, row->number);
	if (row->kind == ADDRESS)
		check(row, "the address", address, row->number);
	if (row->kind == REFERENCE || row->kind == SUPPLEMENT)
		check(row, "the reference", reference, row->number | (row->kind == SUPPLEMENT ? IN_ALTERNATE : 0));
	if (row->kind != TEXT)
		return;
	check(row, "being in the alternate file", !!(text.offset & IN_ALTERNATE), in_alternate);
	check_text(row, "the text", text_of(dwarf, &text));
}

/* The same entry passed over ends where it ends when it is read. */
static void check_length(const struct row *row, struct dwarf *dwarf, const struct dwarf_unit *unit,
			 const struct abbrevs *abbrevs, uint64_t end)
{
	struct dwarf_entries entries = dwarf_entries_from(dwarf, unit, unit->entries, UINT64_MAX);
	const struct abbrev *abbrev = abbrevs_get(abbrevs, bytes_uleb(&entries.bytes));

	dwarf_entry_skip(&entries, abbrevs, abbrev);
	check(row, "failing to pass over it", entries.bytes.bad, row->kind == UNKNOWN);
	if (row->kind != UNKNOWN)
		check(row, "the end when passed over", dwarf_entries_at(&entries), end);
}

static void read_ours(const struct row *row, struct dwarf *dwarf)
{
	struct values values = { .attribute = attributes[row->kind] };
	_cleanup_(abbrevs_done) struct abbrevs abbrevs = {};
	struct dwarf_entries entries;
	struct dwarf_unit unit;
	uint64_t next;
	int err;

	assert_int_equal(dwarf_unit_open(dwarf, 0, &unit, &next), 0);
	err = dwarf_unit_read_root(dwarf, &unit, &abbrevs);
	check(row, "the error of the first entry", (uint64_t)err, (uint64_t)(row->kind == UNKNOWN ? -ENODATA : 0));
	entries = dwarf_entries_from(dwarf, &unit, unit.entries, UINT64_MAX);
	dwarf_entry_read(&entries, &abbrevs, abbrevs_get(&abbrevs, bytes_uleb(&entries.bytes)), take, &values);
	check(row, "failing to read it", entries.bytes.bad, row->kind == UNKNOWN);
	check(row, "the form of the value behind it", values.sentinel.form,
	      row->kind == UNKNOWN ? 0u : (unsigned int)DW_FORM_data2);
	check(row, "the value behind it", values.sentinel.number, row->kind == UNKNOWN ? 0 : SENTINEL);
	if (row->kind == UNKNOWN)
		check(row, "the form", values.value.form, 0);
	else
		check_meanings(row, dwarf, &unit, &values.value);
	check_length(row, dwarf, &unit, &abbrevs, dwarf_entries_at(&entries));
}

/* ---- libdw ---- */

static uint64_t number_by_libdw(const struct row *row, Dwarf_Attribute *attribute)
{
	Dwarf_Word number = 0;

	check(row, "libdw's error for a number", (uint64_t)dwarf_formudata(attribute, &number), 0);
	return number;
}

static void compare(const struct row *row, Dwarf_Attribute *attribute)
{
	Dwarf_Addr address = 0;
	Dwarf_Die target = {};

	switch (row->kind) {
	case NUMBER:
	case OFFSET:
	case BOTH:
		check(row, "libdw's number", number_by_libdw(row, attribute), row->number);
		break;
	case ADDRESS:
		check(row, "libdw's error for an address", (uint64_t)dwarf_formaddr(attribute, &address), 0);
		check(row, "libdw's address", address, row->number);
		break;
	case TEXT:
		check_text(row, "libdw's text", dwarf_formstring(attribute));
		break;
	case REFERENCE:
	case SUPPLEMENT:
		check(row, "libdw's failing to refer", !dwarf_formref_die(attribute, &target), 0);
		check(row, "libdw's reference", dwarf_dieoffset(&target), row->number);
		break;
	case OTHER: /* neither a text nor an address for it */
		check(row, "libdw's text", !dwarf_formstring(attribute), true);
		check(row, "libdw's error for an address", (uint64_t)dwarf_formaddr(attribute, &address), (uint64_t)-1);
		break;
	case UNKNOWN:
		break;
	}
}

static void read_libdw(const struct row *row, Dwarf *libdw)
{
	Dwarf_Attribute attribute;
	Dwarf_CU *unit = NULL;
	Dwarf_Die root;

	assert_non_null(libdw);
	check(row, "libdw's error for the unit", (uint64_t)dwarf_get_units(libdw, NULL, &unit, NULL, NULL, &root, NULL),
	      0);
	check(row, "libdw's lack of the value", !dwarf_attr(&root, attributes[row->kind], &attribute), false);
	compare(row, &attribute);
	check(row, "libdw's lack of the value behind it", !dwarf_attr(&root, DW_AT_decl_line, &attribute), false);
	check(row, "libdw's value behind it", number_by_libdw(row, &attribute), SENTINEL);
}

/* ---- tests ---- */

TEST(each_form_is_what_the_specification_and_libdw_say)
{
	for (const struct row *row = rows; row < rows + NR_ROWS; row++) {
		struct dwarf_writer writer = {};
		struct dwarf_opened opened;

		put_tables(&writer, row);
		put_abbrev(&writer.sections[DEBUG_ABBREV], row);
		put_unit(&writer.sections[DEBUG_INFO], row);
		dwarf_writer_open(&writer, &opened);
		read_ours(row, &opened.dwarf);
		if (!row->not_in_libdw)
			read_libdw(row, opened.libdw);
		dwarf_opened_done(&opened);
	}
}

/* Whatever the value needs to be read whole: with any byte of it missing it is bad, and nothing after the end is read. */
TEST(a_form_that_is_cut_short_is_not_known)
{
	static const struct dwarf_unit unit = { .version = 5, .address_size = 8, .offset_size = 8 };

	for (const struct row *row = rows; row < rows + NR_ROWS; row++) {
		const struct abbrev_attribute attribute = { .form = row->form };

		for (size_t nr = 0; nr < row->nr; nr++) {
			struct dwarf_unit of = unit;
			struct dwarf_entries entries = { .unit = &of };
			_cleanup_(freep) uint8_t *exact = malloc(nr + !nr);
			struct dwarf_value value;

			of.version = row->version;
			of.address_size = row->address_size;
			of.offset_size = row->offset_size;
			memcpy(exact, row->bytes, nr);
			entries.bytes = (struct byte_reader){ .at = exact, .end = exact + nr };
			entries.start = exact;
			dwarf_value_read(&entries, &attribute, &value);
			check(row, "failing to read half of it", entries.bytes.bad, true);
		}
	}
}
