/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/unit/cfi_writer.h"

#include <elf.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	NAMES_OFFSET = 0x18000,
	HEADERS_OFFSET = 0x18100,
};

void cfi_writer_done(struct cfi_writer *writer)
{
	vec_done(&writer->bytes);
}

static void add(struct cfi_writer *writer, const void *bytes, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		vec_push(&writer->bytes, ((const uint8_t *)bytes)[i]);
}

static void add_number(struct cfi_writer *writer, uint64_t number, size_t nr)
{
	add(writer, &number, nr);
}

/* Puts the length in front, which is known only now. */
static void end_entry(struct cfi_writer *writer, size_t start)
{
	uint32_t length;

	while (writer->bytes.nr % 8)
		vec_push(&writer->bytes, 0);
	length = (uint32_t)(writer->bytes.nr - start - 4);
	memcpy(writer->bytes.data + start, &length, sizeof(length));
}

void cfi_writer_cie(struct cfi_writer *writer, const char *augmentation, const uint8_t *instructions, size_t nr)
{
	writer->cie = (uint32_t)writer->bytes.nr;
	writer->has_augmentation = *augmentation == 'z';
	add_number(writer, 0, 4);
	add_number(writer, writer->is_debug ? UINT32_MAX : 0, 4);
	add_number(writer, 1, 1); /* version */
	add(writer, augmentation, strlen(augmentation) + 1);
	add_number(writer, 1, 1);
	add_number(writer, 0x78, 1); /* -8 */
	add_number(writer, 16, 1);
	if (writer->has_augmentation)
		add_number(writer, 0, 1);
	add(writer, instructions, nr);
	end_entry(writer, writer->cie);
}

void cfi_writer_fde(struct cfi_writer *writer, uint64_t start, uint64_t length, const uint8_t *instructions, size_t nr)
{
	size_t position = writer->bytes.nr;

	add_number(writer, 0, 4);
	add_number(writer, writer->is_debug ? writer->cie : position + 4 - writer->cie, 4);
	add_number(writer, start, 8);
	add_number(writer, length, 8);
	if (writer->has_augmentation)
		add_number(writer, 0, 1);
	add(writer, instructions, nr);
	end_entry(writer, position);
}

static void put(int fd, uint64_t offset, const void *bytes, size_t nr)
{
	if (pwrite(fd, bytes, nr, (off_t)offset) != (ssize_t)nr)
		abort();
}

static void put_headers(int fd, const Elf64_Phdr *segments, uint16_t nr_segments, uint16_t nr_sections)
{
	Elf64_Ehdr header = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_EXEC,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(header),
		.e_shoff = nr_sections ? HEADERS_OFFSET : 0,
		.e_ehsize = sizeof(header),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = nr_segments,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = nr_sections,
		.e_shstrndx = nr_sections ? 2 : 0,
	};

	put(fd, 0, &header, sizeof(header));
	put(fd, sizeof(header), segments, nr_segments * sizeof(*segments));
}

static Elf64_Phdr code_segment(void)
{
	return (Elf64_Phdr){ .p_type = PT_LOAD,
			     .p_flags = PF_R | PF_X,
			     .p_vaddr = CFI_CODE,
			     .p_filesz = CFI_CODE_SIZE,
			     .p_memsz = CFI_CODE_SIZE };
}

int cfi_writer_fd(const struct cfi_writer *writer, const char *name, uint64_t flags)
{
	const Elf64_Phdr segment = code_segment();
	const Elf64_Shdr sections[] = {
		{},
		{ .sh_name = 1,
		  .sh_type = SHT_PROGBITS,
		  .sh_flags = flags,
		  .sh_offset = CFI_SECTION_OFFSET,
		  .sh_size = writer->bytes.nr },
		{ .sh_type = SHT_STRTAB, .sh_offset = NAMES_OFFSET, .sh_size = strlen(name) + 2 },
	};
	int fd = memfd_create("cfi", MFD_CLOEXEC);

	put_headers(fd, &segment, 1, 3);
	put(fd, NAMES_OFFSET + 1, name, strlen(name) + 1);
	put(fd, HEADERS_OFFSET, sections, sizeof(sections));
	put(fd, CFI_SECTION_OFFSET, writer->bytes.data, writer->bytes.nr);
	return fd;
}

int cfi_writer_segment_fd(const struct cfi_writer *writer)
{
	const Elf64_Phdr segments[] = {
		code_segment(),
		{ .p_type = PT_GNU_EH_FRAME,
		  .p_vaddr = CFI_CODE + CFI_HEADER_OFFSET,
		  .p_offset = CFI_HEADER_OFFSET,
		  .p_filesz = 12 },
	};
	/* Version, a relative pointer of four bytes, neither count nor table. */
	const uint8_t head[] = { 1, 0x1b, 0xff, 0xff, 12, 0, 0, 0, 0, 0, 0, 0 };
	int fd = memfd_create("cfi", MFD_CLOEXEC);

	put_headers(fd, segments, 2, 0);
	put(fd, CFI_HEADER_OFFSET, head, sizeof(head));
	put(fd, CFI_HEADER_OFFSET + 16, writer->bytes.data, writer->bytes.nr);
	if (ftruncate(fd, CFI_CODE_SIZE))
		abort();
	return fd;
}
