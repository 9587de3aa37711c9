/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A section, compressed or not (also .zdebug_… instead of .debug_…), read through a moving window: DWARF is read unit
 * by unit, so memory for one unit is enough. Small sections are read whole.
 *
 * While you use bytes of a section, read nothing of it outside of them, because the window would move. Reading within
 * them is safe.
 */
#pragma once

#include "core/base/byte_reader.h"
#include "symbolize/elf/elf_file.h"

struct section_unpacker;

struct elf_section {
	const struct elf_file *elf; /* borrowed; NULL: the file has no such section */
	uint64_t offset; /* in the file, unless it is compressed */
	uint64_t nr_bytes;
	uint64_t whole_max; /* read whole up to this size; and no more is read ahead */
	struct section_unpacker *unpacker; /* of a compressed section */
	unsigned char *window;
	uint64_t window_start;
	size_t window_nr, window_room;
};

/* Whether the file has a section of this name with content. */
bool elf_section_exists(const struct elf_file *elf, const char *name);

/*
 * Opens the section of this name; the file must outlive it. With `whole_max` 0, the window has only the requested
 * bytes, so it moves as often as possible. 0, -ENODATA if there is none (then reads fail), -EBADMSG if its header is
 * malformed, -ENOMEM.
 */
int elf_section_open(struct elf_section *section, const struct elf_file *elf, const char *name, uint64_t whole_max);
void elf_section_done(struct elf_section *section);

/* Opens a range of the file like a section, limited to the size of the file: to read a table from its beginning to its end. */
struct elf_section elf_section_of_range(const struct elf_file *elf, uint64_t offset, uint64_t nr_bytes);

/* Reads all of it at once into malloc()ed memory: like elf_section_open(), and -EBADMSG if it is damaged or larger than 128 MB. */
int elf_section_whole(const struct elf_file *elf, const char *name, uint8_t **ret_bytes, size_t *ret_nr);

/*
 * These bytes, valid until the next call for the section. `bad` if there are fewer, if they cannot be unpacked, or if
 * they are more than a window may have (128 MB).
 */
struct byte_reader elf_section_bytes(struct elf_section *section, uint64_t offset, uint64_t nr_bytes);

/* The same, of at most `nr_bytes`: fewer at the end of the section. */
struct byte_reader elf_section_some(struct elf_section *section, uint64_t offset, uint64_t nr_bytes);

/* The string at this place; NULL if there is none, or if it has more than 16 KB. Valid until the next call for the section. */
const char *elf_section_string(struct elf_section *section, uint64_t offset);

/* The same for a string that ends before `end`; nothing from there on is read. */
const char *elf_section_string_before(struct elf_section *section, uint64_t offset, uint64_t end);

/* Moves the window to these bytes. 0, -EBADMSG if there are fewer, or if they cannot be unpacked, -ENOMEM. */
int elf_section_see(struct elf_section *section, uint64_t offset, uint64_t nr_bytes);

/* These bytes, like elf_section_bytes(); NULL and *ret_err instead of `bad`. Inline, because tables have 100,000 entries. */
static inline const void *elf_section_at(struct elf_section *section, uint64_t offset, size_t nr_bytes, int *ret_err)
{
	uint64_t at = offset - section->window_start;

	if (at <= section->window_nr && nr_bytes <= section->window_nr - at)
		return section->window + at;
	*ret_err = elf_section_see(section, offset, nr_bytes);
	return *ret_err ? NULL : section->window + (offset - section->window_start);
}

/* Copies these bytes. 0, or an error as from elf_section_see(). */
static inline int elf_section_read(struct elf_section *section, uint64_t offset, void *ret_bytes, size_t nr_bytes)
{
	int err = 0;
	const void *bytes = elf_section_at(section, offset, nr_bytes, &err);

	if (bytes)
		memcpy(ret_bytes, bytes, nr_bytes);
	return err;
}
