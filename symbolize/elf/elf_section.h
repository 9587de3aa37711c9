/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A section, compressed or not (also .zdebug_… in the place of .debug_…), read through a window that moves: DWARF is read
 * unit by unit, and memory is for one unit, not for all of them. Small sections are held whole.
 *
 * While you use bytes of a section, read nothing else of it that lies outside of them: the window would move. What lies
 * within them is always in the window.
 */
#pragma once

#include "core/base/byte_reader.h"
#include "symbolize/elf/elf_file.h"

struct section_unpacker;

struct elf_section {
	const struct elf_file *elf; /* borrowed; NULL: there is no such section */
	uint64_t offset; /* in the file, unless it is compressed */
	uint64_t nr_bytes;
	uint64_t whole_max; /* held whole up to this size, and no more is read ahead */
	struct section_unpacker *unpacker; /* of a compressed one */
	unsigned char *window;
	uint64_t window_start;
	size_t window_nr, window_room;
};

/* Whether the file has content under this name. */
bool elf_section_exists(const struct elf_file *elf, const char *name);

/*
 * Opens the section of this name; the file must outlive it. With `whole_max` 0 the window has what is asked for and no
 * more, so that it moves as often as it can. 0, -ENODATA when there is none (reads then fail), -EBADMSG when its header
 * lies, -ENOMEM.
 */
int elf_section_open(struct elf_section *section, const struct elf_file *elf, const char *name, uint64_t whole_max);
void elf_section_done(struct elf_section *section);

/* A range of the file as such a section, as far as the file has it: to read a table from its beginning to its end. */
struct elf_section elf_section_of_range(const struct elf_file *elf, uint64_t offset, uint64_t nr_bytes);

/* All of it at once, malloc()ed: as elf_section_open(), and -EBADMSG for one that is damaged or beyond 128 MB. */
int elf_section_whole(const struct elf_file *elf, const char *name, uint8_t **ret_bytes, size_t *ret_nr);

/*
 * These bytes, valid until the next call for the section; `bad` when it has fewer, when they cannot be unpacked, and
 * when they are more than a window may hold (128 MB).
 */
struct byte_reader elf_section_bytes(struct elf_section *section, uint64_t offset, uint64_t nr_bytes);

/* The same, of at most `nr_bytes`: fewer at the end of the section. */
struct byte_reader elf_section_some(struct elf_section *section, uint64_t offset, uint64_t nr_bytes);

/* The string there; NULL when there is none, or one of more than 16 KB. Valid until the next call for the section. */
const char *elf_section_string(struct elf_section *section, uint64_t offset);

/* The same, of one that ends before `end`; nothing from there on is read. */
const char *elf_section_string_before(struct elf_section *section, uint64_t offset, uint64_t end);

/* Brings these bytes into the window. 0, -EBADMSG when it has fewer, or when they cannot be unpacked, -ENOMEM. */
int elf_section_see(struct elf_section *section, uint64_t offset, uint64_t nr_bytes);

/* These bytes, as elf_section_bytes(); NULL and *ret_err where that is `bad`. Inline: tables have 100,000 entries. */
static inline const void *elf_section_at(struct elf_section *section, uint64_t offset, size_t nr_bytes, int *ret_err)
{
	uint64_t at = offset - section->window_start;

	if (at <= section->window_nr && nr_bytes <= section->window_nr - at)
		return section->window + at;
	*ret_err = elf_section_see(section, offset, nr_bytes);
	return *ret_err ? NULL : section->window + (offset - section->window_start);
}

/* Copies these bytes. 0, or as elf_section_see(). */
static inline int elf_section_read(struct elf_section *section, uint64_t offset, void *ret_bytes, size_t nr_bytes)
{
	int err = 0;
	const void *bytes = elf_section_at(section, offset, nr_bytes, &err);

	if (bytes)
		memcpy(ret_bytes, bytes, nr_bytes);
	return err;
}
