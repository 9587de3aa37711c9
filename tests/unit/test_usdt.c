/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Notes of USDT probes, good ones and bad ones, and the same through a worker. */
#include "symbolize/elf/usdt.h"

#include "tests/unit/symbolizer_fixture.h"
#include "tests/harness.h"

enum {
	DATA_ADDRESS = 0x9000,
	DATA_OFFSET = 0x5000,
	DATA_SIZE = 0x100,
	BASE = 0x8000,
};

#define TEXTS "prov\0name\0-4@%edi"

struct image {
	struct elf_writer writer;
	struct elf_file elf;
	struct usdt_notes notes;
	int fd;
};

static void set_up(struct image *image)
{
	elf_writer_init(&image->writer, ET_DYN);
	elf_writer_code(&image->writer, ADDRESS, OFFSET, SIZE);
	elf_writer_segment(&image->writer, &(Elf64_Phdr){ .p_type = PT_LOAD,
							  .p_flags = PF_R | PF_W,
							  .p_vaddr = DATA_ADDRESS,
							  .p_offset = DATA_OFFSET,
							  .p_filesz = DATA_SIZE,
							  .p_memsz = 2 * DATA_SIZE });
	image->fd = -1;
}

static void tear_down(struct image *image)
{
	usdt_notes_done(&image->notes);
	elf_file_done(&image->elf);
	elf_writer_done(&image->writer);
	closep(&image->fd);
}

#define FIXTURE_TEST(name) TEST_WITH(struct image, image, name, set_up, tear_down)

static int read_image(struct image *image)
{
	image->fd = elf_writer_fd(&image->writer);
	assert_int_equal(elf_file_open(&image->elf, image->fd), 0);
	return usdt_notes_read(&image->notes, &image->elf);
}

static int finish_and_read(struct image *image)
{
	elf_writer_finish(&image->writer);
	return read_image(image);
}

static const struct usdt_note *only_note(const struct image *image)
{
	assert_int_equal(image->notes.notes.nr, 1);
	return &image->notes.notes.data[0];
}

FIXTURE_TEST(addresses_become_places_in_the_file)
{
	const struct usdt_note *note;

	elf_writer_probe(&image->writer, ADDRESS + 0x20, BASE, DATA_ADDRESS + 6, TEXTS, sizeof(TEXTS));
	assert_int_equal(finish_and_read(image), 0);
	note = only_note(image);
	assert_int_equal(note->file_offset, OFFSET + 0x20);
	assert_int_equal(note->semaphore_offset, DATA_OFFSET + 6);
	assert_string_equal(usdt_text(&image->notes, note->provider), "prov");
	assert_string_equal(usdt_text(&image->notes, note->name), "name");
	assert_string_equal(usdt_text(&image->notes, note->arguments), "-4@%edi");
}

FIXTURE_TEST(notes_of_32_bit_files_have_narrow_addresses)
{
	image->writer.is_32 = true;
	elf_writer_probe(&image->writer, ADDRESS + 0x20, BASE, DATA_ADDRESS, TEXTS, sizeof(TEXTS));
	assert_int_equal(finish_and_read(image), 0);
	assert_int_equal(only_note(image)->file_offset, OFFSET + 0x20);
	assert_int_equal(only_note(image)->semaphore_offset, DATA_OFFSET);
}

/* What prelink does: the file was moved, its notes were not. */
FIXTURE_TEST(addresses_move_with_the_base)
{
	image->writer.probe_base = BASE;
	elf_writer_probe(&image->writer, ADDRESS + 0x20 - 0x1000, BASE - 0x1000, DATA_ADDRESS - 0x1000, TEXTS,
			 sizeof(TEXTS));
	elf_writer_probe(&image->writer, ADDRESS + 0x30 + 0x1000, BASE + 0x1000, 0, TEXTS, sizeof(TEXTS));
	elf_writer_probe(&image->writer, ADDRESS + 0x40, 0, 0, TEXTS, sizeof(TEXTS));
	assert_int_equal(finish_and_read(image), 0);
	assert_int_equal(image->notes.notes.nr, 3);
	assert_int_equal(image->notes.notes.data[0].file_offset, OFFSET + 0x20);
	assert_int_equal(image->notes.notes.data[0].semaphore_offset, DATA_OFFSET);
	assert_int_equal(image->notes.notes.data[1].file_offset, OFFSET + 0x30);
	assert_int_equal(image->notes.notes.data[2].file_offset, OFFSET + 0x40);
}

