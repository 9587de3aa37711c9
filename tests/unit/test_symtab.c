/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which symbol names a place of a file: each rule of docs/reference/symbols.md, on images made for it. */
#include "symbolize/elf/symtab.h"

#include "tests/unit/name_text.h"
#include "tests/unit/symbol_image.h"
#include "tests/harness.h"

/* A symbol of the code; `at` counts from its start. */
static Elf64_Sym *symbol(struct symbol_image *image, enum writer_table table, const char *name, uint64_t at,
			 uint64_t size, unsigned char type, unsigned char binding)
{
	elf_writer_symbol(&image->writer, table, name, ADDRESS + at, size, type, binding);
	return elf_writer_last(&image->writer, table);
}

static Elf64_Sym *function(struct symbol_image *image, const char *name, uint64_t at, uint64_t size)
{
	return symbol(image, SYMTAB, name, at, size, STT_FUNC, STB_GLOBAL);
}

static void exported(struct symbol_image *image, const char *name, uint64_t at, uint64_t size, unsigned char binding)
{
	symbol(image, DYNSYM, name, at, size, STT_FUNC, binding);
}

/* ---- extents ---- */

IMAGE_TEST(a_symbol_covers_exactly_its_size)
{
	function(image, "first", 0x100, 0x20);
	function(image, "second", 0x200, 0x20);
	expect_names(image, "100-11f first, 200-21f second");
}

IMAGE_TEST(a_size_beyond_the_segment_is_cut)
{
	function(image, "endless", 0x100, UINT64_MAX);
	expect_names(image, "100-2fff endless");
}

IMAGE_TEST(the_innermost_of_nested_symbols_is_found)
{
	function(image, "outer", 0x100, 0x100);
	function(image, "middle", 0x120, 0x80);
	function(image, "inner", 0x140, 0x10);
	function(image, "inner2", 0x160, 0x10);
	expect_names(image, "100-11f outer, 120-13f middle, 140-14f inner, 150-15f middle, 160-16f inner2, "
			    "170-19f middle, 1a0-1ff outer");
}

IMAGE_TEST(an_unsized_symbol_reaches_to_the_next)
{
	function(image, "start", 0x100, 0);
	function(image, "next", 0x180, 0x10);
	function(image, "last", 0x300, 0);
	expect_names(image, "100-17f start, 180-18f next, 300-2fff last");
}

IMAGE_TEST(an_unsized_dynamic_symbol_is_its_first_byte_only)
{
	exported(image, "exported", 0x100, 0, STB_GLOBAL);
	expect_names(image, "100-100 exported");
}

IMAGE_TEST(a_label_inside_a_function_does_not_hide_it)
{
	function(image, "function", 0x100, 0x100);
	symbol(image, SYMTAB, "loop", 0x140, 0, STT_NOTYPE, STB_LOCAL);
	expect_names(image, "100-13f function, 140-140 loop, 141-1ff function");
}

/* ---- which symbols are functions ---- */

IMAGE_TEST(only_functions_name_code)
{
	symbol(image, SYMTAB, "object", 0, 0x10, STT_OBJECT, STB_GLOBAL);
	symbol(image, SYMTAB, "tls", 0x10, 0x10, STT_TLS, STB_GLOBAL);
	symbol(image, SYMTAB, "section", 0x20, 0x10, STT_SECTION, STB_LOCAL);
	function(image, "undefined", 0x30, 0x10)->st_shndx = SHN_UNDEF;
	function(image, "absolute", 0x40, 0x10)->st_shndx = SHN_ABS;
	function(image, "outside", SIZE, 0x10);
	symbol(image, SYMTAB, "resolver", 0x60, 0x10, STT_GNU_IFUNC, STB_GLOBAL);
	expect_names(image, "60-6f resolver");
	assert_true(symtab_lookup(&image->table, OFFSET + 0x60)->ifunc);
}

IMAGE_TEST(assembly_without_type_is_code_but_labels_are_not)
{
	static const char *const labels[] = { ".L1", "$x", "$d.1", "__pfx_function" };

	symbol(image, SYMTAB, "sized", 0, 0x10, STT_NOTYPE, STB_GLOBAL);
	symbol(image, SYMTAB, "unsized", 0x100, 0, STT_NOTYPE, STB_GLOBAL);
	for (unsigned int i = 0; i < ARRAY_SIZE(labels); i++)
		symbol(image, SYMTAB, labels[i], 0x110 + i, 0, STT_NOTYPE, STB_LOCAL);
	expect_names(image, "0-f sized, 100-2fff unsized");
}

