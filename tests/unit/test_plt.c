/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stubs of the procedure linkage table, in the layouts that linkers write. */
#include "symbolize/elf/plt.h"

#include "tests/unit/extents.h"
#include "tests/unit/symbol_image.h"
#include "tests/harness.h"

enum {
	STUBS = ADDRESS + 0x1000,
	GOT = 0x9000,
};

struct fixture {
	struct symbol_image image;
	struct plt plt;
	unsigned char code[256];
	size_t nr_code;
	Elf64_Rela relocations[8];
	size_t nr_relocations;
};

static void set_up(struct fixture *fixture)
{
	symbol_image_set_up(&fixture->image);
}

static void tear_down(struct fixture *fixture)
{
	plt_done(&fixture->plt);
	symbol_image_tear_down(&fixture->image);
}

#define FIXTURE_TEST(name) TEST_WITH(struct fixture, fixture, name, set_up, tear_down)

static void put(struct fixture *fixture, const void *bytes, size_t nr)
{
	memcpy(fixture->code + fixture->nr_code, bytes, nr);
	fixture->nr_code += nr;
}

/* jmp *slot(%rip) in `size` bytes, with what stands before it. */
static void put_jump(struct fixture *fixture, const char *before, uint32_t slot, size_t size)
{
	size_t end = fixture->nr_code + size;
	uint32_t distance;

	put(fixture, before, strlen(before));
	put(fixture, "\xff\x25", 2);
	distance = slot - (uint32_t)(STUBS + fixture->nr_code + 4);
	put(fixture, &distance, 4);
	while (fixture->nr_code < end)
		put(fixture, "\x90", 1);
}

/* An imported function whose address goes into the slot; "" for one that is known by its resolver's address only. */
static void put_relocation(struct fixture *fixture, const char *name, uint64_t slot, int64_t addend)
{
	struct elf_writer *writer = &fixture->image.writer;
	uint64_t info = ELF64_R_INFO(0, R_X86_64_IRELATIVE);

	if (*name) {
		info = ELF64_R_INFO(writer->symbols[DYNSYM].nr, R_X86_64_JUMP_SLOT);
		elf_writer_symbol(writer, DYNSYM, name, 0, 0, STT_FUNC, STB_GLOBAL);
		elf_writer_last(writer, DYNSYM)->st_shndx = SHN_UNDEF;
	}
	fixture->relocations[fixture->nr_relocations++] = (Elf64_Rela){ slot, info, addend };
}

static const char *name_of(void *context, uint64_t place)
{
	const struct plt *plt = context;
	const struct plt_stub *stub = plt_lookup(plt, STUBS - ADDRESS + OFFSET + place);

	return stub ? plt_name(plt, stub).text : "";
}

/* What the bytes of the section are named, each counted from its start. */
static void expect_stubs(struct fixture *fixture, const char *section, uint64_t entry_size, const char *expected)
{
	struct elf_writer *writer = &fixture->image.writer;

	elf_writer_extra(writer, section,
			 &(Elf64_Shdr){ .sh_type = SHT_PROGBITS,
					.sh_flags = SHF_ALLOC | SHF_EXECINSTR,
					.sh_addr = STUBS,
					.sh_entsize = entry_size },
			 fixture->code, fixture->nr_code);
	elf_writer_extra(writer, ".rela.plt",
			 &(Elf64_Shdr){ .sh_type = SHT_RELA,
					.sh_flags = SHF_ALLOC,
					.sh_link = SECTION_DYNSYM,
					.sh_entsize = sizeof(Elf64_Rela) },
			 fixture->relocations, fixture->nr_relocations * sizeof(Elf64_Rela));
	symbol_image_read(&fixture->image);
	assert_int_equal(plt_read(&fixture->plt, &fixture->image.elf, &fixture->image.table), 0);
	expect_extents(name_of, &fixture->plt, 0, 0x100, expected);
}

FIXTURE_TEST(lazy_stubs_behind_a_header)
{
	put(fixture, "\xff\x35\x00\x10\x00\x00\xff\x25\x00\x10\x00\x00\x0f\x1f\x40\x00", 16); /* to the linker */
	put_jump(fixture, "", GOT, 16);
	put_jump(fixture, "", GOT + 8, 16);
	put_relocation(fixture, "second", GOT + 8, 0); /* the order of relocations says nothing */
	put_relocation(fixture, "first", GOT, 0);
	expect_stubs(fixture, ".plt", 16, "10-1f first@plt, 20-2f second@plt");
}

