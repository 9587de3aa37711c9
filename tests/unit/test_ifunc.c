/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a resolver of an indirect function can choose, read out of made-up code. */
#include "symbolize/elf/ifunc.h"

#include "tests/unit/symbol_image.h"
#include "tests/harness.h"

enum {
	ADDRESS = 0x2000,
	OFFSET = 0x1000,
	SIZE = 0x1000,
	RESOLVER = 0x100, /* from the start of the code, as are these */
	FIRST = 0x200,
	SECOND = 0x240,
	HEADER_ADDRESS = 0x8000,
	HEADER_OFFSET = 0x3000,
};

struct image {
	struct elf_writer writer;
	struct elf_file elf;
	struct symtab table;
	struct ifuncs ifuncs;
	size_t at; /* of the next instruction of the resolver */
	unsigned char code[SIZE];
	int fd;
};

static void set_up(struct image *image)
{
	elf_writer_init(&image->writer, ET_DYN);
	elf_writer_code(&image->writer, ADDRESS, OFFSET, SIZE);
	elf_writer_symbol(&image->writer, SYMTAB, "chooser", ADDRESS + RESOLVER, 0x80, STT_GNU_IFUNC, STB_GLOBAL);
	elf_writer_function(&image->writer, "first", ADDRESS + FIRST, 0x20);
	elf_writer_function(&image->writer, "second", ADDRESS + SECOND, 0x20);
	memset(image->code, 0x90, sizeof(image->code));
	image->at = RESOLVER;
	image->fd = -1;
}

static void tear_down(struct image *image)
{
	ifuncs_done(&image->ifuncs);
	symtab_done(&image->table);
	elf_file_done(&image->elf);
	elf_writer_done(&image->writer);
	closep(&image->fd);
}

#define FIXTURE_TEST(name) TEST_WITH(struct image, image, name, set_up, tear_down)

static void put(struct image *image, size_t at, const void *bytes, size_t nr_bytes)
{
	memcpy(image->code + at, bytes, nr_bytes);
}

/* lea TARGET(%rip),%rax */
static void load(struct image *image, size_t target)
{
	int32_t distance = (int32_t)(target - (image->at + 7));

	put(image, image->at, "\x48\x8d\x05", 3);
	put(image, image->at + 3, &distance, sizeof(distance));
	image->at += 7;
}

static size_t choices(struct image *image, const struct ifunc_choice **ret_choices)
{
	size_t nr;

	elf_writer_finish(&image->writer);
	memcpy(image->writer.image.data + OFFSET, image->code, sizeof(image->code));
	image->fd = symbol_image_open(&image->writer, &image->elf, &image->table);
	assert_int_equal(ifuncs_read(&image->ifuncs, &image->elf, &image->table), 0);
	*ret_choices = ifuncs_of(&image->ifuncs, OFFSET + RESOLVER, &nr);
	return nr;
}

FIXTURE_TEST(addresses_that_a_resolver_loads_are_its_choices)
{
	const struct ifunc_choice *found;

	load(image, FIRST);
	load(image, SECOND);
	load(image, FIRST);
	assert_int_equal(choices(image, &found), 2);
	assert_int_equal(found[0].implementation, OFFSET + FIRST);
	assert_int_equal(found[1].implementation, OFFSET + SECOND);
}

FIXTURE_TEST(what_is_no_start_of_a_function_is_no_choice)
{
	const struct ifunc_choice *found;

	load(image, FIRST + 4);    /* the middle of one */
	load(image, SECOND + 0x30); /* between functions */
	load(image, SIZE + 0x100); /* no code */
	load(image, RESOLVER);     /* itself */
	assert_int_equal(choices(image, &found), 0);
	assert_null(found);
}

FIXTURE_TEST(code_behind_the_resolver_is_not_read)
{
	const struct ifunc_choice *found;

	image->at = RESOLVER + 0x80 - 6;
	load(image, FIRST);
	assert_int_equal(choices(image, &found), 0);
}

FIXTURE_TEST(constants_count_where_addresses_are_constants)
{
	const struct ifunc_choice *found;
	uint32_t address = ADDRESS + SECOND;

	image->writer.type = ET_EXEC;
	put(image, RESOLVER, "\xb8", 1);
	put(image, RESOLVER + 1, &address, sizeof(address));
	assert_int_equal(choices(image, &found), 1);
	assert_int_equal(found[0].implementation, OFFSET + SECOND);
}

/* Stripped files: .eh_frame_hdr knows where functions start. */
FIXTURE_TEST(functions_without_symbols_are_known_by_their_frames)
{
	const struct ifunc_choice *found;
	int32_t header[] = { 0x3b031b01, 0, 1, ADDRESS + 0x400 - HEADER_ADDRESS, 0 };

	/* the segment lies in the code, where it can be written */
	put(image, 0x800, header, sizeof(header));
	elf_writer_segment(&image->writer, &(Elf64_Phdr){ .p_type = PT_GNU_EH_FRAME,
							  .p_vaddr = HEADER_ADDRESS,
							  .p_offset = OFFSET + 0x800,
							  .p_filesz = sizeof(header) });
	load(image, 0x400);
	load(image, 0x404);
	assert_int_equal(choices(image, &found), 1);
	assert_int_equal(found[0].implementation, OFFSET + 0x400);
}

FIXTURE_TEST(a_header_of_frames_that_lies_is_not_believed)
{
	const struct ifunc_choice *found;
	int32_t header[] = { 0x3b031b01, 0, 0x7fffffff, ADDRESS + 0x400 - HEADER_ADDRESS, 0 };

	put(image, 0x800, header, sizeof(header));
	elf_writer_segment(&image->writer, &(Elf64_Phdr){ .p_type = PT_GNU_EH_FRAME,
							  .p_vaddr = HEADER_ADDRESS,
							  .p_offset = OFFSET + 0x800,
							  .p_filesz = sizeof(header) });
	load(image, 0x400);
	assert_int_equal(choices(image, &found), 0);
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
	const struct ifunc_choice *found;

	put(image, FIRST, code, sizeof(code));
	load(image, FIRST);
	assert_int_equal(choices(image, &found), 1);
	assert_int_equal(found[0].implementation, OFFSET + FIRST + sizeof(code) - 2);
}

FIXTURE_TEST(other_machines_have_none)
{
	const struct ifunc_choice *found;

	image->writer.machine = EM_AARCH64;
	load(image, FIRST);
	assert_int_equal(choices(image, &found), 0);
}
