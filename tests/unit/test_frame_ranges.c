/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that only the unwind table knows: each rule of frame_ranges.h, on sections made for it. */
#include "symbolize/elf/frame_ranges.h"

#include <inttypes.h>

#include "tests/unit/extents.h"
#include "tests/unit/symbol_image.h"
#include "tests/harness.h"

#define FRAMES 0x8000 /* where .eh_frame is loaded */

struct fixture {
	struct symbol_image image;
	struct frame_ranges frame_ranges;
	VEC(unsigned char) section;
};

static void set_up(struct fixture *fixture)
{
	symbol_image_set_up(&fixture->image);
}

static void tear_down(struct fixture *fixture)
{
	frame_ranges_done(&fixture->frame_ranges);
	symbol_image_tear_down(&fixture->image);
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

/* An FDE with PC-relative addresses of four bytes; `start` counts from the start of the code. */
static void put_fde(struct fixture *fixture, uint32_t cie, uint32_t start, uint32_t size)
{
	uint32_t at;

	put_word(fixture, 16);
	at = (uint32_t)fixture->section.nr;
	put_word(fixture, at - cie);
	put_word(fixture, ADDRESS + start - (FRAMES + at + 4));
	put_word(fixture, size);
	put_word(fixture, 0);
}

/* A range is named after its start. */
static const char *name_of(void *context, uint64_t place)
{
	static char text[32];
	const struct frame_ranges *ranges = context;
	const struct frame_range *range = frame_ranges_lookup(ranges, OFFSET + place);

	snprintf(text, sizeof(text), "f%" PRIx64, range ? ranges->base + range->start - OFFSET : 0);
	return range ? text : "";
}

static void expect_ranges(struct fixture *fixture, const char *expected)
{
	struct symbol_image *image = &fixture->image;

	elf_writer_extra(&image->writer, ".eh_frame",
			 &(Elf64_Shdr){ .sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC, .sh_addr = FRAMES },
			 fixture->section.data, fixture->section.nr);
	symbol_image_read(image);
	assert_int_equal(frame_ranges_read(&fixture->frame_ranges, &image->elf, &image->table), 0);
	expect_extents(name_of, &fixture->frame_ranges, 0, SIZE + 0x100, expected);
	assert_null(frame_ranges_lookup(&fixture->frame_ranges, 0));
}

FIXTURE_TEST(an_entry_covers_exactly_its_range)
{
	uint32_t cie = put_cie(fixture, 0x1b, false);

	put_fde(fixture, cie, 0x200, 0x20);
	put_fde(fixture, cie, 0x100, 0x40);
	expect_ranges(fixture, "100-13f f100, 200-21f f200");
}

FIXTURE_TEST(a_personality_is_stepped_over)
{
	uint32_t cie = put_cie(fixture, 0x1b, true);

	put_fde(fixture, cie, 0x100, 0x40);
	expect_ranges(fixture, "100-13f f100");
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
	put_fde(fixture, 0, 0x100, 0x40);
	expect_ranges(fixture, "");
}

FIXTURE_TEST(code_that_a_symbol_covers_needs_no_entry)
{
	uint32_t cie = put_cie(fixture, 0x1b, false);

	elf_writer_function(&fixture->image.writer, "known", ADDRESS + 0x100, 0x40);
	put_fde(fixture, cie, 0x100, 0x40);
	put_fde(fixture, cie, 0x140, 0x10);
	expect_ranges(fixture, "140-14f f140");
}

FIXTURE_TEST(what_makes_no_sense_is_passed_over)
{
	uint32_t cie = put_cie(fixture, 0x1b, false), omitted = put_cie(fixture, 0xff, false);

	put_fde(fixture, cie, SIZE, 0x10);     /* no code there */
	put_fde(fixture, cie, 0x100, 0);       /* covers nothing */
	put_fde(fixture, omitted, 0x200, 0x10);
	put_fde(fixture, 4, 0x300, 0x10);      /* what it refers to is no CIE */
	put_fde(fixture, cie, SIZE - 8, 0x100); /* longer than the segment */
	put_word(fixture, 0x7fffffff);                   /* an entry that is longer than the section */
	put_word(fixture, 0);
	expect_ranges(fixture, "2ff8-2fff f2ff8");
}

FIXTURE_TEST(the_end_mark_ends_it)
{
	uint32_t cie = put_cie(fixture, 0x1b, false);

	put_word(fixture, 0);
	put_fde(fixture, cie, 0x100, 0x10);
	expect_ranges(fixture, "");
}
