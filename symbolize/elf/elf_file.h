/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A bounded reader of ELF files: headers, segments, sections, notes, by pread().
 *
 * Files are not trusted: counts are limited, and each range is checked against the size of the file without overflow. Nothing is mapped, so
 * a file that shrinks meanwhile causes an error, not a signal. 32-bit headers are converted to 64 bits. Files of the other byte order are
 * refused.
 *
 * Errors: -ENOEXEC not an ELF file (of this byte order), -EBADMSG malformed or truncated, -ENODATA the item is not in the file, -ENOMEM.
 */
#pragma once

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/notes.h"
#include "core/base/vec.h"

struct elf_file {
	int fd; /* borrowed; -1: the file is in memory */
	const unsigned char *memory; /* borrowed, `size` bytes; NULL: use the descriptor */
	uint64_t size;
	bool is_64;
	bool is_laid_out; /* by elf_file_lay_out() */
	uint16_t type, machine;
	uint64_t entry; /* address of the first instruction; 0: none */
	uint32_t section_names; /* number of the section with section names; 0: none */
	VEC(char) names; /* of sections; empty if there are too many, which are then read one by one */
	VEC(Elf64_Phdr) segments;
	VEC(Elf64_Shdr) sections;
};

/* Reads the headers. The descriptor must outlive the reader. */
int elf_file_open(struct elf_file *elf, int fd);

/* The same for a file in memory, which must outlive the reader. */
int elf_file_open_memory(struct elf_file *elf, const void *bytes, size_t nr_bytes);
void elf_file_done(struct elf_file *elf);

/*
 * Assigns addresses to the loaded sections of an object file (ET_REL, such as a kernel module), which has none: its addresses count from
 * their section. A file and its debug file get the same ones. Returns 0, -ENOEXEC for a 32-bit file or another type, or -EBADMSG.
 */
int elf_file_lay_out(struct elf_file *elf);

/* Reads exactly `nr_bytes`; -EBADMSG if the file is too short. */
int elf_file_read(const struct elf_file *elf, uint64_t offset, void *ret_bytes, size_t nr_bytes);

/* The same into malloc()ed memory, followed by a NUL. NULL with *ret_err: -EBADMSG (also above `max` bytes) or -ENOMEM. */
void *elf_file_copy(const struct elf_file *elf, uint64_t offset, uint64_t nr_bytes, uint64_t max, int *ret_err);

/* Whether the range is in the file. */
bool elf_file_holds(const struct elf_file *elf, uint64_t offset, uint64_t nr_bytes);

/* NULL: no such section. */
static inline const Elf64_Shdr *elf_file_section_number(const struct elf_file *elf, uint64_t number)
{
	return number < elf->sections.nr ? &elf->sections.data[number] : NULL;
}

/* Whether a section has this name; the first such section, or NULL. */
bool elf_file_section_is(const struct elf_file *elf, const Elf64_Shdr *section, const char *name);
const Elf64_Shdr *elf_file_section(const struct elf_file *elf, const char *name);

/* Convert between link-time addresses and file offsets, by the loadable segments. -ENODATA: in no segment. */
int elf_file_offset_of_address(const struct elf_file *elf, uint64_t address, uint64_t *ret_offset);
int elf_file_address_of_offset(const struct elf_file *elf, uint64_t offset, uint64_t *ret_address);

/* NULL: no such segment. */
const Elf64_Phdr *elf_file_segment(const struct elf_file *elf, uint32_t type);

/* The loadable segment with these flags (PF_X, PF_W, or 0) whose bytes in the file contain the address, or NULL. */
const Elf64_Phdr *elf_file_segment_at(const struct elf_file *elf, uint64_t address, uint32_t flags);

/* The GNU build id, from segments of notes, else from sections. -ENODATA: none. */
int elf_file_build_id(const struct elf_file *elf, struct build_id *ret_id);
