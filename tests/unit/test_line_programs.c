/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every opcode of a line program and every form of its tables of files, in versions 2 to 5 and both formats, by bytes from the
 * specification (DWARF 5, 6.2; DWARF 2 to 4); libdw says the same of the same bytes.
 */
#include <dwarf.h>
#include <inttypes.h>

#include "symbolize/dwarf/source_search.h"
#include "tests/unit/dwarf_writer.h"
#include "tests/harness.h"

enum {
	CODE = 0x2000,
	CODE_BYTES = 0x100, /* each is looked up */
};

struct row {
	const char *name;
	const char *bytes; /* of the program */
	size_t nr;
	const char *lines; /* of the addresses after CODE */
	bool not_in_libdw; /* which gives up the whole program, or knows more */
	/* of the header, 0: as compilers write it */
	uint8_t instruction_bytes, line_range, opcode_base;
	int8_t line_base;
	const char *operands; /* of opcode 13 and so on, or of all when `opcode_base` is smaller */
	uint8_t from_version;
};

#define B(bytes) bytes, sizeof(bytes) - 1
#define SET "\0\x09\2\0\x20\0\0\0\0\0\0" /* DW_LNE_set_address CODE */
#define SET_NEXT "\0\x09\2\x40\x20\0\0\0\0\0\0"
#define COPY "\1"
#define ADVANCE(nr) "\2" nr
#define END "\0\1\1"
#define A "/src/a.c"
#define BH "/src/inc/b.h"

