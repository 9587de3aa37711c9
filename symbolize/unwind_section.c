/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/unwind_section.h"

#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "core/base/cleanup.h"
#include "symbolize/unwind_pointer.h"

enum {
	SECTION_MAX = 256 << 20, /* Chromium's .eh_frame, with 200 MB of code, has 25 MB */
};

void unwind_section_done(struct unwind_section *section)
{
	free(section->bytes);
	*section = (struct unwind_section){};
}

/* Reads a part of the file into memory of its own; in steps, so that a lying size costs nothing before the file ends. */
static int read_part(const struct elf_file *elf, uint64_t offset, uint64_t nr, uint8_t **ret_bytes)
{
	_cleanup_(freep) uint8_t *bytes = NULL;
	int err;

	if (!nr || nr > SECTION_MAX || !elf_file_holds(elf, offset, nr))
		return -EBADMSG;
	bytes = malloc((size_t)nr);
	if (!bytes)
		return -ENOMEM;
	err = elf_file_read(elf, offset, bytes, (size_t)nr);
	if (err)
		return err;
	*ret_bytes = bytes;
	bytes = NULL;
	return 0;
}

/* ---- .eh_frame ---- */

static int eh_by_section(const struct elf_file *elf, struct unwind_section *ret_section)
{
	const Elf64_Shdr *header = elf_file_section(elf, ".eh_frame");
	int err;

	/* In a file of separate debug information the section has a header and no content. */
	if (!header || header->sh_type == SHT_NOBITS || !header->sh_size)
		return -ENODATA;
	*ret_section = (struct unwind_section){ .nr = header->sh_size, .address = header->sh_addr };
	err = read_part(elf, header->sh_offset, header->sh_size, &ret_section->bytes);
	return err;
}

static const Elf64_Phdr *find_segment(const struct elf_file *elf, uint32_t type)
{
	for (size_t i = 0; i < elf->segments.nr; i++)
		if (elf->segments.data[i].p_type == type)
			return &elf->segments.data[i];
	return NULL;
}

/* The bytes from an address to the end of its segment. */
static int rest_of_segment(const struct elf_file *elf, uint64_t address, uint64_t *ret_offset, uint64_t *ret_nr)
{
	for (size_t i = 0; i < elf->segments.nr; i++) {
		const Elf64_Phdr *segment = &elf->segments.data[i];

		if (segment->p_type == PT_LOAD && address >= segment->p_vaddr &&
		    address - segment->p_vaddr < segment->p_filesz) {
			*ret_offset = segment->p_offset + (address - segment->p_vaddr);
			*ret_nr = segment->p_filesz - (address - segment->p_vaddr);
			return 0;
		}
	}
	return -EBADMSG;
}

/* .eh_frame_hdr begins: version 1, encodings of the pointer to .eh_frame, of the count and of the table; the pointer. */
static int eh_by_segment(const struct elf_file *elf, struct unwind_section *ret_section)
{
	const Elf64_Phdr *segment = find_segment(elf, PT_GNU_EH_FRAME);
	uint8_t head[12];
	struct unwind_bytes bytes = { .at = head, .end = head + sizeof(head) };
	uint64_t offset, nr, address;
	int err;

	if (!segment)
		return -ENODATA;
	err = elf_file_read(elf, segment->p_offset, head, sizeof(head));
	if (err || head[0] != 1)
		return err ?: -EBADMSG;
	bytes_skip(&bytes, 4);
	address = unwind_pointer(&bytes, head[1], segment->p_vaddr + 4);
	err = bytes.bad ? -EBADMSG : rest_of_segment(elf, address, &offset, &nr);
	if (err)
		return err;
	*ret_section = (struct unwind_section){ .nr = (size_t)nr, .address = address, .ends_at_zero = true };
	return read_part(elf, offset, nr, &ret_section->bytes);
}

