/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes ELF images byte by byte, good ones and bad ones: symbols and segments go in, a file in memory comes out.
 *
 *	struct elf_writer elf;
 *	elf_writer_init(&elf, ET_DYN);
 *	elf_writer_code(&elf, 0x2000, 0x1000, 0x3000);       code at address 0x2000, offset 0x1000
 *	elf_writer_symbol(&elf, SYMTAB, "main", 0x2010, 0x20, STT_FUNC, STB_GLOBAL);
 *	elf_writer_finish(&elf);                             elf.image may be spoilt after this
 *	fd = elf_writer_fd(&elf);
 */
#pragma once

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/vec.h"

enum writer_table {
	SYMTAB,
	DYNSYM
};

/* Section numbers of a finished image. */
enum writer_section {
	SECTION_NONE,
	SECTION_TEXT,
	SECTION_SYMTAB,
	SECTION_STRTAB,
	SECTION_DYNSYM,
	SECTION_DYNSTR,
	SECTION_NOTE,
	SECTION_PROBES, /* .note.stapsdt */
	SECTION_BASE,   /* .stapsdt.base */
	SECTION_NAMES,
	SECTION_NR
};

/* A section of any kind; its number is SECTION_NR + its place. */
struct elf_writer_extra {
	Elf64_Shdr header; /* sh_offset and sh_size are filled in at the end */
	const char *name;
	const void *bytes; /* borrowed until the end */
};

struct elf_writer {
	uint16_t type, machine;
	bool is_32, no_sections, gnu_hash; /* set between init and finish */
	bool note_only_as_section;
	uint64_t address_bias; /* of the segment that maps the tables, for files without sections */
	VEC(Elf64_Phdr) segments;
	VEC(Elf64_Sym) symbols[2];
	VEC(char) names[2];
	VEC(char) notes;
	VEC(char) probes; /* content of .note.stapsdt */
	VEC(struct elf_writer_extra) extras;
	uint64_t probe_base; /* address of .stapsdt.base; 0: there is none */
	VEC(char) image; /* after finish */
	uint64_t sections_offset;
};

void elf_writer_init(struct elf_writer *elf, uint16_t type);
void elf_writer_done(struct elf_writer *elf);

/* An executable segment; the first one becomes section .text. */
void elf_writer_code(struct elf_writer *elf, uint64_t address, uint64_t offset, uint64_t size);
void elf_writer_segment(struct elf_writer *elf, const Elf64_Phdr *segment);

/* A symbol of section .text; returns its index for elf_writer_last(). */
void elf_writer_symbol(struct elf_writer *elf, enum writer_table table, const char *name, uint64_t value, uint64_t size,
		       unsigned char type, unsigned char binding);
Elf64_Sym *elf_writer_last(struct elf_writer *elf, enum writer_table table);

/* A global function, which most symbols are. */
void elf_writer_function(struct elf_writer *elf, const char *name, uint64_t value, uint64_t size);

void elf_writer_build_id(struct elf_writer *elf, const void *bytes, uint32_t nr_bytes);

/*
 * A note of a USDT probe: three addresses, of the class of the file, and `texts`, which are provider, name and arguments
 * with a NUL after each.
 */
void elf_writer_probe(struct elf_writer *elf, uint64_t address, uint64_t base, uint64_t semaphore, const char *texts,
		      uint32_t nr_texts);

/* A section with this content; `header` says its type, flags, address, link and entry size. */
void elf_writer_extra(struct elf_writer *elf, const char *name, const Elf64_Shdr *header, const void *bytes,
		      size_t nr_bytes);

void elf_writer_finish(struct elf_writer *elf);

/* Parts of a finished 64-bit image. */
Elf64_Ehdr *elf_writer_header(struct elf_writer *elf);
Elf64_Phdr *elf_writer_segment_header(struct elf_writer *elf, size_t i);
Elf64_Shdr *elf_writer_section(struct elf_writer *elf, enum writer_section section);

/* A file in memory with the first `nr_bytes` of the image, or all of it. */
int elf_writer_fd(const struct elf_writer *elf);
int memory_file(const void *bytes, size_t nr_bytes);
