/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that only the unwind table knows: each rule of frame_ranges.h, on sections made for it. */
#include "symbolize/elf/frame_ranges.h"

#include "tests/unit/symbol_image.h"
#include "tests/harness.h"

enum {
	ADDRESS = 0x2000,
	OFFSET = 0x1000,
	SIZE = 0x3000,
	FRAMES = 0x8000, /* where .eh_frame is loaded */
};

struct fixture {
	struct elf_writer writer;
	struct symtab table;
	struct frame_ranges frame_ranges;
	VEC(unsigned char) section;
};

static void set_up(struct fixture *fixture)
{
	elf_writer_init(&fixture->writer, ET_DYN);
	elf_writer_code(&fixture->writer, ADDRESS, OFFSET, SIZE);
}

static void tear_down(struct fixture *fixture)
{
	frame_ranges_done(&fixture->frame_ranges);
	symtab_done(&fixture->table);
	elf_writer_done(&fixture->writer);
	vec_done(&fixture->section);
}

#define FIXTURE_TEST(name) TEST_WITH(struct fixture, fixture, name, set_up, tear_down)

static void put(struct fixture *fixture, const void *bytes, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		vec_push(&fixture->section, ((const unsigned char *)bytes)[i]);
}

static void put_word(struct fixture *fixture, uint32_t word)
{
	put(fixture, &word, sizeof(word));
}

/* A CIE as gcc writes it, with this encoding of addresses: "zR", and a "zPLR" one when it has a personality. */
static uint32_t put_cie(struct fixture *fixture, unsigned char encoding, bool personality)
{
	const unsigned char plain[] = { 1, 'z', 'R', 0, 1, 0x78, 16, 1, encoding, 0, 0, 0 };
	const unsigned char full[] = { 1,    'z', 'P', 'L', 'R', 0,    1,        0x78, 16, 7,
				       0x9b, 1,   2,   3,   4,   0x1b, encoding, 0,    0,  0 };
	uint32_t at = (uint32_t)fixture->section.nr;

	put_word(fixture, 4 + (personality ? sizeof(full) : sizeof(plain)));
	put_word(fixture, 0);
	put(fixture, personality ? full : plain, personality ? sizeof(full) : sizeof(plain));
	return at;
}

/* An FDE with PC-relative addresses of four bytes. */
static void put_fde(struct fixture *fixture, uint32_t cie, uint32_t address, uint32_t size)
{
	uint32_t at;

	put_word(fixture, 16);
	at = (uint32_t)fixture->section.nr;
	put_word(fixture, at - cie);
	put_word(fixture, address - (FRAMES + at + 4));
	put_word(fixture, size);
	put_word(fixture, 0);
}

static void finish(struct fixture *fixture)
{
	_cleanup_(closep) int fd;
	_cleanup_(elf_file_done) struct elf_file elf;

	elf_writer_extra(&fixture->writer, ".eh_frame",
			 &(Elf64_Shdr){ .sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC, .sh_addr = FRAMES },
			 fixture->section.data, fixture->section.nr);
	elf_writer_finish(&fixture->writer);
	fd = symbol_image_open(&fixture->writer, &elf, &fixture->table);
	assert_int_equal(frame_ranges_read(&fixture->frame_ranges, &elf, &fixture->table), 0);
}

/* The start of the function at an address of the code, as an address; 0 for none. */
static uint64_t start_at(const struct fixture *fixture, uint64_t address)
{
	const struct frame_range *frame_range = frame_ranges_lookup(&fixture->frame_ranges, address - ADDRESS + OFFSET);

	return frame_range ? fixture->frame_ranges.base + frame_range->start - OFFSET + ADDRESS : 0;
}

FIXTURE_TEST(an_entry_covers_exactly_its_range)
{
	uint32_t cie = put_cie(fixture, 0x1b, false);

	put_fde(fixture, cie, ADDRESS + 0x200, 0x20);
	put_fde(fixture, cie, ADDRESS + 0x100, 0x40);
	finish(fixture);
	assert_int_equal(start_at(fixture, ADDRESS + 0xff), 0);
	assert_int_equal(start_at(fixture, ADDRESS + 0x100), ADDRESS + 0x100);
	assert_int_equal(start_at(fixture, ADDRESS + 0x13f), ADDRESS + 0x100);
	assert_int_equal(start_at(fixture, ADDRESS + 0x140), 0);
	assert_int_equal(start_at(fixture, ADDRESS + 0x21f), ADDRESS + 0x200);
	assert_int_equal(start_at(fixture, ADDRESS + 0x220), 0);
	assert_int_equal(start_at(fixture, 0), 0);
}

FIXTURE_TEST(a_personality_is_stepped_over)
{
	uint32_t cie = put_cie(fixture, 0x1b, true);

	put_fde(fixture, cie, ADDRESS + 0x100, 0x40);
	finish(fixture);
	assert_int_equal(start_at(fixture, ADDRESS + 0x13f), ADDRESS + 0x100);
}

/* A file may have millions of FDEs whose CIEs take turns: each is read again, so a long one is not read. */
FIXTURE_TEST(a_long_cie_is_passed_over)
{
	const unsigned char head[] = { 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b }, nop = 0;
	uint32_t nr_nops = 300;

	put_word(fixture, 4 + sizeof(head) + nr_nops);
	put_word(fixture, 0);
	put(fixture, head, sizeof(head));
	for (uint32_t i = 0; i < nr_nops; i++)
		put(fixture, &nop, 1);
	put_fde(fixture, 0, ADDRESS + 0x100, 0x40);
	finish(fixture);
	assert_int_equal(start_at(fixture, ADDRESS + 0x100), 0);
}

FIXTURE_TEST(code_that_a_symbol_covers_needs_no_entry)
{
	uint32_t cie = put_cie(fixture, 0x1b, false);

	elf_writer_function(&fixture->writer, "known", ADDRESS + 0x100, 0x40);
	put_fde(fixture, cie, ADDRESS + 0x100, 0x40);
	put_fde(fixture, cie, ADDRESS + 0x140, 0x10);
	finish(fixture);
	assert_int_equal(fixture->frame_ranges.list.nr, 1);
	assert_int_equal(start_at(fixture, ADDRESS + 0x140), ADDRESS + 0x140);
}

FIXTURE_TEST(what_makes_no_sense_is_passed_over)
{
	uint32_t cie = put_cie(fixture, 0x1b, false), omitted = put_cie(fixture, 0xff, false);

	put_fde(fixture, cie, ADDRESS + SIZE, 0x10);     /* no code there */
	put_fde(fixture, cie, ADDRESS + 0x100, 0);       /* covers nothing */
	put_fde(fixture, omitted, ADDRESS + 0x200, 0x10);
	put_fde(fixture, 4, ADDRESS + 0x300, 0x10);      /* what it refers to is no CIE */
	put_fde(fixture, cie, ADDRESS + SIZE - 8, 0x100); /* longer than the segment */
	put_word(fixture, 0x7fffffff);                   /* an entry that is longer than the section */
	put_word(fixture, 0);
	finish(fixture);
	assert_int_equal(fixture->frame_ranges.list.nr, 1);
	assert_int_equal(start_at(fixture, ADDRESS + SIZE - 1), ADDRESS + SIZE - 8);
}

FIXTURE_TEST(the_end_mark_ends_it)
{
	uint32_t cie = put_cie(fixture, 0x1b, false);

	put_word(fixture, 0);
	put_fde(fixture, cie, ADDRESS + 0x100, 0x10);
	finish(fixture);
	assert_int_equal(fixture->frame_ranges.list.nr, 0);
}
