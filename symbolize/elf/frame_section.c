/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/elf/frame_section.h"

#include <string.h>

#include "core/base/cleanup.h"
#include "symbolize/elf/eh_pointer.h"
#include "symbolize/elf/elf_section.h"

enum {
	SECTION_MAX = 256 << 20, /* Chromium, with 200 MB of code, has 25 MB */
	HEADER_BYTES = 20,
	TABLE_ENCODING = 0x3b, /* pairs of four bytes, relative to the header, as all linkers write */
};

void frame_section_done(struct frame_section *section)
{
	free(section->bytes);
	*section = (struct frame_section){};
}

static int eh_by_section(const struct elf_file *elf, struct frame_section *ret_section)
{
	const Elf64_Shdr *header = elf_file_section(elf, ".eh_frame");
	int err;

	/* In a separate debug file, the section has no contents. */
	if (!header || header->sh_type == SHT_NOBITS || !header->sh_size)
		return -ENODATA;
	*ret_section = (struct frame_section){ .nr = header->sh_size, .address = header->sh_addr };
	ret_section->bytes = elf_file_copy(elf, header->sh_offset, header->sh_size, SECTION_MAX, &err);
	return err;
}

/* The header: version 1; encodings of the pointer to .eh_frame, of the count, and of the table; then these three. */
int frame_header_read(const struct elf_file *elf, struct frame_header *ret_header)
{
	const Elf64_Phdr *segment = elf_file_segment(elf, PT_GNU_EH_FRAME);
	const size_t word = elf->is_64 ? 8 : 4;
	uint8_t head[HEADER_BYTES] = {};
	struct byte_reader bytes = { .at = head, .end = head + sizeof(head) };
	size_t nr_head;
	int err;

	*ret_header = (struct frame_header){};
	if (!segment)
		return -ENODATA;
	nr_head = segment->p_filesz < sizeof(head) ? (size_t)segment->p_filesz : sizeof(head);
	bytes.end = head + nr_head;
	err = elf_file_read(elf, segment->p_offset, head, nr_head);
	if (err || bytes_byte(&bytes) != 1)
		return err ?: -EBADMSG;
	bytes_skip(&bytes, 3);
	ret_header->address = segment->p_vaddr;
	ret_header->eh_frame = eh_pointer(&bytes, head[1], word, segment->p_vaddr + 4);
	if (bytes.bad)
		return -EBADMSG;
	ret_header->nr = head[2] == POINTER_OMITTED ? 0 : eh_pointer_value(&bytes, head[2], word);
	if (bytes.bad || head[3] != TABLE_ENCODING ||
	    ret_header->nr > (segment->p_filesz - (uint64_t)(bytes.at - head)) / sizeof(struct frame_header_entry))
		ret_header->nr = 0;
	if (ret_header->nr)
		ret_header->table = segment->p_offset + (uint64_t)(bytes.at - head);
	return 0;
}

/* From the address in the header to the end of the segment. */
static int eh_by_segment(const struct elf_file *elf, struct frame_section *ret_section)
{
	const Elf64_Phdr *segment;
	struct frame_header header;
	uint64_t skipped;
	int err = frame_header_read(elf, &header);

	if (err)
		return err;
	segment = elf_file_segment_at(elf, header.eh_frame, 0);
	if (!segment)
		return -EBADMSG;
	skipped = header.eh_frame - segment->p_vaddr;
	*ret_section = (struct frame_section){ .nr = segment->p_filesz - skipped,
					       .address = header.eh_frame,
					       .ends_at_zero = true };
	ret_section->bytes = elf_file_copy(elf, segment->p_offset + skipped, ret_section->nr, SECTION_MAX, &err);
	return err;
}

int frame_section_eh(const struct elf_file *elf, struct frame_section *ret_section)
{
	int err = eh_by_section(elf, ret_section);

	if (err == -ENODATA)
		err = eh_by_segment(elf, ret_section);
	ret_section->word = elf->is_64 ? 8 : 4;
	return err;
}

