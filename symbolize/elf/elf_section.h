/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A section, compressed or not (also .zdebug_… for .debug_…), read through a moving window: DWARF is read unit by unit, so memory for one
 * unit is enough. Small sections are read whole.
 *
 * While bytes of a section are in use, read nothing outside of them, because that moves the window. Reading within them is safe.
 */
#pragma once

#include "core/base/byte_reader.h"
#include "symbolize/elf/elf_file.h"

struct section_unpacker;

struct elf_section {
	const struct elf_file *elf; /* borrowed; NULL: there is no such section */
	uint64_t offset; /* in the file, unless compressed */
	uint64_t nr_bytes;
	uint64_t whole_max; /* sections up to this size are read whole; also the limit of reading ahead */
	struct section_unpacker *unpacker; /* of a compressed section */
	unsigned char *window;
	uint64_t window_start;
	size_t window_nr, window_room;
};

/* Whether the file has this section, with contents. */
bool elf_section_exists(const struct elf_file *elf, const char *name);

/*
 * Opens a section; the file must outlive it. `whole_max` 0: the window has only the requested bytes, so it moves as often as possible.
 * Returns 0, -ENODATA if there is none (reads then fail), -EBADMSG for a malformed header, or -ENOMEM.
 */
int elf_section_open(struct elf_section *section, const struct elf_file *elf, const char *name, uint64_t whole_max);
void elf_section_done(struct elf_section *section);

/* Opens a range of the file like a section, limited to the size of the file; for tables that are read in order. */
struct elf_section elf_section_of_range(const struct elf_file *elf, uint64_t offset, uint64_t nr_bytes);

/* Reads a whole section into malloc()ed memory. Errors as elf_section_open(); -EBADMSG also if it is damaged or larger than 128 MB. */
int elf_section_whole(const struct elf_file *elf, const char *name, uint8_t **ret_bytes, size_t *ret_nr);

/*
 * These bytes, valid until the next call for the section. `bad`: the section is shorter, they cannot be unpacked, or they exceed a window
 * (128 MB).
 */
struct byte_reader elf_section_bytes(struct elf_section *section, uint64_t offset, uint64_t nr_bytes);

/* The same for at most `nr_bytes`: fewer at the end of the section. */
struct byte_reader elf_section_some(struct elf_section *section, uint64_t offset, uint64_t nr_bytes);

/* The string at a place; NULL if there is none, or if it exceeds 16 KB. Valid until the next call for the section. */
const char *elf_section_string(struct elf_section *section, uint64_t offset);

/* The same for a string that ends before `end`; reads nothing beyond. */
const char *elf_section_string_before(struct elf_section *section, uint64_t offset, uint64_t end);

/* Moves the window to these bytes. Returns 0, -EBADMSG if the section is shorter or cannot be unpacked, or -ENOMEM. */
int elf_section_see(struct elf_section *section, uint64_t offset, uint64_t nr_bytes);

/* Like elf_section_bytes(), but NULL and *ret_err instead of `bad`. Inline, because tables have 100,000 entries. */
static inline const void *elf_section_at(struct elf_section *section, uint64_t offset, size_t nr_bytes, int *ret_err)
{
	uint64_t at = offset - section->window_start;

	if (at <= section->window_nr && nr_bytes <= section->window_nr - at)
		return section->window + at;
	*ret_err = elf_section_see(section, offset, nr_bytes);
	return *ret_err ? NULL : section->window + (offset - section->window_start);
}

/* Copies these bytes. Returns 0, or an error of elf_section_see(). */
static inline int elf_section_read(struct elf_section *section, uint64_t offset, void *ret_bytes, size_t nr_bytes)
{
	int err = 0;
	const void *bytes = elf_section_at(section, offset, nr_bytes, &err);

	if (bytes)
		memcpy(ret_bytes, bytes, nr_bytes);
	return err;
}
