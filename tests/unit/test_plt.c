/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stubs of the procedure linkage table, in the layouts that linkers write. */
#include "symbolize/elf/plt.h"

#include "tests/unit/symbol_image.h"
#include "tests/harness.h"

enum {
	ADDRESS = 0x2000,
	OFFSET = 0x1000,
	SIZE = 0x3000,
	STUBS = ADDRESS + 0x1000,
	GOT = 0x9000,
};

struct fixture {
	struct elf_writer writer;
	struct symtab table;
	struct plt plt;
	unsigned char code[256];
	size_t nr_code;
	Elf64_Rela relocations[8];
	size_t nr_relocations;
};

static void set_up(struct fixture *fixture)
{
	elf_writer_init(&fixture->writer, ET_DYN);
	fixture->writer.machine = EM_X86_64;
	elf_writer_code(&fixture->writer, ADDRESS, OFFSET, SIZE);
}

static void tear_down(struct fixture *fixture)
{
	plt_done(&fixture->plt);
	symtab_done(&fixture->table);
	elf_writer_done(&fixture->writer);
}

#define FIXTURE_TEST(name) TEST_WITH(struct fixture, fixture, name, set_up, tear_down)

static void put(struct fixture *fixture, const void *bytes, size_t nr)
{
	memcpy(fixture->code + fixture->nr_code, bytes, nr);
	fixture->nr_code += nr;
}

/* jmp *slot(%rip) with what stands before and behind it. */
static void put_jump(struct fixture *fixture, const char *before, size_t nr_before, uint32_t slot, size_t size)
{
	size_t start = fixture->nr_code;
	uint32_t distance;

	put(fixture, before, nr_before);
	put(fixture, "\xff\x25", 2);
	distance = slot - (uint32_t)(STUBS + fixture->nr_code + 4);
	put(fixture, &distance, 4);
	while (fixture->nr_code < start + size)
		put(fixture, "\x90", 1);
}

/* An imported function whose address goes into the slot; "" for one that is known by its resolver's address only. */
static void put_relocation(struct fixture *fixture, const char *name, uint64_t slot, uint64_t addend)
{
	uint64_t number = 0;

	if (*name) {
		number = fixture->writer.symbols[DYNSYM].nr;
		elf_writer_symbol(&fixture->writer, DYNSYM, name, 0, 0, STT_FUNC, STB_GLOBAL);
		elf_writer_last(&fixture->writer, DYNSYM)->st_shndx = SHN_UNDEF;
	}
	fixture->relocations[fixture->nr_relocations++] =
		(Elf64_Rela){ slot, ELF64_R_INFO(number, number ? R_X86_64_JUMP_SLOT : R_X86_64_IRELATIVE),
			      (int64_t)addend };
}

static void finish(struct fixture *fixture, const char *section, uint64_t entry_size)
{
	_cleanup_(elf_file_done) struct elf_file elf;
	_cleanup_(closep) int fd;

	elf_writer_extra(&fixture->writer, section,
			 &(Elf64_Shdr){ .sh_type = SHT_PROGBITS,
					.sh_flags = SHF_ALLOC | SHF_EXECINSTR,
					.sh_addr = STUBS,
					.sh_entsize = entry_size },
			 fixture->code, fixture->nr_code);
	elf_writer_extra(&fixture->writer, ".rela.plt",
			 &(Elf64_Shdr){ .sh_type = SHT_RELA,
					.sh_flags = SHF_ALLOC,
					.sh_link = SECTION_DYNSYM,
					.sh_entsize = sizeof(Elf64_Rela) },
			 fixture->relocations, fixture->nr_relocations * sizeof(Elf64_Rela));
	elf_writer_finish(&fixture->writer);
	fd = symbol_image_open(&fixture->writer, &elf, &fixture->table);
	assert_int_equal(plt_read(&fixture->plt, &elf, &fixture->table), 0);
}

/* The name of a place of the section, "" for none. */
static const char *name_at(const struct fixture *fixture, uint64_t place)
{
	const struct plt_stub *stub = plt_lookup(&fixture->plt, STUBS + place - ADDRESS + OFFSET);

	return stub ? plt_name(&fixture->plt, stub).text : "";
}