int frame_section_debug(const struct elf_file *elf, struct frame_section *ret_section)
{
	*ret_section = (struct frame_section){ .is_debug = true, .word = elf->is_64 ? 8 : 4 };
	return elf_section_whole(elf, ".debug_frame", &ret_section->bytes, &ret_section->nr);
}

struct byte_reader frame_section_from(const struct frame_section *section, uint64_t position)
{
	struct byte_reader bytes = { .at = section->bytes, .end = section->bytes + section->nr };

	bytes_skip(&bytes, position);
	return bytes;
}

bool frame_fde_range(const struct frame_section *section, struct frame_entry *fde, uint8_t encoding,
		     uint64_t *ret_start, uint64_t *ret_size)
{
	uint64_t address = section->address + (uint64_t)(fde->body.at - section->bytes);

	*ret_start = eh_pointer(&fde->body, encoding, section->word, address);
	/* The length is unsigned. */
	*ret_size = eh_pointer_value(&fde->body, encoding & POINTER_FORMAT & ~POINTER_SIGNED, section->word);
	return !fde->body.bad;
}

/* In .eh_frame, the number is the distance back to the CIE, and 0 marks a CIE; in .debug_frame it is a position in the section. */
static void read_identity(const struct frame_section *section, bool is_wide, struct frame_entry *entry)
{
	uint64_t position = (uint64_t)(entry->body.at - section->bytes);
	uint64_t id = bytes_number(&entry->body, is_wide ? 8 : 4);

	entry->is_cie = id == (section->is_debug ? (is_wide ? UINT64_MAX : UINT32_MAX) : 0);
	entry->cie = section->is_debug ? id : position - id;
}

bool frame_next_entry(const struct frame_section *section, struct byte_reader *at, struct frame_entry *ret_entry)
{
	uint64_t length;
	bool is_wide;

	ret_entry->position = (uint64_t)(at->at - section->bytes);
	length = bytes_number(at, 4);
	is_wide = length == UINT32_MAX;
	if (is_wide)
		length = bytes_number(at, 8);
	ret_entry->is_last = !length;
	ret_entry->is_cie = false;
	ret_entry->body = bytes_part(at, length);
	if (at->bad)
		return false;
	if (length)
		read_identity(section, is_wide, ret_entry);
	return true;
}

/* The data for "z": one item per following letter, in order. */
static bool read_augmentation(const struct frame_section *section, struct byte_reader bytes, const char *letters,
			      struct frame_cie *cie)
{
	for (; *letters && !bytes.bad; letters++) {
		switch (*letters) {
		case 'R':
			cie->encoding = bytes_byte(&bytes);
			break;
		case 'P':
			eh_pointer_value(&bytes, bytes_byte(&bytes), section->word);
			break;
		case 'L':
			bytes_byte(&bytes);
			break;
		case 'S':
			cie->is_signal = true;
			break;
		case 'B': /* arm64: pointer authentication with key B; no data */
		case 'G': /* arm64: memory tagging; no data */
			break;
		default:
			return false;
		}
	}
	return !bytes.bad;
}

/* A CIE: version, augmentation string, code and data factor, return register, augmentation length and data, instructions. */
bool frame_read_cie(const struct frame_section *section, const struct frame_entry *entry, struct frame_cie *ret_cie)
{
	struct byte_reader body = entry->body;
	uint8_t version = bytes_byte(&body);
	const char *letters = bytes_string(&body);
	bool known = letters && (!*letters || *letters == 'z');

	*ret_cie = (struct frame_cie){ .encoding = POINTER_ABSOLUTE };
	if (!known || version > 4)
		return false;
	/* size of an address; size of a segment selector, 0 */
	if (version == 4 && bytes_number(&body, 2) != section->word)
		return false;
	ret_cie->code_factor = bytes_uleb(&body);
	ret_cie->data_factor = bytes_sleb(&body);
	ret_cie->return_register = version == 1 ? bytes_byte(&body) : bytes_uleb(&body);
	if (*letters) {
		ret_cie->has_augmentation = true;
		known = read_augmentation(section, bytes_part(&body, bytes_uleb(&body)), letters + 1, ret_cie);
	}
	ret_cie->instructions = body;
	return known && !body.bad;
}
