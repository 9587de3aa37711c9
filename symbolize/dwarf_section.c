/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/dwarf_section.h"

#include "symbolize/unpacker.h"

enum {
	WINDOW_MAX_BYTES = 128 << 20,
	AHEAD_BYTES = 65536,
	STRING_BYTES = 16384,
};

static const struct unwind_bytes nothing = { .bad = true };

/* ---- opening ---- */

static int open_compressed(struct dwarf_section *section, const struct elf_file *elf, const Elf64_Shdr *header)
{
	union {
		Elf64_Chdr wide;
		Elf32_Chdr narrow;
	} chdr;
	size_t nr = elf->is_64 ? sizeof(chdr.wide) : sizeof(chdr.narrow);
	int err = header->sh_size < nr ? -EBADMSG : elf_file_read(elf, header->sh_offset, &chdr, nr);

	if (err)
		return err;
	section->nr_bytes = elf->is_64 ? chdr.wide.ch_size : chdr.narrow.ch_size;
	return unpacker_new(elf, elf->is_64 ? chdr.wide.ch_type : chdr.narrow.ch_type, header->sh_offset + nr,
			    header->sh_size - nr, section->nr_bytes, &section->unpacker);
}

int dwarf_section_open(struct dwarf_section *section, const struct elf_file *elf, const char *name, uint64_t whole_max)
{
	const Elf64_Shdr *header = elf_file_section(elf, name);
	int err = 0;

	*section = (struct dwarf_section){ .whole_max = whole_max };
	if (!header || header->sh_type == SHT_NOBITS || !header->sh_size)
		return -ENODATA;
	if (!elf_file_holds(elf, header->sh_offset, header->sh_size))
		return -EBADMSG;
	if (header->sh_flags & SHF_COMPRESSED) {
		err = open_compressed(section, elf, header);
	} else {
		section->offset = header->sh_offset;
		section->nr_bytes = header->sh_size;
	}
	if (!err)
		section->elf = elf;
	return err;
}

void dwarf_section_done(struct dwarf_section *section)
{
	unpacker_free(section->unpacker);
	free(section->window);
	*section = (struct dwarf_section){};
}

/* ---- the window ---- */

static int read_bytes(struct dwarf_section *section, uint64_t offset, unsigned char *to, size_t nr_bytes)
{
	if (section->unpacker)
		return unpacker_read(section->unpacker, offset, to, nr_bytes);
	return elf_file_read(section->elf, section->offset + offset, to, nr_bytes);
}

/* Keeps what the window has of the range already; the rest is read behind it. */
static int move_window(struct dwarf_section *section, uint64_t offset, size_t nr_bytes)
{
	uint64_t end = section->window_start + section->window_nr;
	size_t kept = offset >= section->window_start && offset < end ? (size_t)(end - offset) : 0;
	int err = vec_grow((void **)&section->window, &section->window_room, nr_bytes, 1);

	if (err)
		return err;
	memmove(section->window, section->window + (kept ? offset - section->window_start : 0), kept);
	section->window_start = offset;
	section->window_nr = kept;
	err = read_bytes(section, offset + kept, section->window + kept, nr_bytes - kept);
	if (!err)
		section->window_nr = nr_bytes;
	return err;
}

static bool is_in_window(const struct dwarf_section *section, uint64_t offset, uint64_t nr_bytes)
{
	return offset >= section->window_start && offset - section->window_start <= section->window_nr &&
	       nr_bytes <= section->window_nr - (offset - section->window_start);
}

struct unwind_bytes dwarf_section_bytes(struct dwarf_section *section, uint64_t offset, uint64_t nr_bytes)
{
	const unsigned char *at;
	uint64_t rest;

	if (!section->elf || offset > section->nr_bytes || nr_bytes > section->nr_bytes - offset)
		return nothing;
	if (!is_in_window(section, offset, nr_bytes)) {
		bool is_whole = section->nr_bytes <= section->whole_max;
		uint64_t ahead = section->whole_max < AHEAD_BYTES ? section->whole_max : AHEAD_BYTES;
		uint64_t from = is_whole ? 0 : offset, wanted = nr_bytes < ahead ? ahead : nr_bytes;

		rest = section->nr_bytes - from;
		wanted = is_whole || wanted > rest ? rest : wanted;
		if (wanted > WINDOW_MAX_BYTES || move_window(section, from, (size_t)wanted))
			return nothing;
	}
	at = section->window + (offset - section->window_start);
	return (struct unwind_bytes){ .at = at, .end = at + nr_bytes };
}

struct unwind_bytes dwarf_section_some(struct dwarf_section *section, uint64_t offset, uint64_t nr_bytes)
{
	uint64_t rest = section->elf && offset < section->nr_bytes ? section->nr_bytes - offset : 0;

	return rest ? dwarf_section_bytes(section, offset, nr_bytes < rest ? nr_bytes : rest) : nothing;
}

/* ---- strings ---- */

const char *bytes_string(struct unwind_bytes *bytes)
{
	const uint8_t *start = bytes->at, *end = bytes_left(bytes) ? memchr(start, '\0', bytes_left(bytes)) : NULL;

	if (!end) {
		bytes_fail(bytes);
		return NULL;
	}
	bytes->at = end + 1;
	return (const char *)start;
}

const char *dwarf_section_string_before(struct dwarf_section *section, uint64_t offset, uint64_t end)
{
	uint64_t nr_bytes = offset < end ? end - offset : 0;
	struct unwind_bytes bytes =
		dwarf_section_some(section, offset, nr_bytes < STRING_BYTES ? nr_bytes : STRING_BYTES);

	return bytes_string(&bytes);
}

const char *dwarf_section_string(struct dwarf_section *section, uint64_t offset)
{
	return dwarf_section_string_before(section, offset, UINT64_MAX);
}