IMAGE_TEST(an_unsized_untyped_symbol_of_a_data_section_is_not_code)
{
	symbol(image, SYMTAB, "data_mark", 0x100, 0, STT_NOTYPE, STB_GLOBAL)->st_shndx = SECTION_STRTAB;
	expect_names(image, "");
}

IMAGE_TEST(thumb_bits_are_cleared)
{
	image->writer.machine = EM_ARM;
	function(image, "thumb", 0x101, 0x10);
	expect_names(image, "100-10f thumb");
}

/* ---- names ---- */

struct alias {
	const char *name;
	unsigned char binding;
};

/* The aliases of one place, whichever of them is first in the table. */
static void expect_alias(const char *expected, const struct alias *aliases, size_t nr)
{
	for (size_t first = 0; first < nr; first++) {
		_cleanup_(symbol_image_tear_down) struct symbol_image image = {};

		symbol_image_set_up(&image);
		for (size_t i = first; i < first + nr; i++)
			symbol(&image, SYMTAB, aliases[i % nr].name, 0, 1, STT_FUNC, aliases[i % nr].binding);
		expect_names(&image, expected);
	}
}

TEST(the_public_name_wins_among_aliases)
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

	expect_alias("0-0 malloc", malloc_, 4);
	expect_alias("0-0 write", write_, 3);
	expect_alias("0-0 quite_long", strong, 2);
	expect_alias("0-0 abc", shorter, 2);
	expect_alias("0-0 a", order, 3);
}

IMAGE_TEST(a_sized_function_wins_over_unsized_and_untyped_ones)
{
	function(image, "a", 0, 0);
	symbol(image, SYMTAB, "b", 0, 0x10, STT_NOTYPE, STB_GLOBAL);
	symbol(image, SYMTAB, "local_function", 0, 0x10, STT_FUNC, STB_LOCAL);
	expect_names(image, "0-f local_function, 10-2fff a");
}

IMAGE_TEST(an_exported_name_wins_over_another_global)
{
	function(image, "abc", 0, 0x10);
	function(image, "exported", 0, 0x10);
	exported(image, "exported", 0, 0x10, STB_GLOBAL);
	expect_names(image, "0-f exported");
	assert_int_equal(image->table.symbols.nr, 2);
}

/* As in glibc: what programs call is weak, and beside it is a name for the library itself. */
IMAGE_TEST(of_exported_names_the_one_that_programs_call_wins)
{
	exported(image, "__libc_calloc", 0, 0x10, STB_GLOBAL);
	exported(image, "calloc", 0, 0x10, STB_WEAK);
	exported(image, "a", 0x10, 0x10, STB_WEAK);
	exported(image, "global", 0x10, 0x10, STB_GLOBAL);
	exported(image, "_IO_puts", 0x20, 0x10, STB_GLOBAL);
	exported(image, "puts", 0x20, 0x10, STB_WEAK);
	expect_names(image, "0-f calloc, 10-1f global, 20-2f puts");
}

IMAGE_TEST(symtab_and_dynsym_are_used_together)
{
	function(image, "from_symtab", 0, 0x10);
	exported(image, "from_dynsym", 0x10, 0x10, STB_GLOBAL);
	expect_names(image, "0-f from_symtab, 10-1f from_dynsym");
}

IMAGE_TEST(a_version_suffix_is_no_part_of_the_name)
{
	function(image, "memcpy@@GLIBC_2.14", 0, 0x10);
	function(image, "memcpy@GLIBC_2.2.5", 0x10, 0x10);
	exported(image, "memcpy", 0, 0x10, STB_GLOBAL);
	expect_names(image, "0-1f memcpy");
	assert_int_equal(image->table.symbols.nr, 2); /* the two of one place are one */
}

IMAGE_TEST(thousands_of_aliases_are_no_problem)
{
	char name[32];

	for (int i = 0; i < 5000; i++) {
		snprintf(name, sizeof(name), "alias%d", i);
		function(image, name, 0, 0x10);
	}
	function(image, "after", 0x10, 0x10);
	expect_names(image, "0-f alias0, 10-1f after");
}