static const struct row rows[] = {
	{ "copy, advance_pc", B(SET COPY ADVANCE("\4") END), "0-4 " A ":1" },
	{ "advance_pc of two bytes", B(SET COPY ADVANCE("\x80\1") END), "0-80 " A ":1" },
	{ "advance_pc in words", B(SET COPY ADVANCE("\4") END), "0-10 " A ":1", .instruction_bytes = 4 },
	{ "advance_line", B(SET "\3\x05" COPY ADVANCE("\4") "\3\x7e" COPY ADVANCE("\4") END),
	  "0-4 " A ":6,4-8 " A ":4" },
	{ "advance_line by thousands", B(SET "\3\xe8\7" COPY ADVANCE("\4") END), "0-4 " A ":1001" },
	{ "set_file", B(SET "\4\2" COPY ADVANCE("\4") "\4\1" COPY ADVANCE("\4") END), "0-4 " BH ":1,4-8 " A ":1" },
	{ "set_file that is not there", B(SET "\4\x63" COPY ADVANCE("\4") END), "0-4 ?:1", true },
	{ "set_column", B(SET "\5\x81\1" COPY ADVANCE("\4") END), "0-4 " A ":1" },
	{ "negate_stmt", B(SET "\6" COPY ADVANCE("\4") "\3\1" COPY ADVANCE("\4") END), "0-4 " A ":1,4-8 " A ":2" },
	{ "set_basic_block", B(SET "\7" COPY ADVANCE("\4") END), "0-4 " A ":1" },
	{ "const_add_pc", B(SET COPY "\x08" END), "0-11 " A ":1" },
	{ "const_add_pc in words", B(SET COPY "\x08" END), "0-22 " A ":1", .instruction_bytes = 2 },
	{ "fixed_advance_pc", B(SET COPY "\x09\x20\0" END), "0-20 " A ":1", .instruction_bytes = 4 },
	{ "set_prologue_end", B(SET "\x0a" COPY ADVANCE("\4") END), "0-4 " A ":1" },
	{ "set_epilogue_begin", B(SET "\x0b" COPY ADVANCE("\4") END), "0-4 " A ":1" },
	{ "set_isa", B(SET "\x0c\x81\1" COPY ADVANCE("\4") END), "0-4 " A ":1" },
	{ "special: first and last line",
	  B(SET "\3\x09"
		"\x0d\x1a" ADVANCE("\4") END),
	  "0-4 " A ":13" },
	{ "special: address and line", B(SET COPY "\x4b\x73" ADVANCE("\2") END),
	  "0-4 " A ":1,4-b " A ":2,b-d " A ":1" },
	{ "special: the last opcode", B(SET COPY "\xff" ADVANCE("\1") END), "0-11 " A ":1,11-12 " A ":0" },
	{ "special in words", B(SET COPY "\x2f" ADVANCE("\1") END), "0-8 " A ":1,8-c " A ":2", .instruction_bytes = 4 },
	{ "special with a range of 4", B(SET COPY "\x12" ADVANCE("\1") END), "0-1 " A ":1,1-2 " A ":3", .line_range = 4,
	  .line_base = 1 },
	{ "opcode base 10", B(SET "\3\x05" COPY "\x2c" ADVANCE("\1") END), "0-2 " A ":6,2-3 " A ":7",
	  .opcode_base = 10 },
	{ "opcode base 1",
	  B(SET "\x06"
		"\x22" END),
	  "0-2 " A ":1", .opcode_base = 1 },
	{ "opcodes to come",
	  B(SET "\x0d\x81\1\x02"
		"\x0e" COPY ADVANCE("\4") END),
	  "0-4 " A ":1", .opcode_base = 15, .operands = "\2\0" },
	{ "other operands of a known opcode", B(SET "\5\1\1" COPY ADVANCE("\4") END), "", true, .opcode_base = 10,
	  .operands = "\0\1\1\1\2\0\0\0\1" },
	{ "two rows at one address", B(SET COPY "\3\4" COPY ADVANCE("\4") END), "0-4 " A ":5" },
	{ "two sequences", B(SET COPY ADVANCE("\4") END SET_NEXT "\3\1" COPY ADVANCE("\4") END),
	  "0-4 " A ":1,40-44 " A ":2" },
	{ "two sequences, the later first", B(SET_NEXT COPY ADVANCE("\4") END SET "\3\1" COPY ADVANCE("\4") END),
	  "0-4 " A ":2,40-44 " A ":1" },
	{ "a sequence begins anew", B(SET "\4\2\3\x09" COPY ADVANCE("\4") END SET_NEXT COPY ADVANCE("\4") END),
	  "0-4 " BH ":10,40-44 " A ":1" },
	{ "a sequence without a row", B(SET END SET COPY ADVANCE("\4") END), "0-4 " A ":1" },
	{ "set_discriminator", B(SET "\0\2\4\7" COPY ADVANCE("\4") END), "0-4 " A ":1" },
	{ "set_discriminator of two bytes", B(SET "\0\3\4\x87\1" COPY ADVANCE("\4") END), "0-4 " A ":1" },
	{ "define_file",
	  B(SET "\0\x08\3c.c\0\0\0\0"
		"\4\3" COPY ADVANCE("\4") END),
	  "0-4 ?:1", true },
	{ "an extended opcode of a vendor", B(SET "\0\4\x80\1\1\1" COPY ADVANCE("\4") END), "0-4 " A ":1" },
	{ "set_address of 4 bytes", B("\0\5\2\0\x20\0\0" COPY ADVANCE("\4") END), "0-4 " A ":1", true },
	{ "set_address of 3 bytes", B("\0\4\2\0\x20\0" COPY ADVANCE("\4") END), "", true },
	{ "set_address without one", B("\0\1\2" COPY ADVANCE("\4") END), "", true },
	{ "set_address of 9 bytes", B("\0\x0a\2\0\x20\0\0\0\0\0\0\0" COPY ADVANCE("\4") END), "", true },
	{ "no end of a sequence", B(SET COPY ADVANCE("\4") "\3\1" COPY), "0-4 " A ":1", true },
	{ "an end in an operand", B(SET COPY ADVANCE("\4") "\3\1" COPY "\2\x80"), "0-4 " A ":1", true },
	{ "an extended opcode beyond the end", B(SET COPY ADVANCE("\4") "\3\1" COPY "\0\x7f\1"), "0-4 " A ":1", true },
	{ "several operations in an instruction", B(SET COPY ADVANCE("\4") END), "", true, .from_version = 4 },
};

/* ---- the sections ---- */

static void put_files(struct bytes *line, uint8_t version)
{
	static const unsigned char directories[] = { 1, DW_LNCT_path, DW_FORM_string, 2 };
	static const unsigned char files[] = { 2, DW_LNCT_path, DW_FORM_string, DW_LNCT_directory_index, DW_FORM_udata,
					       3 };

	if (version < 5) {
		put_list(line, B("inc\0\0"
				 "a.c\0\0\0\0"
				 "b.h\0\1\x81\1\x82\2\0"));
		return;
	}
	put_list(line, directories, sizeof(directories));
	put_list(line, B("/src\0"
			 "inc\0"));
	put_list(line, files, sizeof(files));
	put_list(line, B("a.c\0\0"
			 "a.c\0\0"
			 "b.h\0\1"));
}

