/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Headers, notes and the way between addresses and offsets. */
#include "symbolize/elf/elf_file.h"

#include "tests/unit/elf_writer.h"
#include "tests/harness.h"

static int open_writer(struct elf_writer *writer, struct elf_file *elf)
{
	elf_writer_finish(writer);
	return elf_file_open(elf, elf_writer_fd(writer));
}

static void close_all(struct elf_writer *writer, struct elf_file *elf)
{
	close(elf->fd);
	elf_file_done(elf);
	elf_writer_done(writer);
}

TEST(other_files_are_not_elf)
{
	static const struct {
		const char *bytes;
		size_t nr;
	} files[] = {
		{ "", 0 },
		{ "\x7f"
		  "ELF",
		  4 },
		{ "#!/bin/sh\necho this is a script\n", 32 },
		{ "\x7f"
		  "ELF\x02\x02\x01\0\0\0\0\0\0\0\0\0",
		  16 }, /* the other byte order */
		{ "\x7f"
		  "ELF\x03\x01\x01\0\0\0\0\0\0\0\0\0",
		  16 }, /* a class of its own */
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

TEST(reads_stay_inside_the_file)
{
	struct elf_writer writer;
	struct elf_file elf;
	char byte;

	elf_writer_init(&writer, ET_DYN);
	assert_int_equal(open_writer(&writer, &elf), 0);
	assert_int_equal(elf_file_read(&elf, elf.size - 1, &byte, 1), 0);
	assert_int_equal(elf_file_read(&elf, elf.size, &byte, 1), -EBADMSG);
	assert_int_equal(elf_file_read(&elf, UINT64_MAX, &byte, 1), -EBADMSG);
	assert_false(elf_file_holds(&elf, 1, UINT64_MAX));
	assert_true(elf_file_holds(&elf, elf.size, 0));
	close_all(&writer, &elf);
}

TEST(a_file_that_shrinks_gives_an_error_and_no_signal)
{
	struct elf_writer writer;
	struct elf_file elf;
	char bytes[64];

	elf_writer_init(&writer, ET_DYN);
	assert_int_equal(open_writer(&writer, &elf), 0);
	assert_int_equal(ftruncate(elf.fd, 32), 0);
	assert_int_equal(elf_file_read(&elf, 0, bytes, sizeof(bytes)), -EBADMSG);
	close_all(&writer, &elf);
}

TEST(offsets_and_addresses_go_through_the_segment_that_holds_them)
{
	struct elf_writer writer;
	struct elf_file elf;
	uint64_t found;

	elf_writer_init(&writer, ET_EXEC);
	elf_writer_code(&writer, 0x401000, 0x1000, 0x800);
	elf_writer_code(&writer, 0x702800, 0x1800, 0x100);
	assert_int_equal(open_writer(&writer, &elf), 0);
	assert_int_equal(elf_file_offset_of_address(&elf, 0x4017ff, &found), 0);
	assert_int_equal(found, 0x17ff);
	assert_int_equal(elf_file_offset_of_address(&elf, 0x401800, &found), -ENODATA);
	assert_int_equal(elf_file_offset_of_address(&elf, 0, &found), -ENODATA);
	assert_int_equal(elf_file_address_of_offset(&elf, 0x1810, &found), 0);
	assert_int_equal(found, 0x702810);
	assert_int_equal(elf_file_address_of_offset(&elf, 0x1900, &found), -ENODATA);
	assert_non_null(elf_file_segment_at(&elf, 0x702800, PF_X));
	assert_null(elf_file_segment_at(&elf, 0x702900, PF_X));
	close_all(&writer, &elf);
}

TEST(code_is_preferred_where_segments_share_a_page)
{
	struct elf_writer writer;
	struct elf_file elf;
	uint64_t address;

	elf_writer_init(&writer, ET_DYN);
	elf_writer_segment(&writer, &(Elf64_Phdr){ .p_type = PT_LOAD, .p_flags = PF_R, .p_filesz = 0x2000 });
	elf_writer_code(&writer, 0x11000, 0x1000, 0x1000);
	assert_int_equal(open_writer(&writer, &elf), 0);
	assert_int_equal(elf_file_address_of_offset(&elf, 0x1010, &address), 0);
	assert_int_equal(address, 0x11010);
	assert_int_equal(elf_file_address_of_offset(&elf, 0x10, &address), 0);
	assert_int_equal(address, 0x10);
	close_all(&writer, &elf);
}

/* The build id as hex, or "" */
static const char *read_build_id(struct elf_writer *writer)
{
	static char hex[BUILD_ID_HEX_SIZE];
	struct build_id id = {};
	struct elf_file elf;

	assert_int_equal(open_writer(writer, &elf), 0);
	if (elf_file_build_id(&elf, &id))
		id.nr_bytes = 0;
	build_id_format(&id, hex);
	close_all(writer, &elf);
	return hex;
}

TEST(the_build_id_is_found_in_segments_and_in_sections)
{
	struct elf_writer writer;

	for (int only_section = 0; only_section <= 1; only_section++) {
		elf_writer_init(&writer, ET_DYN);
		writer.note_only_as_section = only_section;
		elf_writer_build_id(&writer, "\x01\x23\x45\x67\x89\xab\xcd\xef", 8);
		assert_string_equal(read_build_id(&writer), "0123456789abcdef");
	}
}

TEST(a_file_may_have_no_build_id)
{
	struct elf_writer writer;

	elf_writer_init(&writer, ET_DYN);
	assert_string_equal(read_build_id(&writer), "");
}

TEST(build_ids_of_impossible_length_are_none)
{
	char bytes[BUILD_ID_MAX + 1] = {};
	struct elf_writer writer;

	elf_writer_init(&writer, ET_DYN);
	elf_writer_build_id(&writer, "ab", 2);
	assert_string_equal(read_build_id(&writer), "");
	elf_writer_init(&writer, ET_DYN);
	elf_writer_build_id(&writer, bytes, sizeof(bytes));
	assert_string_equal(read_build_id(&writer), "");
}

TEST(notes_with_wild_sizes_are_no_build_id)
{
	static const uint32_t wild[] = { UINT32_MAX, UINT32_MAX - 3, 0x80000000, 65537, 64 };
	struct elf_writer writer;

	for (size_t i = 0; i < sizeof(wild) / sizeof(*wild); i++)
		for (int field = 0; field < 2; field++) {
			elf_writer_init(&writer, ET_DYN);
			elf_writer_build_id(&writer, "12345678", 8);
			memcpy(writer.notes.data + 4 * field, &wild[i], 4);
			assert_string_equal(read_build_id(&writer), "");
		}
}

TEST(only_equal_build_ids_are_the_same)
{
	struct build_id a = { 4, "abcd" }, b = { 4, "abcd" }, longer = { 5, "abcde" }, none = {};

	assert_true(build_id_same(&a, &b));
	assert_false(build_id_same(&a, &longer));
	assert_false(build_id_same(&none, &none));
}
