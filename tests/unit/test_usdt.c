/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Notes of USDT probes, good ones and bad ones, and the same through a worker. */
#include "symbolize/elf/usdt.h"

#include <inttypes.h>

#include "core/base/buf.h"
#include "tests/unit/symbolizer_fixture.h"
#include "tests/harness.h"

enum {
	DATA_ADDRESS = 0x9000,
	DATA_OFFSET = 0x5000,
	DATA_SIZE = 0x100,
	BASE = 0x8000,
};

#define TEXTS "prov\0name\0-4@%edi"

struct file {
	struct symbol_image image;
	struct elf_writer *writer; /* of the image */
	struct usdt_notes notes;
};

static void set_up(struct file *file)
{
	symbol_image_set_up(&file->image);
	file->writer = &file->image.writer;
	elf_writer_segment(file->writer, &(Elf64_Phdr){ .p_type = PT_LOAD,
							.p_flags = PF_R | PF_W,
							.p_vaddr = DATA_ADDRESS,
							.p_offset = DATA_OFFSET,
							.p_filesz = DATA_SIZE,
							.p_memsz = 2 * DATA_SIZE });
}

static void tear_down(struct file *file)
{
	usdt_notes_done(&file->notes);
	symbol_image_tear_down(&file->image);
}

#define FILE_TEST(name) TEST_WITH(struct file, file, name, set_up, tear_down)

static void add_probe(struct file *file, uint64_t address, uint64_t base, uint64_t semaphore)
{
	elf_writer_probe(file->writer, address, base, semaphore, TEXTS, sizeof(TEXTS));
}

/* What the notes of the file say: "place/semaphore provider:name:arguments, …", the first two in the file. */
static void expect_notes(struct file *file, int err, const char *expected)
{
	_cleanup_(buf_done) struct buf text = {};

	symbol_image_open(&file->image);
	assert_int_equal(usdt_notes_read(&file->notes, &file->image.elf), err);
	for (size_t i = 0; i < file->notes.notes.nr; i++) {
		const struct usdt_note *note = &file->notes.notes.data[i];

		buf_addf(&text, "%s%" PRIx64 "/%" PRIx64 " %s:%s:%s", i ? ", " : "", note->file_offset,
			 note->semaphore_offset, usdt_text(&file->notes, note->provider),
			 usdt_text(&file->notes, note->name), usdt_text(&file->notes, note->arguments));
	}
	assert_string_equal(buf_text(&text), expected);
}

FILE_TEST(addresses_become_places_in_the_file)
{
	add_probe(file, ADDRESS + 0x20, BASE, DATA_ADDRESS + 6);
	expect_notes(file, 0, "1020/5006 prov:name:-4@%edi");
}

FILE_TEST(notes_of_32_bit_files_have_narrow_addresses)
{
	file->writer->is_32 = true;
	add_probe(file, ADDRESS + 0x20, BASE, DATA_ADDRESS);
	expect_notes(file, 0, "1020/5000 prov:name:-4@%edi");
}

/* What prelink does: the file was moved, its notes were not. */
FILE_TEST(addresses_move_with_the_base)
{
	file->writer->probe_base = BASE;
	add_probe(file, ADDRESS + 0x20 - 0x1000, BASE - 0x1000, DATA_ADDRESS - 0x1000);
	add_probe(file, ADDRESS + 0x30 + 0x1000, BASE + 0x1000, 0);
	add_probe(file, ADDRESS + 0x40, 0, 0);
	expect_notes(file, 0, "1020/5000 prov:name:-4@%edi, 1030/0 prov:name:-4@%edi, 1040/0 prov:name:-4@%edi");
}

/* Each of these is passed over, and the good one after it is found. */
FILE_TEST(a_note_that_leads_nowhere_is_passed_over)
{
	add_probe(file, DATA_ADDRESS, 0, 0);            /* no code */
	add_probe(file, ADDRESS + SIZE, 0, 0);          /* after it */
	add_probe(file, ADDRESS, 0, ADDRESS);           /* a semaphore in code */
	add_probe(file, ADDRESS, 0, DATA_ADDRESS + DATA_SIZE); /* one not in the file */
	add_probe(file, ADDRESS, 0, UINT64_MAX);
	add_probe(file, UINT64_MAX, UINT64_MAX, 0);
	elf_writer_probe(file->writer, ADDRESS, 0, 0, "prov\0name", 9); /* not ended */
	elf_writer_probe(file->writer, ADDRESS, 0, 0, "prov\0name", 10); /* no arguments */
	elf_writer_probe(file->writer, ADDRESS, 0, 0, "\0name\0", 7); /* no provider */
	elf_writer_probe(file->writer, ADDRESS, 0, 0, "", 0);
	add_probe(file, ADDRESS + 4, 0, 0);
	expect_notes(file, 0, "1004/0 prov:name:-4@%edi");
}