/* The header up to the tables. Returns where its length is counted from; *ret_unit that of the whole. */
static size_t begin_line(struct bytes *line, const struct dwarf_shape *shape, const struct row *row, size_t *ret_unit)
{
	static const unsigned char usual[] = { 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1 };
	uint8_t opcode_base = row->opcode_base ?: 13, nr = opcode_base - 1, nr_usual = nr < 12 ? nr : 12;
	bool has_own = row->operands && nr <= 12;
	size_t start;

	*ret_unit = begin_length(line, shape->offset_size);
	put(line, shape->version, 2);
	if (shape->version >= 5)
		put(line, shape->address_size, 2); /* and no segments */
	put(line, 0, shape->offset_size);
	start = line->nr;
	put(line, row->instruction_bytes ?: 1, 1);
	if (shape->version >= 4)
		put(line, row->from_version == 4 ? 4 : 1, 1);
	put(line, 1, 1);
	put(line, (uint8_t)(row->line_base ?: -5), 1);
	put(line, row->line_range ?: 14, 1);
	put(line, opcode_base, 1);
	put_list(line, has_own ? (const void *)row->operands : usual, nr_usual);
	if (nr > 12)
		put_list(line, row->operands, nr - 12u);
	return start;
}

static void put_line(struct bytes *line, const struct dwarf_shape *shape, const struct row *row)
{
	size_t unit, header = begin_line(line, shape, row, &unit);

	put_files(line, shape->version);
	end_length(line, header, shape->offset_size);
	put_list(line, row->bytes, row->nr);
	end_length(line, unit, shape->offset_size);
}

static void put_info(struct dwarf_writer *writer, const struct dwarf_shape *shape)
{
	struct bytes *info = &writer->sections[DEBUG_INFO], *abbrev = &writer->sections[DEBUG_ABBREV];
	size_t start = begin_unit(info, shape, DW_UT_compile, 0);

	begin_abbrev(abbrev, 1, DW_TAG_compile_unit, false);
	put_field(abbrev, DW_AT_stmt_list,
		  shape->version >= 4       ? DW_FORM_sec_offset
		  : shape->offset_size == 8 ? DW_FORM_data8
					    : DW_FORM_data4);
	put_field(abbrev, DW_AT_comp_dir, DW_FORM_string);
	put_field(abbrev, 0, 0);
	put(abbrev, 0, 1);
	put_uleb(info, 1);
	put(info, 0, shape->offset_size);
	put_text(info, "/src");
	end_length(info, start, shape->offset_size);
}

/* ---- what they say ---- */

/* Addresses with the same line, one after the other. */
struct lines {
	char text[512], last[128];
	size_t nr;
};

static void add(struct lines *lines, uint64_t address, const char *file, int line)
{
	char now[128] = "";

	if (file || line >= 0)
		snprintf(now, sizeof(now), " %s:%d", file ?: "?", line);
	if (!strcmp(now, lines->last))
		return;
	if (*lines->last)
		lines->nr += (size_t)snprintf(lines->text + lines->nr, sizeof(lines->text) - lines->nr, "%" PRIx64 "%s",
					      address - CODE, lines->last);
	if (*now)
		lines->nr += (size_t)snprintf(lines->text + lines->nr, sizeof(lines->text) - lines->nr,
					      "%s%" PRIx64 "-", lines->nr ? "," : "", address - CODE);
	memcpy(lines->last, now, sizeof(now));
}

static void read_ours(struct dwarf *dwarf, struct lines *lines)
{
	static const struct code_range code = { .address = CODE, .offset = 0x1000, .size = CODE_BYTES };
	_cleanup_(source_batch_done) struct source_batch batch = { .code = &code, .nr_code = 1 };

	for (uint32_t i = 0; i < CODE_BYTES; i++)
		assert_int_equal(source_batch_add(&batch, CODE + i, i), 0);
	assert_int_equal(source_batch_sort(&batch), 0);
	assert_int_equal(source_search(dwarf, &batch, false), 0);
	for (uint32_t i = 0; i < CODE_BYTES; i++) {
		const struct source_place *place = &batch.places.data[i];
		bool is_found = place->program != NO_PROGRAM;

		add(lines, CODE + i, is_found ? place->file : NULL, is_found ? (int)place->line : -1);
	}
	add(lines, CODE + CODE_BYTES, NULL, -1);
}