/* Places that only the outermost functions cover are too far from their starts: they may have no name. */
IMAGE_TEST(deep_nesting_ends)
{
	for (unsigned int i = 0; i < 1000; i++)
		function(image, "nested", i, 0x2000 - 2 * i);
	symbol_image_read(image);
	symtab_lookup(&image->table, OFFSET + 0x1ffe);
	assert_non_null(symtab_lookup(&image->table, OFFSET + 0x2000 - 1000));
}

IMAGE_TEST(names_of_a_large_table_stay_in_the_file)
{
	enum {
		NR = 40000,
		FILL = 120
	};
	char name[FILL + 16], scratch[NAME_MAX_BYTES], text[NAME_MAX_BYTES + 1];
	const struct symtab_symbol *found;

	for (unsigned int i = 0; i < 100; i++) {
		memset(name, 'a' + (int)(i % 26), FILL);
		snprintf(name + FILL, 16, "%u", i);
		function(image, name, i * 0x10, 0x10);
	}
	for (unsigned int i = 0; i < NR; i++) /* a string table of 5 MB */
		symbol(image, SYMTAB, name, 0, 0, STT_OBJECT, STB_GLOBAL);
	symbol_image_read(image);
	memset(name, 'h', FILL);
	snprintf(name + FILL, 16, "%u", 7);
	found = symtab_lookup(&image->table, OFFSET + 0x75);
	assert_non_null(found);
	assert_string_equal(name_text(symtab_name(&image->table, found, scratch), text), name);
	assert_null(image->table.names[1].copy);
	assert_true(image->table.names[1].is_open);
}

IMAGE_TEST(small_tables_need_no_descriptor)
{
	function(image, "function", 0, 0x10);
	expect_names(image, "0-f function");
	for (int i = 0; i < SYMTAB_NAMES; i++)
		assert_false(image->table.names[i].is_open);
}

/* ---- layouts ---- */

IMAGE_TEST(a_fixed_address_program_is_looked_up_by_offset)
{
	image->writer.type = ET_EXEC;
	image->writer.segments.data[0].p_vaddr = 0x401000;
	elf_writer_function(&image->writer, "main", 0x401010, 0x10);
	expect_names(image, "10-1f main");
	assert_int_equal(symtab_start(&image->table, symtab_lookup(&image->table, OFFSET + 0x15)), OFFSET + 0x10);
}

/* As lld lays out: address minus offset differs from segment to segment. */
IMAGE_TEST(segments_may_have_different_deltas)
{
	elf_writer_code(&image->writer, 0x9000, 0x5000, 0x1000);
	function(image, "low", 0x10, 0x10);
	elf_writer_function(&image->writer, "high", 0x9010, 0x10);
	symbol_image_read(image);
	assert_int_equal(symtab_start(&image->table, symtab_lookup(&image->table, 0x1018)), 0x1010);
	assert_int_equal(symtab_start(&image->table, symtab_lookup(&image->table, 0x5018)), 0x5010);
	assert_null(symtab_lookup(&image->table, 0x9010));
}

TEST(a_file_without_sections_has_its_dynamic_symbols)
{
	for (int gnu_hash = 0; gnu_hash <= 1; gnu_hash++) {
		_cleanup_(symbol_image_tear_down) struct symbol_image image = {};

		symbol_image_set_up(&image);
		image.writer.no_sections = true;
		image.writer.gnu_hash = gnu_hash;
		for (unsigned int i = 0; i < 5; i++)
			exported(&image, "filler", 0x100 + i * 0x10, 0x10, STB_GLOBAL);
		exported(&image, "last", 0, 0x10, STB_GLOBAL);
		expect_names(&image, "0-f last, 100-14f filler");
	}
}

IMAGE_TEST(a_32_bit_file_works_as_well)
{
	image->writer.is_32 = true;
	image->writer.machine = EM_386;
	function(image, "function32", 0x10, 0x10);
	expect_names(image, "10-1f function32");
}

IMAGE_TEST(a_debug_file_adds_its_symbols_at_the_running_files_offsets)
{
	_cleanup_(symbol_image_tear_down) struct symbol_image debug = {};

	exported(image, "exported", 0, 0x10, STB_GLOBAL);
	exported(image, "also_exported", 0x20, 0x10, STB_GLOBAL);
	expect_names(image, "0-f exported, 20-2f also_exported");
	assert_false(image->table.complete);

	symbol_image_set_up(&debug);
	debug.writer.segments.data[0].p_offset = 0x40; /* its offsets are its own business */
	function(&debug, "exported", 0, 0x10);
	symbol(&debug, SYMTAB, "internal", 0x10, 0x10, STT_FUNC, STB_LOCAL);
	symbol_image_open(&debug);
	assert_int_equal(symtab_add(&image->table, &debug.elf), 0);
	assert_int_equal(symtab_finish(&image->table), 0);
	assert_true(image->table.complete);
	assert_int_equal(image->table.symbols.nr, 3);
	expect_names(image, "0-f exported, 10-1f internal, 20-2f also_exported");
}