/* Each of these is passed over, and the good one behind it is found. */
FIXTURE_TEST(a_note_that_leads_nowhere_is_passed_over)
{
	struct elf_writer *writer = &image->writer;

	elf_writer_probe(writer, DATA_ADDRESS, 0, 0, TEXTS, sizeof(TEXTS));            /* no code */
	elf_writer_probe(writer, ADDRESS + SIZE, 0, 0, TEXTS, sizeof(TEXTS));          /* behind it */
	elf_writer_probe(writer, ADDRESS, 0, ADDRESS, TEXTS, sizeof(TEXTS));           /* a semaphore in code */
	elf_writer_probe(writer, ADDRESS, 0, DATA_ADDRESS + DATA_SIZE, TEXTS, sizeof(TEXTS)); /* one not in the file */
	elf_writer_probe(writer, ADDRESS, 0, UINT64_MAX, TEXTS, sizeof(TEXTS));
	elf_writer_probe(writer, UINT64_MAX, UINT64_MAX, 0, TEXTS, sizeof(TEXTS));
	elf_writer_probe(writer, ADDRESS, 0, 0, "prov\0name", 9); /* not ended */
	elf_writer_probe(writer, ADDRESS, 0, 0, "prov\0name", 10); /* no arguments */
	elf_writer_probe(writer, ADDRESS, 0, 0, "\0name\0", 7); /* no provider */
	elf_writer_probe(writer, ADDRESS, 0, 0, "", 0);
	elf_writer_probe(writer, ADDRESS + 4, 0, 0, TEXTS, sizeof(TEXTS));
	assert_int_equal(finish_and_read(image), 0);
	assert_int_equal(only_note(image)->file_offset, OFFSET + 4);
}

/* Of segments that claim to end behind the last byte that there can be. */
FIXTURE_TEST(a_place_that_wraps_is_passed_over)
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
	elf_writer_segment(&image->writer, &code);
	elf_writer_segment(&image->writer, &data);
	elf_writer_probe(&image->writer, code.p_vaddr + 0x1000, 0, 0, TEXTS, sizeof(TEXTS));
	elf_writer_probe(&image->writer, ADDRESS, 0, data.p_vaddr + 0x1000, TEXTS, sizeof(TEXTS));
	elf_writer_probe(&image->writer, ADDRESS + 4, 0, 0, TEXTS, sizeof(TEXTS));
	assert_int_equal(finish_and_read(image), 0);
	assert_int_equal(only_note(image)->file_offset, OFFSET + 4);
}

FIXTURE_TEST(other_notes_of_the_section_are_passed_over)
{
	elf_writer_probe(&image->writer, ADDRESS, 0, 0, TEXTS, sizeof(TEXTS));
	elf_writer_probe(&image->writer, ADDRESS + 4, 0, 0, TEXTS, sizeof(TEXTS));
	elf_writer_probe(&image->writer, ADDRESS + 8, 0, 0, TEXTS, sizeof(TEXTS));
	((Elf64_Nhdr *)image->writer.probes.data)->n_type = 4;
	image->writer.probes.data[image->writer.probes.nr / 3 + sizeof(Elf64_Nhdr)] = 'S';
	assert_int_equal(finish_and_read(image), 0);
	assert_int_equal(only_note(image)->file_offset, OFFSET + 8);
}

FIXTURE_TEST(sizes_that_leave_the_section_are_an_error)
{
	elf_writer_probe(&image->writer, ADDRESS, 0, 0, TEXTS, sizeof(TEXTS));
	((Elf64_Nhdr *)image->writer.probes.data)->n_descsz = 0x10000000;
	assert_int_equal(finish_and_read(image), -EBADMSG);
	assert_int_equal(image->notes.notes.nr, 0);
}

FIXTURE_TEST(a_section_that_leaves_the_file_is_an_error)
{
	elf_writer_probe(&image->writer, ADDRESS, 0, 0, TEXTS, sizeof(TEXTS));
	elf_writer_finish(&image->writer);
	elf_writer_section(&image->writer, SECTION_PROBES)->sh_size = 0x100000;
	assert_int_equal(read_image(image), -EBADMSG);
}

FIXTURE_TEST(a_file_without_names_of_sections_has_no_probes)
{
	elf_writer_probe(&image->writer, ADDRESS, 0, 0, TEXTS, sizeof(TEXTS));
	elf_writer_finish(&image->writer);
	elf_writer_header(&image->writer)->e_shstrndx = SECTION_NR + 3;
	assert_int_equal(read_image(image), 0);
	assert_int_equal(image->notes.notes.nr, 0);
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
