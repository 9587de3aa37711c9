/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which symbol names a place of a file: each rule of docs/reference/symbols.md, on images made for it. */
#include "symbolize/elf/symtab.h"

#include "tests/unit/symbol_image.h"
#include "tests/harness.h"

enum {
	ADDRESS = 0x2000,
	OFFSET = 0x1000,
	SIZE = 0x3000
};

struct fixture {
	struct elf_writer writer;
	struct symtab table;
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

static int build(struct symtab *table, int fd)
{
	struct elf_file elf;
	int err = elf_file_open(&elf, fd);

	if (!err) {
		err = symtab_init(table, &elf);
		err = err ?: symtab_add(table, &elf);
		err = err ?: symtab_finish(table);
		elf_file_done(&elf);
	}
	close(fd);
	return err;
}

static void finish(struct fixture *fixture)
{
	elf_writer_finish(&fixture->writer);
	assert_int_equal(build(&fixture->table, elf_writer_fd(&fixture->writer)), 0);
}

/* The name of the place at this link-time address of the first segment, "" for none. */
static const char *name_at(struct fixture *fixture, uint64_t address)
{
	const Elf64_Phdr *code = &fixture->writer.segments.data[0];

	return symbol_image_name(&fixture->table, address - code->p_vaddr + code->p_offset, fixture->text);
}

/* ---- extents ---- */

FIXTURE_TEST(a_symbol_covers_exactly_its_size)
{
	elf_writer_function(&fixture->writer, "first", ADDRESS + 0x100, 0x20);
	elf_writer_function(&fixture->writer, "second", ADDRESS + 0x200, 0x20);
	finish(fixture);
	assert_string_equal(name_at(fixture, ADDRESS + 0xff), "");
	assert_string_equal(name_at(fixture, ADDRESS + 0x100), "first");
	assert_string_equal(name_at(fixture, ADDRESS + 0x11f), "first");
	assert_string_equal(name_at(fixture, ADDRESS + 0x120), "");
	assert_string_equal(name_at(fixture, ADDRESS + 0x1ff), "");
	assert_string_equal(name_at(fixture, ADDRESS + 0x200), "second");
	assert_string_equal(name_at(fixture, ADDRESS + SIZE), "");
	assert_string_equal(name_at(fixture, 0), "");
}

FIXTURE_TEST(a_size_beyond_the_segment_is_cut)
{
	elf_writer_function(&fixture->writer, "endless", ADDRESS + 0x100, UINT64_MAX);
	finish(fixture);
	assert_string_equal(name_at(fixture, ADDRESS + SIZE - 1), "endless");
	assert_string_equal(name_at(fixture, ADDRESS + SIZE), "");
}

FIXTURE_TEST(the_innermost_of_nested_symbols_is_found)
{
	elf_writer_function(&fixture->writer, "outer", ADDRESS + 0x100, 0x100);
	elf_writer_function(&fixture->writer, "middle", ADDRESS + 0x120, 0x80);
	elf_writer_function(&fixture->writer, "inner", ADDRESS + 0x140, 0x10);
	elf_writer_function(&fixture->writer, "inner2", ADDRESS + 0x160, 0x10);
	finish(fixture);
	assert_string_equal(name_at(fixture, ADDRESS + 0x110), "outer");
	assert_string_equal(name_at(fixture, ADDRESS + 0x13f), "middle");
	assert_string_equal(name_at(fixture, ADDRESS + 0x145), "inner");
	assert_string_equal(name_at(fixture, ADDRESS + 0x150), "middle");
	assert_string_equal(name_at(fixture, ADDRESS + 0x165), "inner2");
	assert_string_equal(name_at(fixture, ADDRESS + 0x19f), "middle");
	assert_string_equal(name_at(fixture, ADDRESS + 0x1a0), "outer");
	assert_string_equal(name_at(fixture, ADDRESS + 0x200), "");
}

FIXTURE_TEST(an_unsized_symbol_reaches_to_the_next)
{
	elf_writer_function(&fixture->writer, "start", ADDRESS + 0x100, 0);
	elf_writer_function(&fixture->writer, "next", ADDRESS + 0x180, 0x10);
	elf_writer_function(&fixture->writer, "last", ADDRESS + 0x300, 0);
	finish(fixture);
	assert_string_equal(name_at(fixture, ADDRESS + 0x17f), "start");
	assert_string_equal(name_at(fixture, ADDRESS + 0x190), "");
	assert_string_equal(name_at(fixture, ADDRESS + SIZE - 1), "last");
}

FIXTURE_TEST(an_unsized_dynamic_symbol_is_its_first_byte_only)
{
	elf_writer_symbol(&fixture->writer, DYNSYM, "exported", ADDRESS + 0x100, 0, STT_FUNC, STB_GLOBAL);
	finish(fixture);
	assert_string_equal(name_at(fixture, ADDRESS + 0x100), "exported");
	assert_string_equal(name_at(fixture, ADDRESS + 0x101), "");
}

FIXTURE_TEST(a_label_inside_a_function_does_not_hide_it)
{
	elf_writer_function(&fixture->writer, "function", ADDRESS + 0x100, 0x100);
	elf_writer_symbol(&fixture->writer, SYMTAB, "loop", ADDRESS + 0x140, 0, STT_NOTYPE, STB_LOCAL);
	finish(fixture);
	assert_string_equal(name_at(fixture, ADDRESS + 0x141), "function");
	assert_string_equal(name_at(fixture, ADDRESS + 0x1ff), "function");
}

/* ---- which symbols are functions ---- */

FIXTURE_TEST(only_functions_name_code)
{
	struct elf_writer *writer = &fixture->writer;

	elf_writer_symbol(writer, SYMTAB, "object", ADDRESS, 0x10, STT_OBJECT, STB_GLOBAL);
	elf_writer_symbol(writer, SYMTAB, "tls", ADDRESS + 0x10, 0x10, STT_TLS, STB_GLOBAL);
	elf_writer_symbol(writer, SYMTAB, "section", ADDRESS + 0x20, 0x10, STT_SECTION, STB_LOCAL);
	elf_writer_function(writer, "undefined", ADDRESS + 0x30, 0x10);
	elf_writer_last(writer, SYMTAB)->st_shndx = SHN_UNDEF;
	elf_writer_function(writer, "absolute", ADDRESS + 0x40, 0x10);
	elf_writer_last(writer, SYMTAB)->st_shndx = SHN_ABS;
	elf_writer_function(writer, "outside", ADDRESS + SIZE, 0x10);
	elf_writer_symbol(writer, SYMTAB, "resolver", ADDRESS + 0x60, 0x10, STT_GNU_IFUNC, STB_GLOBAL);
	finish(fixture);
	for (uint64_t address = ADDRESS; address < ADDRESS + 0x60; address++)
		assert_string_equal(name_at(fixture, address), "");
	assert_string_equal(name_at(fixture, ADDRESS + 0x60), "resolver");
	assert_true(symtab_lookup(&fixture->table, OFFSET + 0x60)->ifunc);
}

FIXTURE_TEST(assembly_without_type_is_code_but_labels_are_not)
{
	static const char *const labels[] = { ".L1", "$x", "$d.1", "__pfx_function" };

	elf_writer_symbol(&fixture->writer, SYMTAB, "sized", ADDRESS, 0x10, STT_NOTYPE, STB_GLOBAL);
	elf_writer_symbol(&fixture->writer, SYMTAB, "unsized", ADDRESS + 0x100, 0, STT_NOTYPE, STB_GLOBAL);
	for (unsigned int i = 0; i < 4; i++)
		elf_writer_symbol(&fixture->writer, SYMTAB, labels[i], ADDRESS + 0x110 + i, 0, STT_NOTYPE, STB_LOCAL);
	finish(fixture);
	assert_string_equal(name_at(fixture, ADDRESS + 0xf), "sized");
	assert_string_equal(name_at(fixture, ADDRESS + 0x200), "unsized");
}

FIXTURE_TEST(an_unsized_untyped_symbol_of_a_data_section_is_not_code)
{
	elf_writer_symbol(&fixture->writer, SYMTAB, "data_mark", ADDRESS + 0x100, 0, STT_NOTYPE, STB_GLOBAL);
	elf_writer_last(&fixture->writer, SYMTAB)->st_shndx = SECTION_STRTAB;
	finish(fixture);
	assert_string_equal(name_at(fixture, ADDRESS + 0x100), "");
}

FIXTURE_TEST(thumb_bits_are_cleared)
{
	fixture->writer.machine = EM_ARM;
	elf_writer_function(&fixture->writer, "thumb", ADDRESS + 0x101, 0x10);
	finish(fixture);
	assert_string_equal(name_at(fixture, ADDRESS + 0x100), "thumb");
	assert_string_equal(name_at(fixture, ADDRESS + 0x110), "");
}

/* ---- names ---- */

struct alias {
	const char *name;
	unsigned char binding;
};

/* Writes the aliases in the order that starts with `first`, so that the order in the table cannot matter. */
static void expect_alias(const struct alias *aliases, size_t nr, const char *expected)
{
	for (size_t first = 0; first < nr; first++) {
		struct fixture one = {}, *fixture = &one;

		set_up(fixture);
		for (size_t i = 0; i < nr; i++) {
			const struct alias *alias = &aliases[(first + i) % nr];

			elf_writer_symbol(&fixture->writer, SYMTAB, alias->name, ADDRESS, 0x10, STT_FUNC,
					  alias->binding);
		}
		finish(fixture);
		assert_string_equal(name_at(fixture, ADDRESS + 1), expected);
		tear_down(fixture);
	}
}

FIXTURE_TEST(the_public_name_wins_among_aliases)
{
	static const struct alias malloc_[] = { { "__GI___libc_malloc", STB_LOCAL },
						{ "__malloc", STB_LOCAL },
						{ "__libc_malloc", STB_GLOBAL },
						{ "malloc", STB_GLOBAL } };
	static const struct alias write_[] = { { "__write", STB_WEAK },
					       { "write", STB_WEAK },
					       { "__GI_write", STB_LOCAL } };
	static const struct alias strong[] = { { "short", STB_WEAK }, { "quite_long", STB_GLOBAL } };
	static const struct alias shorter[] = { { "abcd", STB_GLOBAL }, { "abc", STB_GLOBAL } };
	static const struct alias order[] = { { "b", STB_GLOBAL }, { "a", STB_GLOBAL }, { "c", STB_GLOBAL } };

	expect_alias(malloc_, 4, "malloc");
	expect_alias(write_, 3, "write");
	expect_alias(strong, 2, "quite_long");
	expect_alias(shorter, 2, "abc");
	expect_alias(order, 3, "a");
}

FIXTURE_TEST(a_sized_function_wins_over_unsized_and_untyped_ones)
{
	elf_writer_function(&fixture->writer, "a", ADDRESS, 0);
	elf_writer_symbol(&fixture->writer, SYMTAB, "b", ADDRESS, 0x10, STT_NOTYPE, STB_GLOBAL);
	elf_writer_symbol(&fixture->writer, SYMTAB, "local_function", ADDRESS, 0x10, STT_FUNC, STB_LOCAL);
	finish(fixture);
	assert_string_equal(name_at(fixture, ADDRESS + 1), "local_function");
}

FIXTURE_TEST(an_exported_name_wins_over_another_global)
{
	elf_writer_function(&fixture->writer, "abc", ADDRESS, 0x10);
	elf_writer_function(&fixture->writer, "exported", ADDRESS, 0x10);
	elf_writer_symbol(&fixture->writer, DYNSYM, "exported", ADDRESS, 0x10, STT_FUNC, STB_GLOBAL);
	finish(fixture);
	assert_string_equal(name_at(fixture, ADDRESS), "exported");
	assert_int_equal(fixture->table.symbols.nr, 2);
}

/* As in glibc: what programs call is weak, and beside it is a name for the library itself. */
FIXTURE_TEST(of_exported_names_the_one_that_programs_call_wins)
{
	elf_writer_symbol(&fixture->writer, DYNSYM, "__libc_calloc", ADDRESS, 0x10, STT_FUNC, STB_GLOBAL);
	elf_writer_symbol(&fixture->writer, DYNSYM, "calloc", ADDRESS, 0x10, STT_FUNC, STB_WEAK);
	elf_writer_symbol(&fixture->writer, DYNSYM, "a", ADDRESS + 0x10, 0x10, STT_FUNC, STB_WEAK);
	elf_writer_symbol(&fixture->writer, DYNSYM, "global", ADDRESS + 0x10, 0x10, STT_FUNC, STB_GLOBAL);
	elf_writer_symbol(&fixture->writer, DYNSYM, "_IO_puts", ADDRESS + 0x20, 0x10, STT_FUNC, STB_GLOBAL);
	elf_writer_symbol(&fixture->writer, DYNSYM, "puts", ADDRESS + 0x20, 0x10, STT_FUNC, STB_WEAK);
	finish(fixture);
	assert_string_equal(name_at(fixture, ADDRESS), "calloc");
	assert_string_equal(name_at(fixture, ADDRESS + 0x10), "global");
	assert_string_equal(name_at(fixture, ADDRESS + 0x20), "puts");
}

FIXTURE_TEST(symtab_and_dynsym_are_used_together)
{
	elf_writer_function(&fixture->writer, "from_symtab", ADDRESS, 0x10);
	elf_writer_symbol(&fixture->writer, DYNSYM, "from_dynsym", ADDRESS + 0x10, 0x10, STT_FUNC, STB_GLOBAL);
	finish(fixture);
	assert_string_equal(name_at(fixture, ADDRESS), "from_symtab");
	assert_string_equal(name_at(fixture, ADDRESS + 0x10), "from_dynsym");
}

FIXTURE_TEST(a_version_suffix_is_no_part_of_the_name)
{
	elf_writer_function(&fixture->writer, "memcpy@@GLIBC_2.14", ADDRESS, 0x10);
	elf_writer_function(&fixture->writer, "memcpy@GLIBC_2.2.5", ADDRESS + 0x10, 0x10);
	elf_writer_symbol(&fixture->writer, DYNSYM, "memcpy", ADDRESS, 0x10, STT_FUNC, STB_GLOBAL);
	finish(fixture);
	assert_string_equal(name_at(fixture, ADDRESS), "memcpy");
	assert_string_equal(name_at(fixture, ADDRESS + 0x10), "memcpy");
	assert_int_equal(fixture->table.symbols.nr, 2); /* the two of one place are one */
}

FIXTURE_TEST(thousands_of_aliases_are_no_problem)
{
	char name[32];

	for (int i = 0; i < 5000; i++) {
		snprintf(name, sizeof(name), "alias%d", i);
		elf_writer_function(&fixture->writer, name, ADDRESS, 0x10);
	}
	elf_writer_function(&fixture->writer, "after", ADDRESS + 0x10, 0x10);
	finish(fixture);
	assert_string_equal(name_at(fixture, ADDRESS), "alias0");
	assert_string_equal(name_at(fixture, ADDRESS + 0x10), "after");
}

FIXTURE_TEST(deep_nesting_ends)
{
	for (unsigned int i = 0; i < 1000; i++)
		elf_writer_function(&fixture->writer, "nested", ADDRESS + i, 0x2000 - 2 * i);
	finish(fixture);
	name_at(fixture, ADDRESS + 0x1ffe); /* covered by the outermost only, which is too far away */
	assert_string_equal(name_at(fixture, ADDRESS + 0x2000 - 1000), "nested");
}

FIXTURE_TEST(names_of_a_large_table_stay_in_the_file)
{
	enum {
		NR = 40000,
		FILL = 120
	};
	char name[FILL + 16];

	for (unsigned int i = 0; i < 100; i++) {
		memset(name, 'a' + (int)(i % 26), FILL);
		snprintf(name + FILL, 16, "%u", i);
		elf_writer_function(&fixture->writer, name, ADDRESS + i * 0x10, 0x10);
	}
	for (unsigned int i = 0; i < NR; i++) /* a string table of 5 MB */
		elf_writer_symbol(&fixture->writer, SYMTAB, name, 0, 0, STT_OBJECT, STB_GLOBAL);
	finish(fixture);
	memset(name, 'h', FILL);
	snprintf(name + FILL, 16, "%u", 7);
	assert_string_equal(name_at(fixture, ADDRESS + 0x75), name);
	assert_null(fixture->table.names[1].copy);
	assert_true(fixture->table.names[1].is_open);
}

FIXTURE_TEST(small_tables_need_no_descriptor)
{
	elf_writer_function(&fixture->writer, "function", ADDRESS, 0x10);
	finish(fixture);
	for (int i = 0; i < SYMTAB_NAMES; i++)
		assert_false(fixture->table.names[i].is_open);
	assert_string_equal(name_at(fixture, ADDRESS), "function");
}

/* ---- layouts ---- */

FIXTURE_TEST(a_fixed_address_program_is_looked_up_by_offset)
{
	fixture->writer.type = ET_EXEC;
	fixture->writer.segments.data[0].p_vaddr = 0x401000;
	elf_writer_function(&fixture->writer, "main", 0x401010, 0x10);
	finish(fixture);
	assert_int_equal(symtab_start(&fixture->table, symtab_lookup(&fixture->table, 0x1015)), 0x1010);
}

FIXTURE_TEST(segments_may_have_different_deltas)
{
	/* As lld lays out: address minus offset differs from segment to segment. */
	elf_writer_code(&fixture->writer, 0x9000, 0x5000, 0x1000);
	elf_writer_function(&fixture->writer, "low", ADDRESS + 0x10, 0x10);
	elf_writer_function(&fixture->writer, "high", 0x9010, 0x10);
	finish(fixture);
	assert_int_equal(symtab_start(&fixture->table, symtab_lookup(&fixture->table, 0x1018)), 0x1010);
	assert_int_equal(symtab_start(&fixture->table, symtab_lookup(&fixture->table, 0x5018)), 0x5010);
	assert_null(symtab_lookup(&fixture->table, 0x9010));
}

TEST(a_file_without_sections_has_its_dynamic_symbols)
{
	for (int gnu_hash = 0; gnu_hash <= 1; gnu_hash++) {
		struct fixture one = {}, *fixture = &one;

		set_up(fixture);
		fixture->writer.no_sections = true;
		fixture->writer.gnu_hash = gnu_hash;
		for (unsigned int i = 0; i < 5; i++)
			elf_writer_symbol(&fixture->writer, DYNSYM, "filler", ADDRESS + 0x100 + i * 0x10, 0x10,
					  STT_FUNC, STB_GLOBAL);
		elf_writer_symbol(&fixture->writer, DYNSYM, "last", ADDRESS, 0x10, STT_FUNC, STB_GLOBAL);
		finish(fixture);
		assert_string_equal(name_at(fixture, ADDRESS + 0xf), "last");
		assert_string_equal(name_at(fixture, ADDRESS + 0x14f), "filler");
		tear_down(fixture);
	}
}

FIXTURE_TEST(a_32_bit_file_works_as_well)
{
	fixture->writer.is_32 = true;
	fixture->writer.machine = EM_386;
	elf_writer_function(&fixture->writer, "function32", ADDRESS + 0x10, 0x10);
	finish(fixture);
	assert_string_equal(name_at(fixture, ADDRESS + 0x1f), "function32");
}

FIXTURE_TEST(a_debug_file_adds_its_symbols_at_the_running_files_offsets)
{
	struct elf_writer debug;
	struct elf_file elf;
	int fd;

	elf_writer_symbol(&fixture->writer, DYNSYM, "exported", ADDRESS, 0x10, STT_FUNC, STB_GLOBAL);
	elf_writer_symbol(&fixture->writer, DYNSYM, "also_exported", ADDRESS + 0x20, 0x10, STT_FUNC, STB_GLOBAL);
	finish(fixture);
	assert_false(fixture->table.complete);

	elf_writer_init(&debug, ET_DYN);
	elf_writer_code(&debug, ADDRESS, 0x40, SIZE); /* its offsets are its own business */
	elf_writer_function(&debug, "exported", ADDRESS, 0x10);
	elf_writer_symbol(&debug, SYMTAB, "internal", ADDRESS + 0x10, 0x10, STT_FUNC, STB_LOCAL);
	elf_writer_finish(&debug);
	fd = elf_writer_fd(&debug);
	assert_int_equal(elf_file_open(&elf, fd), 0);
	assert_int_equal(symtab_add(&fixture->table, &elf), 0);
	assert_int_equal(symtab_finish(&fixture->table), 0);
	elf_file_done(&elf);
	close(fd);
	elf_writer_done(&debug);

	assert_true(fixture->table.complete);
	assert_int_equal(fixture->table.symbols.nr, 3);
	assert_string_equal(name_at(fixture, ADDRESS + 5), "exported");
	assert_string_equal(name_at(fixture, ADDRESS + 0x15), "internal");
	assert_string_equal(name_at(fixture, ADDRESS + 0x25), "also_exported");
}

/* ---- hostile files ---- */

static void spoil_program_headers(struct elf_writer *elf)
{
	elf_writer_header(elf)->e_phoff = UINT64_MAX - 8;
}

static void spoil_program_header_size(struct elf_writer *elf)
{
	elf_writer_header(elf)->e_phentsize = 1;
}

static void spoil_program_header_count(struct elf_writer *elf)
{
	elf_writer_header(elf)->e_phnum = 0xfff0;
}

static void spoil_section_headers(struct elf_writer *elf)
{
	elf_writer_header(elf)->e_shoff = elf->image.nr - 8;
}

static void spoil_section_count(struct elf_writer *elf)
{
	elf_writer_header(elf)->e_shnum = 0;
	elf_writer_section(elf, SECTION_NONE)->sh_size =
		UINT64_MAX / sizeof(Elf64_Shdr) + 2; /* wraps when multiplied */
}

static void spoil_section_header_size(struct elf_writer *elf)
{
	elf_writer_header(elf)->e_shentsize = 0;
}

static void spoil_symbols_offset(struct elf_writer *elf)
{
	elf_writer_section(elf, SECTION_SYMTAB)->sh_offset = UINT64_MAX - 16;
}

static void spoil_symbols_size(struct elf_writer *elf)
{
	elf_writer_section(elf, SECTION_SYMTAB)->sh_size = UINT64_MAX;
}

static void spoil_symbols_link(struct elf_writer *elf)
{
	elf_writer_section(elf, SECTION_SYMTAB)->sh_link = UINT32_MAX;
}

static void spoil_symbols_link_type(struct elf_writer *elf)
{
	elf_writer_section(elf, SECTION_SYMTAB)->sh_link = SECTION_TEXT;
}

static void spoil_symbol_size(struct elf_writer *elf)
{
	elf_writer_section(elf, SECTION_SYMTAB)->sh_entsize = 0;
}

static void spoil_names_offset(struct elf_writer *elf)
{
	elf_writer_section(elf, SECTION_STRTAB)->sh_offset = elf->image.nr + 1;
}

static void spoil_names_size(struct elf_writer *elf)
{
	elf_writer_section(elf, SECTION_STRTAB)->sh_size = UINT64_MAX;
}

static void spoil_code_size(struct elf_writer *elf)
{
	elf_writer_segment_header(elf, 0)->p_filesz = UINT64_MAX;
}

static void spoil_code_address(struct elf_writer *elf)
{
	elf_writer_segment_header(elf, 0)->p_vaddr = UINT64_MAX - 0x10;
}

TEST(contradictions_are_malformed)
{
	static void (*const spoil[])(struct elf_writer *elf) = {
		spoil_program_headers, spoil_program_header_size, spoil_program_header_count, spoil_section_headers,
		spoil_section_count,   spoil_section_header_size, spoil_symbols_offset,       spoil_symbols_size,
		spoil_symbols_link,    spoil_symbols_link_type,   spoil_symbol_size,          spoil_names_offset,
		spoil_names_size,      spoil_code_size,           spoil_code_address,
	};

	for (size_t i = 0; i < sizeof(spoil) / sizeof(*spoil); i++) {
		struct fixture one = {}, *fixture = &one;

		set_up(fixture);
		elf_writer_function(&fixture->writer, "function", ADDRESS, 0x10);
		elf_writer_finish(&fixture->writer);
		spoil[i](&fixture->writer);
		assert_int_equal(build(&fixture->table, elf_writer_fd(&fixture->writer)), -EBADMSG);
		tear_down(fixture);
	}
}

FIXTURE_TEST(symbols_with_wild_values_are_passed_over)
{
	elf_writer_function(&fixture->writer, "wild_address", UINT64_MAX, UINT64_MAX);
	elf_writer_function(&fixture->writer, "wild_name", ADDRESS + 0x100, 0x10);
	elf_writer_last(&fixture->writer, SYMTAB)->st_name = UINT32_MAX;
	elf_writer_function(&fixture->writer, "wild_section", ADDRESS + 0x200, 0);
	elf_writer_last(&fixture->writer, SYMTAB)->st_shndx = 0xfeff;
	elf_writer_function(&fixture->writer, "good", ADDRESS, 0x10);
	finish(fixture);
	assert_string_equal(name_at(fixture, ADDRESS), "good");
	assert_string_equal(name_at(fixture, ADDRESS + 0x100), "");
	assert_string_equal(name_at(fixture, ADDRESS + 0x200), "wild_section");
}

FIXTURE_TEST(a_file_cut_anywhere_is_refused)
{
	elf_writer_function(&fixture->writer, "function", ADDRESS, 0x10);
	elf_writer_build_id(&fixture->writer, "12345678", 8);
	elf_writer_finish(&fixture->writer);
	for (size_t nr = 0; nr < fixture->writer.image.nr; nr += nr < 0x100 || nr > OFFSET + SIZE ? 1 : 0x80) {
		int err = build(&fixture->table, memory_file(fixture->writer.image.data, nr));

		assert_int_equal(err, nr < EI_NIDENT ? -ENOEXEC : -EBADMSG);
	}
}