FIXTURE_TEST(lazy_stubs_behind_a_header)
{
	put(fixture, "\xff\x35\x00\x10\x00\x00\xff\x25\x00\x10\x00\x00\x0f\x1f\x40\x00", 16); /* to the linker */
	put_jump(fixture, "", 0, GOT, 16);
	put_jump(fixture, "", 0, GOT + 8, 16);
	put_relocation(fixture, "second", GOT + 8, 0); /* the order of relocations says nothing */
	put_relocation(fixture, "first", GOT, 0);
	finish(fixture, ".plt", 16);
	assert_string_equal(name_at(fixture, 0), "");
	assert_string_equal(name_at(fixture, 15), "");
	assert_string_equal(name_at(fixture, 16), "first@plt");
	assert_string_equal(name_at(fixture, 31), "first@plt");
	assert_string_equal(name_at(fixture, 32), "second@plt");
	assert_string_equal(name_at(fixture, 48), "");
}

FIXTURE_TEST(stubs_that_may_be_jumped_to)
{
	put_jump(fixture, "\xf3\x0f\x1e\xfa\xf2", 5, GOT, 16);
	put_jump(fixture, "\xf3\x0f\x1e\xfa", 4, GOT + 8, 16);
	put_relocation(fixture, "bound", GOT, 0);
	put_relocation(fixture, "marked", GOT + 8, 0);
	finish(fixture, ".plt.sec", 16);
	assert_string_equal(name_at(fixture, 4), "bound@plt");
	assert_string_equal(name_at(fixture, 16), "marked@plt");
}

FIXTURE_TEST(narrow_stubs)
{
	put_jump(fixture, "", 0, GOT, 8);
	put_jump(fixture, "", 0, GOT + 8, 8);
	put_relocation(fixture, "a", GOT, 0);
	put_relocation(fixture, "b", GOT + 8, 0);
	finish(fixture, ".plt.got", 8);
	assert_string_equal(name_at(fixture, 7), "a@plt");
	assert_string_equal(name_at(fixture, 8), "b@plt");
}

FIXTURE_TEST(an_indirect_function_is_known_by_its_resolver)
{
	elf_writer_symbol(&fixture->writer, SYMTAB, "memcpy", ADDRESS + 0x40, 0x10, STT_GNU_IFUNC, STB_GLOBAL);
	put_jump(fixture, "", 0, GOT, 16);
	put_jump(fixture, "", 0, GOT + 8, 16);
	put_relocation(fixture, "", GOT, ADDRESS + 0x40);
	put_relocation(fixture, "", GOT + 8, ADDRESS + 0x80); /* nothing known is there */
	finish(fixture, ".plt", 0);
	assert_string_equal(name_at(fixture, 0), "memcpy@plt");
	assert_string_equal(name_at(fixture, 16), "");
}

FIXTURE_TEST(arm64_stubs)
{
	/* bti c; adrp x16, 0x9000; ldr x17, [x16, #8]; add x16, x16, #8; br x17; nop — at 0x3000 */
	static const uint32_t marked[] = { 0xd503245f, 0xd0000030, 0xf9400611, 0x91002210, 0xd61f0220, 0xd503201f };

	fixture->writer.machine = EM_AARCH64;
	put(fixture, marked, sizeof(marked));
	put_relocation(fixture, "armed", GOT + 8, 0);
	finish(fixture, ".plt", 24);
	assert_string_equal(name_at(fixture, 0), "armed@plt");
	assert_string_equal(name_at(fixture, 15), "armed@plt");
}

FIXTURE_TEST(a_slot_that_nothing_fills_has_no_name)
{
	put_jump(fixture, "", 0, GOT, 16);
	put_relocation(fixture, "other", GOT + 8, 0);
	fixture->relocations[fixture->nr_relocations++] =
		(Elf64_Rela){ GOT, ELF64_R_INFO(77, R_X86_64_JUMP_SLOT), 0 }; /* there is no such symbol */
	finish(fixture, ".plt", 16);
	assert_string_equal(name_at(fixture, 0), "");
}
