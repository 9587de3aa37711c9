/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a resolver of an indirect function can choose, read out of made-up code. */
#include "symbolize/elf/ifunc.h"

#include "tests/unit/symbol_image.h"
#include "tests/harness.h"

enum {
	RESOLVER = 0x100, /* from the start of the code, as are these */
	FIRST = 0x200,
	SECOND = 0x240,
	HEADER_ADDRESS = 0x8000,
};

struct fixture {
	struct symbol_image image;
	struct ifuncs ifuncs;
	size_t at; /* of the next instruction of the resolver */
	unsigned char code[SIZE];
};

static void set_up(struct fixture *fixture)
{
	struct elf_writer *writer = &fixture->image.writer;

	symbol_image_set_up(&fixture->image);
	elf_writer_symbol(writer, SYMTAB, "chooser", ADDRESS + RESOLVER, 0x80, STT_GNU_IFUNC, STB_GLOBAL);
	elf_writer_function(writer, "first", ADDRESS + FIRST, 0x20);
	elf_writer_function(writer, "second", ADDRESS + SECOND, 0x20);
	memset(fixture->code, 0x90, sizeof(fixture->code));
	fixture->at = RESOLVER;
}

static void tear_down(struct fixture *fixture)
{
	ifuncs_done(&fixture->ifuncs);
	symbol_image_tear_down(&fixture->image);
}

#define FIXTURE_TEST(name) TEST_WITH(struct fixture, fixture, name, set_up, tear_down)

static void put(struct fixture *fixture, size_t at, const void *bytes, size_t nr_bytes)
{
	memcpy(fixture->code + at, bytes, nr_bytes);
}

/* lea TARGET(%rip),%rax */
static void load(struct fixture *fixture, size_t target)
{
	int32_t distance = (int32_t)(target - (fixture->at + 7));

	put(fixture, fixture->at, "\x48\x8d\x05", 3);
	put(fixture, fixture->at + 3, &distance, sizeof(distance));
	fixture->at += 7;
}

/* A PT_GNU_EH_FRAME that knows a function at 0x400. It lies in the code, where it can be written. */
static void put_frame_header(struct fixture *fixture, int32_t nr_functions)
{
	const int32_t header[] = { 0x3b031b01, 0, nr_functions, ADDRESS + 0x400 - HEADER_ADDRESS, 0 };

	put(fixture, 0x800, header, sizeof(header));
	elf_writer_segment(&fixture->image.writer, &(Elf64_Phdr){ .p_type = PT_GNU_EH_FRAME,
								  .p_vaddr = HEADER_ADDRESS,
								  .p_offset = OFFSET + 0x800,
								  .p_filesz = sizeof(header) });
}

/* The choices, which count from the start of the code and end with a 0. */
static void expect_choices(struct fixture *fixture, const size_t *expected)
{
	struct symbol_image *image = &fixture->image;
	const struct ifunc_choice *found;
	size_t nr;

	elf_writer_finish(&image->writer);
	memcpy(image->writer.image.data + OFFSET, fixture->code, sizeof(fixture->code));
	symbol_image_read(image);
	assert_int_equal(ifuncs_read(&fixture->ifuncs, &image->elf, &image->table), 0);
	found = ifuncs_of(&fixture->ifuncs, OFFSET + RESOLVER, &nr);
	for (size_t i = 0; i < nr; i++)
		assert_int_equal(found[i].implementation, OFFSET + expected[i]);
	assert_int_equal(expected[nr], 0);
	assert_true(nr || !found);
}

#define EXPECT_CHOICES(...) expect_choices(fixture, (const size_t[]){ __VA_ARGS__ __VA_OPT__(, ) 0 })

FIXTURE_TEST(addresses_that_a_resolver_loads_are_its_choices)
{
	load(fixture, FIRST);
	load(fixture, SECOND);
	load(fixture, FIRST);
	EXPECT_CHOICES(FIRST, SECOND);
}

FIXTURE_TEST(what_is_no_start_of_a_function_is_no_choice)
{
	load(fixture, FIRST + 4);    /* the middle of one */
	load(fixture, SECOND + 0x30); /* between functions */
	load(fixture, SIZE + 0x100); /* no code */
	load(fixture, RESOLVER);     /* itself */
	EXPECT_CHOICES();
}

FIXTURE_TEST(code_behind_the_resolver_is_not_read)
{
	fixture->at = RESOLVER + 0x80 - 6;
	load(fixture, FIRST);
	EXPECT_CHOICES();
}

FIXTURE_TEST(constants_count_where_addresses_are_constants)
{
	uint32_t address = ADDRESS + SECOND;

	fixture->image.writer.type = ET_EXEC;
	put(fixture, RESOLVER, "\xb8", 1);
	put(fixture, RESOLVER + 1, &address, sizeof(address));
	EXPECT_CHOICES(SECOND);
}

/* Stripped files: .eh_frame_hdr knows where functions start. */
FIXTURE_TEST(functions_without_symbols_are_known_by_their_frames)
{
	put_frame_header(fixture, 1);
	load(fixture, 0x400);
	load(fixture, 0x404);
	EXPECT_CHOICES(0x400);
}

FIXTURE_TEST(a_header_of_frames_that_lies_is_not_believed)
{
	put_frame_header(fixture, 0x7fffffff);
	load(fixture, 0x400);
	EXPECT_CHOICES();
}

/* vpxor %xmm0,%xmm0,%xmm0; vpbroadcastb %esi,%ymm16; vpcmpb $0,0x20(%rdi),%ymm16,%k1; vzeroupper; mov %edi,%eax */
FIXTURE_TEST(probes_go_behind_vector_instructions)
{
	static const unsigned char code[] = { 0xc5, 0xf9, 0xef, 0xc0,                               /* 4 */
					      0x62, 0xe2, 0x7d, 0x28, 0x7a, 0xc6,                   /* 6 */
					      0x62, 0xf3, 0x7d, 0x20, 0x3f, 0x4f, 0x01, 0x00,       /* 8 */
					      0xc4, 0xe2, 0x7d, 0x78, 0x04, 0x25, 0x00, 0x00, 0x00, 0x00, /* 10, SIB */
					      0xc5, 0xf8, 0x77, /* 3 */
					      0x89, 0xf8 };

	put(fixture, FIRST, code, sizeof(code));
	load(fixture, FIRST);
	EXPECT_CHOICES(FIRST + sizeof(code) - 2);
}

FIXTURE_TEST(other_machines_have_none)
{
	fixture->image.writer.machine = EM_AARCH64;
	load(fixture, FIRST);
	EXPECT_CHOICES();
}