/* Before DWARF 5, libdw leaves it to its callers to put the directory of the unit before a relative one. */
static void read_libdw(Dwarf *libdw, struct lines *lines)
{
	Dwarf_CU *unit = NULL;
	Dwarf_Die root;

	assert_int_equal(dwarf_get_units(libdw, NULL, &unit, NULL, NULL, &root, NULL), 0);
	for (uint64_t i = 0; i < CODE_BYTES; i++) {
		Dwarf_Line *line = dwarf_getsrc_die(&root, CODE + i);
		const char *file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
		char path[128] = "";
		int number = -1;

		if (line)
			assert_int_equal(dwarf_lineno(line, &number), 0);
		snprintf(path, sizeof(path), "%s%s", file && *file != '/' ? "/src/" : "", file ?: "");
		add(lines, CODE + i, file ? path : NULL, number);
	}
	add(lines, CODE + CODE_BYTES, NULL, -1);
}

static void check(const char *name, const struct dwarf_shape *shape, const char *who, const struct lines *lines,
		  const char *should)
{
	if (strcmp(lines->text, should) != 0)
		fail_msg("%s, version %d, offsets of %d bytes: %s: '%s', not '%s'", name, shape->version,
			 shape->offset_size, who, lines->text, should);
}

static void judge(const struct dwarf_writer *writer, const char *name, const struct dwarf_shape *shape,
		  const char *should, bool not_in_libdw)
{
	_cleanup_(dwarf_opened_done) struct dwarf_opened opened;
	struct lines ours = {}, theirs = {};

	dwarf_writer_open(writer, &opened);
	opened.dwarf.alternate = &opened.dwarf;
	read_ours(&opened.dwarf, &ours);
	check(name, shape, "ours", &ours, should);
	if (!not_in_libdw) {
		read_libdw(opened.libdw, &theirs);
		check(name, shape, "libdw", &theirs, should);
	}
}

TEST(each_opcode_does_what_the_specification_and_libdw_say)
{
	for (const struct row *row = rows; row < rows + sizeof(rows) / sizeof(rows[0]); row++) {
		for (uint8_t version = row->from_version ?: 2; version <= 5; version++) {
			for (uint8_t offset_size = 4; offset_size <= 8; offset_size += 4) {
				const struct dwarf_shape shape = { version, 8, offset_size };
				struct dwarf_writer writer = {};

				put_info(&writer, &shape);
				put_line(&writer.sections[DEBUG_LINE], &shape, row);
				judge(&writer, row->name, &shape, row->lines, row->not_in_libdw);
			}
		}
	}
}

/* ---- tables of files ---- */

struct table_row {
	const char *name;
	uint8_t version;
	const char *bytes; /* of both tables */
	size_t nr;
	const char *file; /* of file 1; NULL not known */
	bool not_in_libdw;
};

#define PATH(form) "\1" form
#define DIRECTORY(form) "\2" form
#define MD5 "0123456789abcdef"
#define STRING "\x08"
#define STRP "\x0e"
#define LINE_STRP "\x1f"
#define STRP_SUP "\x1d"
#define STRX1 "\x25"
#define UDATA "\x0f"
#define DATA1 "\x0b"
#define DATA2 "\x05"
#define DATA4 "\x06"
#define DATA8 "\x07"
#define DATA16 "\x1e"
#define BLOCK "\x09"
#define FLAG_PRESENT "\x19"
#define IMPLICIT_CONST "\x21"
#define DIRECTORIES "\1" PATH(STRING) "\2/src\0inc\0"
#define PLAIN_FILES(directory) "\2" PATH(STRING) DIRECTORY(UDATA) "\2a.c\0\0b.h\0" directory

