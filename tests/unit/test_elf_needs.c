/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a file wants loaded with it, from files that say so and from some that lie. */
#include "symbolize/elf/elf_needs.h"
#include "tests/harness.h"

#define BASE 0x40000 /* address of the file's first byte */

struct image {
	Elf64_Ehdr header;
	Elf64_Phdr segments[3];
	Elf64_Dyn dynamic[6];
	char names[64];
	char loader[16];
};

static struct image new_image(void)
{
	const uint64_t names = BASE + offsetof(struct image, names);
	struct image image = {
		.header = { .e_type = ET_DYN, .e_machine = EM_X86_64, .e_version = EV_CURRENT, .e_ehsize = 64 },
		.segments = { { .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = BASE },
			      { .p_type = PT_DYNAMIC, .p_offset = offsetof(struct image, dynamic) },
			      { .p_type = PT_INTERP, .p_offset = offsetof(struct image, loader) } },
		.dynamic = { { DT_NEEDED, { 1 } },
			     { DT_NEEDED, { 8 } },
			     { DT_RUNPATH, { 15 } },
			     { DT_STRTAB, { names } },
			     { DT_STRSZ, { sizeof(image.names) } } },
		.names = "\0libc.6\0libm.6\0$ORIGIN",
		.loader = "/lib/ld.so",
	};

	memcpy(image.header.e_ident, ELFMAG "\2\1\1", 7);
	image.header.e_phoff = offsetof(struct image, segments);
	image.header.e_phentsize = sizeof(Elf64_Phdr);
	image.header.e_phnum = 3;
	image.segments[0].p_filesz = image.segments[0].p_memsz = sizeof(image);
	image.segments[1].p_filesz = sizeof(image.dynamic);
	image.segments[2].p_filesz = sizeof(image.loader);
	return image;
}

/* The strings of its needs have to be these, one after the other. */
static void expect(const struct image *image, int err, const char *wanted, size_t nr_wanted)
{
	_cleanup_(elf_file_done) struct elf_file elf;
	elf_needs needs = {};

	assert_int_equal(elf_file_open_memory(&elf, image, sizeof(*image)), 0);
	assert_int_equal(elf_needs_read(&elf, &needs), err);
	assert_int_equal(needs.nr, nr_wanted);
	assert_true(!nr_wanted || !memcmp(needs.data, wanted, nr_wanted));
	vec_done(&needs);
}

#define EXPECT(image, err, text) expect(image, err, text, sizeof(text) - 1)

TEST(loader_folders_and_libraries_are_listed)
{
	struct image image = new_image();

	EXPECT(&image, 0, "l/lib/ld.so\0f$ORIGIN\0nlibc.6\0nlibm.6\0");
	image.dynamic[5] = (Elf64_Dyn){ DT_RPATH, { 8 } };
	EXPECT(&image, 0, "l/lib/ld.so\0f$ORIGIN\0nlibc.6\0nlibm.6\0");
	image.dynamic[2].d_tag = DT_DEBUG;
	EXPECT(&image, 0, "l/lib/ld.so\0olibm.6\0nlibc.6\0nlibm.6\0");
	image.dynamic[1].d_tag = DT_NULL; /* and no string table */
	EXPECT(&image, -ENODATA, "l/lib/ld.so\0");
}

TEST(a_static_program_needs_nothing)
{
	struct image image = new_image();

	image.header.e_phnum = 1;
	EXPECT(&image, 0, "");
}

static bool is_program(const struct image *image)
{
	struct elf_file elf;
	bool is;

	assert_int_equal(elf_file_open_memory(&elf, image, sizeof(*image)), 0);
	is = elf_needs_is_program(&elf);
	elf_file_done(&elf);
	return is;
}

TEST(a_library_is_no_program_though_it_has_an_entry)
{
	struct image image = new_image();

	assert_true(is_program(&image));
	image.header.e_phnum = 2; /* no loader, but libraries */
	assert_false(is_program(&image));
	image.header.e_type = ET_EXEC;
	assert_true(is_program(&image));
	image.header.e_type = ET_DYN;
	image.header.e_phnum = 1; /* static, or the loader itself */
	assert_true(is_program(&image));
}

static bool is_alone(const struct image *image)
{
	struct elf_file elf;
	bool is;

	assert_int_equal(elf_file_open_memory(&elf, image, sizeof(*image)), 0);
	is = elf_needs_is_alone(&elf);
	elf_file_done(&elf);
	return is;
}

TEST(a_c_library_needs_only_the_loader)
{
	struct image image = new_image();

	assert_false(is_alone(&image));
	memcpy(image.names + 1, "ld-so", 6);
	assert_false(is_alone(&image)); /* libm as well */
	memcpy(image.names + 8, "ld-so", 6);
	assert_true(is_alone(&image));
	image.header.e_phnum = 1; /* static */
	assert_true(is_alone(&image));
}

TEST(a_cut_file_has_the_entries_that_are_there)
{
	struct image image = new_image();

	image.segments[1].p_filesz = 1 << 20; /* the last of those that are there ends the list */
	EXPECT(&image, 0, "l/lib/ld.so\0f$ORIGIN\0nlibc.6\0nlibm.6\0");
	image.segments[1].p_offset = offsetof(struct image, loader); /* and nothing ends it */
	EXPECT(&image, -EBADMSG, "l/lib/ld.so\0");
}

TEST(what_makes_no_sense_ends_the_list)
{
	struct image image = new_image();

	image.dynamic[1].d_un.d_val = UINT64_MAX;
	EXPECT(&image, -EBADMSG, "l/lib/ld.so\0f$ORIGIN\0nlibc.6\0");
	image.dynamic[4].d_un.d_val = 4; /* libc.6 does not end within the table */
	EXPECT(&image, -EBADMSG, "l/lib/ld.so\0");
	memset(image.loader, 'x', sizeof(image.loader));
	EXPECT(&image, -EBADMSG, "");
	image.segments[2].p_offset = UINT64_MAX;
	EXPECT(&image, -EBADMSG, "");
}