/* ---- hostile files ---- */

/* The error of a file that may be refused at any step. */
static int try_to_read(int fd)
{
	_cleanup_(symtab_done) struct symtab table = {};
	_cleanup_(elf_file_done) struct elf_file elf;
	int err = elf_file_open(&elf, fd);

	err = err ?: symtab_init(&table, &elf);
	err = err ?: symtab_add(&table, &elf);
	err = err ?: symtab_finish(&table);
	close(fd);
	return err;
}

#define LIE(field, value) { &(field), sizeof(field), value }

/* One field after the other says something that cannot be. */
static void expect_no_lie_believed(struct elf_writer *writer)
{
	Elf64_Ehdr *header = elf_writer_header(writer);
	Elf64_Shdr *symbols = elf_writer_section(writer, SECTION_SYMTAB);
	Elf64_Shdr *names = elf_writer_section(writer, SECTION_STRTAB);
	Elf64_Phdr *code = elf_writer_segment_header(writer, 0);
	const struct {
		void *field;
		size_t nr_bytes;
		uint64_t value;
	} lies[] = {
		LIE(header->e_phoff, UINT64_MAX - 8),
		LIE(header->e_phentsize, 1),
		LIE(header->e_phnum, 0xfff0),
		LIE(header->e_shoff, writer->image.nr - 8),
		LIE(header->e_shentsize, 0),
		LIE(symbols->sh_offset, UINT64_MAX - 16),
		LIE(symbols->sh_size, UINT64_MAX),
		LIE(symbols->sh_link, UINT32_MAX),
		LIE(symbols->sh_link, SECTION_TEXT),
		LIE(symbols->sh_entsize, 0),
		LIE(names->sh_offset, writer->image.nr + 1),
		LIE(names->sh_size, UINT64_MAX),
		LIE(code->p_filesz, UINT64_MAX),
		LIE(code->p_vaddr, UINT64_MAX - 0x10),
	};

	for (size_t i = 0; i < ARRAY_SIZE(lies); i++) {
		char truth[8];

		memcpy(truth, lies[i].field, lies[i].nr_bytes);
		memcpy(lies[i].field, &lies[i].value, lies[i].nr_bytes);
		assert_int_equal(try_to_read(elf_writer_fd(writer)), -EBADMSG);
		memcpy(lies[i].field, truth, lies[i].nr_bytes);
	}
}

IMAGE_TEST(contradictions_are_malformed)
{
	function(image, "function", 0, 0x10);
	elf_writer_finish(&image->writer);
	expect_no_lie_believed(&image->writer);
	assert_int_equal(try_to_read(elf_writer_fd(&image->writer)), 0);
	elf_writer_header(&image->writer)->e_shnum =
		0; /* the first section has the number, which wraps when multiplied */
	elf_writer_section(&image->writer, SECTION_NONE)->sh_size = UINT64_MAX / sizeof(Elf64_Shdr) + 2;
	assert_int_equal(try_to_read(elf_writer_fd(&image->writer)), -EBADMSG);
}

IMAGE_TEST(symbols_with_wild_values_are_passed_over)
{
	elf_writer_function(&image->writer, "wild_address", UINT64_MAX, UINT64_MAX);
	function(image, "wild_name", 0x100, 0x10)->st_name = UINT32_MAX;
	function(image, "wild_section", 0x200, 0)->st_shndx = 0xfeff;
	function(image, "good", 0, 0x10);
	expect_names(image, "0-f good, 200-2fff wild_section");
}

IMAGE_TEST(a_file_cut_anywhere_is_refused)
{
	struct elf_writer *writer = &image->writer;

	function(image, "function", 0, 0x10);
	elf_writer_build_id(writer, "12345678", 8);
	elf_writer_finish(writer);
	for (size_t nr = 0; nr < writer->image.nr; nr += nr < 0x100 || nr > OFFSET + SIZE ? 1 : 0x80)
		assert_int_equal(try_to_read(memory_file(writer->image.data, nr)),
				 nr < EI_NIDENT ? -ENOEXEC : -EBADMSG);
}