static const struct table_row tables[] = {
	{ "directory 0", 2, B("inc\0\0b.h\0\0\0\0\0"), "/src/b.h" },
	{ "directory 1", 2, B("inc\0\0b.h\0\1\0\0\0"), "/src/inc/b.h" },
	{ "directory 2", 3, B("no\0inc\0\0b.h\0\2\0\0\0"), "/src/inc/b.h" },
	{ "directory from the root", 4, B("/inc\0\0b.h\0\1\0\0\0"), "/inc/b.h" },
	{ "file from the root", 4, B("inc\0\0/b.h\0\1\0\0\0"), "/b.h" },
	{ "no directories", 4, B("\0b.h\0\0\0\0\0"), "/src/b.h" },
	{ "directory that is not there", 4, B("inc\0\0b.h\0\2\0\0\0"), "/src/b.h", true },
	{ "time and size", 3, B("inc\0\0b.h\0\1\x80\x80\1\xff\x7f\0"), "/src/inc/b.h" },
	{ "no files", 4, B("inc\0\0\0"), NULL, true },

	{ "string, udata", 5, B(DIRECTORIES PLAIN_FILES("\1")), "/src/inc/b.h" },
	{ "directory 0", 5, B(DIRECTORIES PLAIN_FILES("\0")), "/src/b.h" },
	{ "directory from the root", 5, B("\1" PATH(STRING) "\2/src\0/inc\0" PLAIN_FILES("\1")), "/inc/b.h" },
	{ "file from the root", 5, B(DIRECTORIES "\2" PATH(STRING) DIRECTORY(UDATA) "\2a.c\0\0/b.h\0\1"), "/b.h" },
	{ "line_strp", 5, B("\1" PATH(LINE_STRP) "\2\1\0\0\0\6\0\0\0" PLAIN_FILES("\1")), "/src/inc/b.h" },
	{ "strp", 5, B(DIRECTORIES "\2" PATH(STRP) DIRECTORY(UDATA) "\2\2\0\0\0\0\2\0\0\0\1"), "/src/inc/b.h" },
	{ "strp_sup", 5, B(DIRECTORIES "\2" PATH(STRP_SUP) DIRECTORY(UDATA) "\2\2\0\0\0\0\2\0\0\0\1"), "/src/inc/b.h",
	  true },
	{ "data1", 5, B(DIRECTORIES "\2" PATH(STRING) DIRECTORY(DATA1) "\2a.c\0\0b.h\0\1"), "/src/inc/b.h" },
	{ "data2", 5, B(DIRECTORIES "\2" PATH(STRING) DIRECTORY(DATA2) "\2a.c\0\0\0b.h\0\1\0"), "/src/inc/b.h" },
	{ "data4", 5, B(DIRECTORIES "\2" PATH(STRING) DIRECTORY(DATA4) "\2a.c\0\0\0\0\0b.h\0\1\0\0\0"),
	  "/src/inc/b.h" },
	{ "data8", 5, B(DIRECTORIES "\2" PATH(STRING) DIRECTORY(DATA8) "\2a.c\0\0\0\0\0\0\0\0\0b.h\0\1\0\0\0\0\0\0\0"),
	  "/src/inc/b.h", true },
	{ "directory before the path", 5, B(DIRECTORIES "\2" DIRECTORY(UDATA) PATH(STRING) "\2\0a.c\0\1b.h\0"),
	  "/src/inc/b.h" },
	{ "no directory", 5, B(DIRECTORIES "\1" PATH(STRING) "\2a.c\0b.h\0"), "/src/b.h", true },
	{ "MD5", 5, B(DIRECTORIES "\3" PATH(STRING) DIRECTORY(UDATA) "\5" DATA16 "\2a.c\0\0" MD5 "b.h\0\1" MD5),
	  "/src/inc/b.h" },
	{ "time and size", 5,
	  B(DIRECTORIES "\4" PATH(STRING) "\3" UDATA "\4" DATA8 DIRECTORY(UDATA) "\2a.c\0\x81\1"
										 "12345678\0"
										 "b.h\0\x81\1"
										 "12345678\1"),
	  "/src/inc/b.h" },
	{ "time as a block", 5,
	  B(DIRECTORIES "\3" PATH(STRING) "\3" BLOCK DIRECTORY(UDATA) "\2a.c\0\3abc\0"
								      "b.h\0\0\1"),
	  "/src/inc/b.h" },
	{ "content of a vendor", 5,
	  B(DIRECTORIES "\3" PATH(STRING) "\x81\x40" LINE_STRP DIRECTORY(UDATA) "\2a.c\0\1\0\0\0\0"
										"b.h\0\1\0\0\0\1"),
	  "/src/inc/b.h" },
	{ "directory that is not there", 5, B(DIRECTORIES PLAIN_FILES("\2")), "/src/b.h", true },
	{ "no directories", 5, B("\0\0" PLAIN_FILES("\0")), "b.h", true },
	{ "path by a table that the unit has", 5, B(DIRECTORIES "\2" PATH(STRX1) DIRECTORY(UDATA) "\2\0\0\0\1"), NULL,
	  true },
	{ "path as a number", 5, B(DIRECTORIES "\2" PATH(UDATA) DIRECTORY(UDATA) "\2\0\0\1\1"), NULL, true },
	{ "directory as a text", 5, B(DIRECTORIES "\2" PATH(STRING) DIRECTORY(STRING) "\2a.c\0\0b.h\0\0"), NULL, true },
	{ "directory of 16 bytes", 5, B(DIRECTORIES "\2" PATH(STRING) DIRECTORY(DATA16) "\2a.c\0" MD5 "b.h\0" MD5),
	  NULL, true },
	{ "a form that is not known", 5,
	  B(DIRECTORIES "\3" PATH(STRING) DIRECTORY(UDATA) "\3\x2d"
							   "\2a.c\0\0\0b.h\0\1\0"),
	  NULL, true },
	{ "a field without bytes", 5,
	  B(DIRECTORIES "\3" PATH(STRING) DIRECTORY(UDATA) "\3" FLAG_PRESENT "\2a.c\0\0b.h\0\1"), NULL, true },
	{ "a constant that is nowhere", 5, B(DIRECTORIES "\2" PATH(STRING) DIRECTORY(IMPLICIT_CONST) "\2a.c\0b.h\0"),
	  NULL, true },
	{ "no fields, many entries", 5, B(DIRECTORIES "\0\xff\xff\xff\xff\x7f"), NULL, true },
	{ "17 fields", 5,
	  B(DIRECTORIES "\x11" PATH(
		  STRING) "\3\x0b\3\x0b\3\x0b\3\x0b\3\x0b\3\x0b\3\x0b\3\x0b\3\x0b\3\x0b\3\x0b\3\x0b\3\x0b\3\x0b\3\x0b"
			  "\3\x0b"
			  "\2a.c\0" MD5 "b.h\0" MD5),
	  NULL, true },
	{ "cut short", 5, B(DIRECTORIES "\2" PATH(STRING) DIRECTORY(UDATA) "\2a.c\0\0b."), NULL, true },
};