int unwind_section_eh(const struct elf_file *elf, struct unwind_section *ret_section)
{
	int err = eh_by_section(elf, ret_section);

	return err == -ENODATA ? eh_by_segment(elf, ret_section) : err;
}

/* ---- .debug_frame ---- */

static int inflate_zlib(const uint8_t *from, size_t nr_from, uint8_t *to, size_t nr)
{
	uLongf got = nr;

	return uncompress(to, &got, from, nr_from) == Z_OK && got == nr ? 0 : -EBADMSG;
}

static int inflate_zstd(const uint8_t *from, size_t nr_from, uint8_t *to, size_t nr)
{
	return ZSTD_decompress(to, nr, from, nr_from) == nr ? 0 : -EBADMSG;
}

static int expand(struct unwind_section *section, size_t head, uint64_t nr,
		  int (*inflate)(const uint8_t *from, size_t nr_from, uint8_t *to, size_t nr))
{
	uint8_t *bytes;
	int err;

	if (!nr || nr > SECTION_MAX)
		return -EBADMSG;
	bytes = malloc((size_t)nr);
	if (!bytes)
		return -ENOMEM;
	err = inflate(section->bytes + head, section->nr - head, bytes, (size_t)nr);
	if (err) {
		free(bytes);
		return err;
	}
	free(section->bytes);
	section->bytes = bytes;
	section->nr = (size_t)nr;
	return 0;
}

/* SHF_COMPRESSED: an Elf64_Chdr in front. */
static int expand_standard(struct unwind_section *section)
{
	Elf64_Chdr head;

	if (section->nr < sizeof(head))
		return -EBADMSG;
	memcpy(&head, section->bytes, sizeof(head));
	switch (head.ch_type) {
	case ELFCOMPRESS_ZLIB:
		return expand(section, sizeof(head), head.ch_size, inflate_zlib);
	case 2: /* ELFCOMPRESS_ZSTD, which older elf.h do not name */
		return expand(section, sizeof(head), head.ch_size, inflate_zstd);
	default:
		return -EBADMSG;
	}
}

/* .zdebug_frame, before there was a standard: "ZLIB" and the size, most significant byte first. */
static int expand_old(struct unwind_section *section)
{
	uint64_t nr;

	if (section->nr < 12 || memcmp(section->bytes, "ZLIB", 4) != 0)
		return -EBADMSG;
	memcpy(&nr, section->bytes + 4, sizeof(nr));
	return expand(section, 12, __builtin_bswap64(nr), inflate_zlib);
}

int unwind_section_debug(const struct elf_file *elf, struct unwind_section *ret_section)
{
	const Elf64_Shdr *plain = elf_file_section(elf, ".debug_frame");
	const Elf64_Shdr *header = plain ?: elf_file_section(elf, ".zdebug_frame");
	struct unwind_section section = { .is_debug = true };
	int err;

	if (!header || header->sh_type == SHT_NOBITS || !header->sh_size)
		return -ENODATA;
	section.nr = header->sh_size;
	err = read_part(elf, header->sh_offset, header->sh_size, &section.bytes);
	if (!err && !plain)
		err = expand_old(&section);
	else if (!err && header->sh_flags & SHF_COMPRESSED)
		err = expand_standard(&section);
	if (err)
		unwind_section_done(&section);
	else
		*ret_section = section;
	return err;
}

/* ---- .gopclntab ---- */

int unwind_section_go(const struct elf_file *elf, struct unwind_section *ret_section)
{
	const Elf64_Shdr *header = elf_file_section(elf, ".gopclntab");
	struct unwind_section section = {};
	int err;

	if (!header) /* position independent: it has to be relocated */
		header = elf_file_section(elf, ".data.rel.ro.gopclntab");
	if (!header || header->sh_type == SHT_NOBITS || !header->sh_size)
		return -ENODATA;
	section.nr = header->sh_size;
	err = read_part(elf, header->sh_offset, header->sh_size, &section.bytes);
	if (!err)
		*ret_section = section;
	return err;
}