FIXTURE_TEST(stubs_that_may_be_jumped_to)
{
	put_jump(fixture, "\xf3\x0f\x1e\xfa\xf2", GOT, 16);
	put_jump(fixture, "\xf3\x0f\x1e\xfa", GOT + 8, 16);
	put_relocation(fixture, "bound", GOT, 0);
	put_relocation(fixture, "marked", GOT + 8, 0);
	expect_stubs(fixture, ".plt.sec", 16, "0-f bound@plt, 10-1f marked@plt");
}

FIXTURE_TEST(narrow_stubs)
{
	put_jump(fixture, "", GOT, 8);
	put_jump(fixture, "", GOT + 8, 8);
	put_relocation(fixture, "a", GOT, 0);
	put_relocation(fixture, "b", GOT + 8, 0);
	expect_stubs(fixture, ".plt.got", 8, "0-7 a@plt, 8-f b@plt");
}

FIXTURE_TEST(an_indirect_function_is_known_by_its_resolver)
{
	elf_writer_symbol(&fixture->image.writer, SYMTAB, "memcpy", ADDRESS + 0x40, 0x10, STT_GNU_IFUNC, STB_GLOBAL);
	put_jump(fixture, "", GOT, 16);
	put_jump(fixture, "", GOT + 8, 16);
	put_relocation(fixture, "", GOT, ADDRESS + 0x40);
	put_relocation(fixture, "", GOT + 8, ADDRESS + 0x80); /* nothing known is there */
	expect_stubs(fixture, ".plt", 0, "0-f memcpy@plt");
}

FIXTURE_TEST(arm64_stubs)
{
	/* bti c; adrp x16, 0x9000; ldr x17, [x16, #8]; add x16, x16, #8; br x17; nop — at 0x3000 */
	static const uint32_t marked[] = { 0xd503245f, 0xd0000030, 0xf9400611, 0x91002210, 0xd61f0220, 0xd503201f };

	fixture->image.writer.machine = EM_AARCH64;
	put(fixture, marked, sizeof(marked));
	put_relocation(fixture, "armed", GOT + 8, 0);
	expect_stubs(fixture, ".plt", 24, "0-f armed@plt");
}

FIXTURE_TEST(a_slot_that_nothing_fills_has_no_name)
{
	put_jump(fixture, "", GOT, 16);
	put_relocation(fixture, "other", GOT + 8, 0);
	fixture->relocations[fixture->nr_relocations++] =
		(Elf64_Rela){ GOT, ELF64_R_INFO(77, R_X86_64_JUMP_SLOT), 0 }; /* there is no such symbol */
	expect_stubs(fixture, ".plt", 16, "");
}

/*
 * As many relocations of one slot as many stubs use: each fills all of them. The work for a file is limited, so that one that
 * means no good does not take the time of others: what comes after has no name.
 */
FIXTURE_TEST(relocations_of_slots_that_many_stubs_use_are_not_followed_for_ever)
{
	enum {
		NR_STUBS = 1000,
		STUB = 8,
		NR = 17000 /* times the stubs: more than 16,777,216 */
	};
	_cleanup_(freep) unsigned char *code = malloc(NR_STUBS * STUB);
	_cleanup_(freep) Elf64_Rela *relocations = calloc(NR + 1, sizeof(*relocations));
	struct elf_writer *writer = &fixture->image.writer;

	for (size_t i = 0; i < NR_STUBS; i++) {
		fixture->nr_code = 0;
		put_jump(fixture, "", (uint32_t)(GOT + (i ? 8 : 0) - i * STUB), STUB);
		memcpy(code + i * STUB, fixture->code, STUB);
	}
	for (size_t i = 0; i < NR; i++)
		relocations[i] = (Elf64_Rela){ GOT + 8, ELF64_R_INFO(0, R_X86_64_IRELATIVE), 0 };
	put_relocation(fixture, "late", GOT, 0);
	relocations[NR] = fixture->relocations[0];
	elf_writer_extra(writer, ".plt.sec",
			 &(Elf64_Shdr){ .sh_type = SHT_PROGBITS,
					.sh_flags = SHF_ALLOC | SHF_EXECINSTR,
					.sh_addr = STUBS,
					.sh_entsize = STUB },
			 code, NR_STUBS * STUB);
	elf_writer_extra(writer, ".rela.plt",
			 &(Elf64_Shdr){ .sh_type = SHT_RELA,
					.sh_flags = SHF_ALLOC,
					.sh_link = SECTION_DYNSYM,
					.sh_entsize = sizeof(Elf64_Rela) },
			 relocations, (NR + 1) * sizeof(Elf64_Rela));
	symbol_image_read(&fixture->image);
	assert_int_equal(plt_read(&fixture->plt, &fixture->image.elf, &fixture->image.table), 0);
	assert_int_equal(fixture->plt.stubs.nr, NR_STUBS);
	assert_string_equal(name_of(&fixture->plt, 0), "");
}