TEST(each_table_of_files_is_what_the_specification_and_libdw_say)
{
	static const struct row program = { .bytes = SET COPY ADVANCE("\4") END,
					    .nr = sizeof(SET COPY ADVANCE("\4") END) - 1 };

	for (const struct table_row *row = tables; row < tables + sizeof(tables) / sizeof(tables[0]); row++) {
		const struct dwarf_shape shape = { row->version, 8, 4 };
		struct dwarf_writer writer = {};
		struct bytes *line = &writer.sections[DEBUG_LINE];
		char should[64];
		size_t unit, header;

		put_list(&writer.sections[DEBUG_STR], B("a\0b.h\0"));
		put_list(&writer.sections[DEBUG_LINE_STR], B("\0/src\0inc\0"));
		put_info(&writer, &shape);
		header = begin_line(line, &shape, &program, &unit);
		put_list(line, row->bytes, row->nr);
		end_length(line, header, 4);
		put_list(line, program.bytes, program.nr);
		end_length(line, unit, 4);
		snprintf(should, sizeof(should), "0-4 %s:1", row->file ?: "?");
		judge(&writer, row->name, &shape, should, row->not_in_libdw);
	}
}

/* ---- headers ---- */

/* A program that is not known is passed over: the one after it is run. */
TEST(a_program_that_is_not_known_is_passed_over)
{
	static const struct row known = { .bytes = SET COPY ADVANCE("\4") END,
					  .nr = sizeof(SET COPY ADVANCE("\4") END) - 1 };
	static const struct {
		uint8_t version, at, value; /* a byte of the header that is another one */
	} wrong[] = {
		{ 4, 4, 0 },  { 4, 4, 1 },
		{ 4, 4, 6 },  { 4, 5, 1 },  /* the version */
		{ 4, 11, 0 }, { 4, 11, 2 },
		{ 4, 14, 0 }, { 4, 15, 0 }, /* operations, the range of lines, the number of opcodes */
		{ 4, 20, 3 }, { 2, 13, 0 },
		{ 2, 14, 0 }, { 5, 13, 2 }, /* operands of set_column; the same of version 2 and 5 */
		{ 5, 6, 4 }, /* the size of addresses: programs tell it, too */
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		const struct dwarf_shape shape = { wrong[i].version, 8, 4 };
		struct dwarf_writer writer = {};
		struct bytes *line = &writer.sections[DEBUG_LINE];
		struct row later = known;
		bool counts = wrong[i].version == 5 && wrong[i].at == 6;

		later.bytes = SET_NEXT COPY ADVANCE("\4") END;
		put_info(&writer, &shape);
		put_line(line, &shape, &known);
		put_line(line, &shape, &later);
		line->data[wrong[i].at] = wrong[i].value;
		judge(&writer, "header", &shape,
		      counts                 ? "0-4 " A ":1,40-44 " A ":1"
		      : wrong[i].version < 5 ? "40-44 a.c:1"
					     : "40-44 " A ":1",
		      true);
	}
}
