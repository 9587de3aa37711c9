/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Headers, notes and the way between addresses and offsets. */
#include "symbolize/elf/elf_file.h"

#include "tests/unit/elf_writer.h"
#include "tests/harness.h"

struct fixture {
	struct elf_writer writer;
	struct elf_file elf;
};

static void set_up(struct fixture *fixture)
{
	elf_writer_init(&fixture->writer, ET_DYN);
	fixture->elf.fd = -1;
}

static void tear_down(struct fixture *fixture)
{
	closep(&fixture->elf.fd);
	elf_file_done(&fixture->elf);
	elf_writer_done(&fixture->writer);
}

#define FIXTURE_TEST(name) TEST_WITH(struct fixture, fixture, name, set_up, tear_down)

static struct elf_file *open_file(struct fixture *fixture)
{
	elf_writer_finish(&fixture->writer);
	assert_int_equal(elf_file_open(&fixture->elf, elf_writer_fd(&fixture->writer)), 0);
	return &fixture->elf;
}

TEST(other_files_are_not_elf)
{
	static const struct {
		const char *bytes;
		size_t nr;
	} files[] = {
		{ "", 0 },
		{ ELFMAG, 4 },
		{ "#!/bin/sh\necho this is a script\n", 32 },
		{ ELFMAG "\x02\x02\x01\0\0\0\0\0\0\0\0\0", 16 }, /* the other byte order */
		{ ELFMAG "\x03\x01\x01\0\0\0\0\0\0\0\0\0", 16 }, /* a class of its own */
	};
	struct elf_file elf;

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		int fd = memory_file(files[i].bytes, files[i].nr);

		assert_int_equal(elf_file_open(&elf, fd), -ENOEXEC);
		close(fd);
	}
}

TEST(a_pipe_is_not_elf_and_is_not_read)
{
	struct elf_file elf;
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(elf_file_open(&elf, ends[0]), -ENOEXEC); /* would block for ever if it were read */
	close(ends[0]);
	close(ends[1]);
}

FIXTURE_TEST(reads_stay_inside_the_file)
{
	const struct elf_file *elf = open_file(fixture);
	char byte;

	assert_int_equal(elf_file_read(elf, elf->size - 1, &byte, 1), 0);
	assert_int_equal(elf_file_read(elf, elf->size, &byte, 1), -EBADMSG);
	assert_int_equal(elf_file_read(elf, UINT64_MAX, &byte, 1), -EBADMSG);
	assert_false(elf_file_holds(elf, 1, UINT64_MAX));
	assert_true(elf_file_holds(elf, elf->size, 0));
}

FIXTURE_TEST(a_file_that_shrinks_gives_an_error_and_no_signal)
{
	const struct elf_file *elf = open_file(fixture);
	char bytes[64];

	assert_int_equal(ftruncate(elf->fd, 32), 0);
	assert_int_equal(elf_file_read(elf, 0, bytes, sizeof(bytes)), -EBADMSG);
}

#define NOWHERE UINT64_MAX

static uint64_t offset_of(const struct elf_file *elf, uint64_t address)
{
	uint64_t offset;
	int err = elf_file_offset_of_address(elf, address, &offset);

	assert_true(!err || err == -ENODATA);
	return err ? NOWHERE : offset;
}

static uint64_t address_of(const struct elf_file *elf, uint64_t offset)
{
	uint64_t address;
	int err = elf_file_address_of_offset(elf, offset, &address);

	assert_true(!err || err == -ENODATA);
	return err ? NOWHERE : address;
}

FIXTURE_TEST(offsets_and_addresses_go_through_the_segment_that_holds_them)
{
	const struct elf_file *elf = &fixture->elf;

	fixture->writer.type = ET_EXEC;
	elf_writer_code(&fixture->writer, 0x401000, 0x1000, 0x800);
	elf_writer_code(&fixture->writer, 0x702800, 0x1800, 0x100);
	open_file(fixture);
	assert_int_equal(offset_of(elf, 0x4017ff), 0x17ff);
	assert_int_equal(offset_of(elf, 0x401800), NOWHERE);
	assert_int_equal(offset_of(elf, 0), NOWHERE);
	assert_int_equal(address_of(elf, 0x1810), 0x702810);
	assert_int_equal(address_of(elf, 0x1900), NOWHERE);
	assert_non_null(elf_file_segment_at(elf, 0x702800, PF_X));
	assert_null(elf_file_segment_at(elf, 0x702900, PF_X));
}

FIXTURE_TEST(code_is_preferred_where_segments_share_a_page)
{
	elf_writer_segment(&fixture->writer, &(Elf64_Phdr){ .p_type = PT_LOAD, .p_flags = PF_R, .p_filesz = 0x2000 });
	elf_writer_code(&fixture->writer, 0x11000, 0x1000, 0x1000);
	open_file(fixture);
	assert_int_equal(address_of(&fixture->elf, 0x1010), 0x11010);
	assert_int_equal(address_of(&fixture->elf, 0x10), 0x10);
}

/* Of a file with these notes; in hexadecimal, "" for none. */
static void expect_build_id(struct fixture *fixture, const char *expected)
{
	char hex[BUILD_ID_HEX_SIZE];
	struct build_id id = {};

	if (elf_file_build_id(open_file(fixture), &id))
		id.nr_bytes = 0;
	build_id_format(&id, hex);
	assert_string_equal(hex, expected);
}

FIXTURE_TEST(a_build_id_is_found_in_a_segment)
{
	elf_writer_build_id(&fixture->writer, "\x01\x23\x45\x67\x89\xab\xcd\xef", 8);
	expect_build_id(fixture, "0123456789abcdef");
}

FIXTURE_TEST(a_build_id_is_found_in_a_section)
{
	fixture->writer.note_only_as_section = true;
	elf_writer_build_id(&fixture->writer, "\x01\x23\x45\x67\x89\xab\xcd\xef", 8);
	expect_build_id(fixture, "0123456789abcdef");
}

FIXTURE_TEST(a_file_may_have_no_build_id)
{
	expect_build_id(fixture, "");
}

FIXTURE_TEST(a_build_id_that_is_too_short_is_none)
{
	elf_writer_build_id(&fixture->writer, "ab", 2);
	expect_build_id(fixture, "");
}

FIXTURE_TEST(a_build_id_that_is_too_long_is_none)
{
	elf_writer_build_id(&fixture->writer, (char[BUILD_ID_MAX + 1]){}, BUILD_ID_MAX + 1);
	expect_build_id(fixture, "");
}

TEST(notes_with_wild_sizes_are_no_build_id)
{
	static const uint32_t wild[] = { UINT32_MAX, UINT32_MAX - 3, 0x80000000, 65537, 64 };

	for (size_t i = 0; i < 2 * ARRAY_SIZE(wild); i++) {
		_cleanup_(tear_down) struct fixture fixture = {};

		set_up(&fixture);
		elf_writer_build_id(&fixture.writer, "12345678", 8);
		memcpy(fixture.writer.notes.data + i % 2 * 4, &wild[i / 2],
		       4); /* the size of the name or of the content */
		expect_build_id(&fixture, "");
	}
}

TEST(only_equal_build_ids_are_the_same)
{
	struct build_id a = { 4, "abcd" }, b = { 4, "abcd" }, longer = { 5, "abcde" }, none = {};

	assert_true(build_id_same(&a, &b));
	assert_false(build_id_same(&a, &longer));
	assert_false(build_id_same(&none, &none));
}