/* Of segments that claim to end after the last byte that there can be. */
FILE_TEST(a_place_that_wraps_is_passed_over)
{
	const Elf64_Phdr segment = { .p_type = PT_LOAD,
				     .p_vaddr = 0x100000,
				     .p_offset = UINT64_MAX - 0xfff,
				     .p_filesz = 0x2000,
				     .p_memsz = 0x2000 };
	Elf64_Phdr code = segment, data = segment;

	code.p_flags = PF_R | PF_X;
	data.p_flags = PF_R | PF_W;
	data.p_vaddr = 0x200000;
	elf_writer_segment(file->writer, &code);
	elf_writer_segment(file->writer, &data);
	add_probe(file, code.p_vaddr + 0x1000, 0, 0);
	add_probe(file, ADDRESS, 0, data.p_vaddr + 0x1000);
	add_probe(file, ADDRESS + 4, 0, 0);
	expect_notes(file, 0, "1004/0 prov:name:-4@%edi");
}

FILE_TEST(other_notes_of_the_section_are_passed_over)
{
	add_probe(file, ADDRESS, 0, 0);
	add_probe(file, ADDRESS + 4, 0, 0);
	add_probe(file, ADDRESS + 8, 0, 0);
	((Elf64_Nhdr *)file->writer->probes.data)->n_type = 4;
	file->writer->probes.data[file->writer->probes.nr / 3 + sizeof(Elf64_Nhdr)] = 'S';
	expect_notes(file, 0, "1008/0 prov:name:-4@%edi");
}

FILE_TEST(sizes_that_leave_the_section_are_an_error)
{
	add_probe(file, ADDRESS, 0, 0);
	((Elf64_Nhdr *)file->writer->probes.data)->n_descsz = 0x10000000;
	expect_notes(file, -EBADMSG, "");
}

FILE_TEST(a_section_that_leaves_the_file_is_an_error)
{
	add_probe(file, ADDRESS, 0, 0);
	elf_writer_finish(file->writer);
	elf_writer_section(file->writer, SECTION_PROBES)->sh_size = 0x100000;
	expect_notes(file, -EBADMSG, "");
}

FILE_TEST(a_file_without_names_of_sections_has_no_probes)
{
	add_probe(file, ADDRESS, 0, 0);
	elf_writer_finish(file->writer);
	elf_writer_header(file->writer)->e_shstrndx = SECTION_NR + 3;
	expect_notes(file, 0, "");
}

/* ---- through a worker ---- */

SYMBOLIZER_TEST(probes_are_found_by_provider_and_name)
{
	struct symbol_usdt *probes;
	size_t nr;

	elf_writer_probe(&fixture->writer, ADDRESS + 1, 0, 0, TEXTS, sizeof(TEXTS));
	elf_writer_probe(&fixture->writer, ADDRESS + 2, 0, 0, "prov\0other\0", 12);
	elf_writer_probe(&fixture->writer, ADDRESS + 4, 0, 0, "second\0name\0", 13);
	elf_writer_probe(&fixture->writer, ADDRESS + 3, 0, 0, "second\0name\0", 13); /* the same at another place */
	fixture_add(fixture, 0);
	assert_int_equal(symbolizer_find_usdt(fixture->symbolizer, 0, "^prov$", "^n", &probes, &nr), 0);
	assert_int_equal(nr, 1);
	assert_string_equal(probes[0].provider, "prov");
	assert_string_equal(probes[0].name, "name");
	assert_string_equal(probes[0].arguments, "-4@%edi");
	assert_int_equal(probes[0].file_offset, OFFSET + 1);
	assert_int_equal(probes[0].semaphore_offset, 0);
	free(probes);
	assert_int_equal(symbolizer_find_usdt(fixture->symbolizer, 0, "", "^name$", &probes, &nr), 0);
	assert_int_equal(nr, 3);
	assert_int_equal(probes[1].file_offset, OFFSET + 3);
	assert_int_equal(probes[2].file_offset, OFFSET + 4);
	free(probes);
	assert_int_equal(symbolizer_find_usdt(fixture->symbolizer, 0, "", "^none$", &probes, &nr), 0);
	assert_int_equal(nr, 0);
	free(probes);
	assert_int_equal(symbolizer_find_usdt(fixture->symbolizer, 0, "(", "", &probes, &nr), -EINVAL);
	assert_int_equal(symbolizer_find_usdt(fixture->symbolizer, 9, "", "", &probes, &nr), -ENOENT);
}

SYMBOLIZER_TEST(thousands_of_probes_come_in_several_messages)
{
	enum {
		NR = 5000
	};
	_cleanup_(freep) struct symbol_usdt *probes;
	size_t nr;

	for (unsigned int i = 0; i < NR; i++)
		elf_writer_probe(&fixture->writer, ADDRESS + i, 0, 0, TEXTS, sizeof(TEXTS));
	fixture_add(fixture, 0);
	assert_int_equal(symbolizer_find_usdt(fixture->symbolizer, 0, "", "", &probes, &nr), 0);
	assert_int_equal(nr, NR);
	for (unsigned int i = 0; i < NR; i++)
		assert_int_equal(probes[i].file_offset, OFFSET + i);
}

SYMBOLIZER_TEST(bad_notes_leave_the_names_of_functions)
{
	struct symbol_usdt *probes;
	size_t nr;

	elf_writer_probe(&fixture->writer, ADDRESS, 0, 0, TEXTS, sizeof(TEXTS));
	((Elf64_Nhdr *)fixture->writer.probes.data)->n_descsz = 0x10000000;
	fixture_add(fixture, 0);
	assert_int_equal(symbolizer_find_usdt(fixture->symbolizer, 0, "", "", &probes, &nr), -EBADMSG);
	fixture_expect(fixture, 0, OFFSET, "first");
}
