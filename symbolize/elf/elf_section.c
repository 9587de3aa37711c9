/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/elf/elf_section.h"

#include <stdio.h>
#include <string.h>

#include "symbolize/elf/section_unpacker.h"

enum {
	WINDOW_MAX_BYTES = 128 << 20,
	AHEAD_BYTES = 65536,
	STRING_BYTES = 16384,
};

static const struct byte_reader nothing = { .bad = true };

static int open_compressed(struct elf_section *section, const struct elf_file *elf, const Elf64_Shdr *header)
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
	return section_unpacker_new(elf, elf->is_64 ? chdr.wide.ch_type : chdr.narrow.ch_type, header->sh_offset + nr,
				    header->sh_size - nr, section->nr_bytes, &section->unpacker);
}

/* .zdebug_…, from before the standard: "ZLIB", and the size with the most significant byte first. */
static int open_zdebug(struct elf_section *section, const struct elf_file *elf, const Elf64_Shdr *header)
{
	char head[12];
	uint64_t nr;
	int err = header->sh_size < sizeof(head) ? -EBADMSG : elf_file_read(elf, header->sh_offset, head, sizeof(head));

	if (err || memcmp(head, "ZLIB", 4) != 0)
		return err ?: -EBADMSG;
	memcpy(&nr, head + 4, sizeof(nr));
	section->nr_bytes = __builtin_bswap64(nr);
	return section_unpacker_new(elf, ELFCOMPRESS_ZLIB, header->sh_offset + sizeof(head),
				    header->sh_size - sizeof(head), section->nr_bytes, &section->unpacker);
}

/* The compressed section under the older name; NULL: none. */
static const Elf64_Shdr *find_zdebug(const struct elf_file *elf, const char *name)
{
	char old[64];

	if (strncmp(name, ".debug_", 7) != 0)
		return NULL;
	snprintf(old, sizeof(old), ".z%s", name + 1);
	return elf_file_section(elf, old);
}

/* The section, if it has contents: in a separate debug file, many have none. */
static const Elf64_Shdr *find(const struct elf_file *elf, const char *name)
{
	const Elf64_Shdr *header = elf_file_section(elf, name) ?: find_zdebug(elf, name);

	return header && header->sh_type != SHT_NOBITS && header->sh_size ? header : NULL;
}

bool elf_section_exists(const struct elf_file *elf, const char *name)
{
	return find(elf, name);
}

int elf_section_open(struct elf_section *section, const struct elf_file *elf, const char *name, uint64_t whole_max)
{
	const Elf64_Shdr *plain = elf_file_section(elf, name), *header = find(elf, name);
	int err = 0;

	*section = (struct elf_section){ .whole_max = whole_max };
	if (!header)
		return -ENODATA;
	if (!elf_file_holds(elf, header->sh_offset, header->sh_size))
		return -EBADMSG;
	if (!plain) {
		err = open_zdebug(section, elf, header);
	} else if (header->sh_flags & SHF_COMPRESSED) {
		err = open_compressed(section, elf, header);
	} else {
		section->offset = header->sh_offset;
		section->nr_bytes = header->sh_size;
	}
	if (!err)
		section->elf = elf;
	return err;
}

struct elf_section elf_section_of_range(const struct elf_file *elf, uint64_t offset, uint64_t nr_bytes)
{
	uint64_t left = offset < elf->size ? elf->size - offset : 0;

	return (struct elf_section){
		.elf = elf, .offset = offset, .nr_bytes = nr_bytes < left ? nr_bytes : left, .whole_max = AHEAD_BYTES
	};
}

void elf_section_done(struct elf_section *section)
{
	section_unpacker_free(section->unpacker);
	free(section->window);
	*section = (struct elf_section){};
}

static int read_bytes(struct elf_section *section, uint64_t offset, unsigned char *to, size_t nr_bytes)
{
	if (section->unpacker)
		return section_unpacker_read(section->unpacker, offset, to, nr_bytes);
	return elf_file_read(section->elf, section->offset + offset, to, nr_bytes);
}

/* Keeps the part of the range that is in the window, and reads the rest. */
static int move_window(struct elf_section *section, uint64_t offset, uint64_t nr_bytes)
{
	uint64_t end = section->window_start + section->window_nr;
	size_t kept = offset >= section->window_start && offset < end ? (size_t)(end - offset) : 0;
	int err = nr_bytes > WINDOW_MAX_BYTES ? -EBADMSG
					      : vec_grow((void **)&section->window, &section->window_room, nr_bytes, 1);

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

int elf_section_see(struct elf_section *section, uint64_t offset, uint64_t nr_bytes)
{
	uint64_t ahead = section->whole_max < AHEAD_BYTES ? section->whole_max : AHEAD_BYTES, rest;
	uint64_t at = offset - section->window_start;

	if (!section->elf || offset > section->nr_bytes || nr_bytes > section->nr_bytes - offset)
		return -EBADMSG;
	if (at <= section->window_nr && nr_bytes <= section->window_nr - at)
		return 0;
	if (section->nr_bytes <= section->whole_max)
		return move_window(section, 0, (size_t)section->nr_bytes);
	rest = section->nr_bytes - offset;
	nr_bytes = nr_bytes > ahead ? nr_bytes : ahead < rest ? ahead : rest;
	return move_window(section, offset, nr_bytes);
}

struct byte_reader elf_section_bytes(struct elf_section *section, uint64_t offset, uint64_t nr_bytes)
{
	const unsigned char *at;

	if (elf_section_see(section, offset, nr_bytes))
		return nothing;
	at = section->window + (offset - section->window_start);
	return (struct byte_reader){ .at = at, .end = at + nr_bytes };
}

struct byte_reader elf_section_some(struct elf_section *section, uint64_t offset, uint64_t nr_bytes)
{
	uint64_t rest = section->elf && offset < section->nr_bytes ? section->nr_bytes - offset : 0;

	return rest ? elf_section_bytes(section, offset, nr_bytes < rest ? nr_bytes : rest) : nothing;
}

int elf_section_whole(const struct elf_file *elf, const char *name, uint8_t **ret_bytes, size_t *ret_nr)
{
	struct elf_section section;
	int err = elf_section_open(&section, elf, name, 0);

	if (!err && elf_section_bytes(&section, 0, section.nr_bytes).bad)
		err = -EBADMSG;
	if (!err) {
		*ret_bytes = section.window;
		*ret_nr = section.window_nr;
		section.window = NULL;
	}
	elf_section_done(&section);
	return err;
}

const char *elf_section_string_before(struct elf_section *section, uint64_t offset, uint64_t end)
{
	uint64_t nr_bytes = offset < end ? end - offset : 0;
	struct byte_reader bytes = elf_section_some(section, offset, nr_bytes < STRING_BYTES ? nr_bytes : STRING_BYTES);

	return bytes_string(&bytes);
}

const char *elf_section_string(struct elf_section *section, uint64_t offset)
{
	return elf_section_string_before(section, offset, UINT64_MAX);
}
