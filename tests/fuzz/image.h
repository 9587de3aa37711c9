/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program that is valid but for one section, whose bytes are the input. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "symbolize/elf/symtab.h"
#include "symbolize/elf/usdt.h"

enum {
	IMAGE_CODE_OFFSET = 0x400,
	IMAGE_CODE_BYTES = 0x1000,
	IMAGE_CODE_END = IMAGE_CODE_OFFSET + IMAGE_CODE_BYTES,
	IMAGE_CONTENT_MAX_BYTES = 1 << 20,
};

struct image_section {
	const char *name; /* at most 30 bytes */
	uint32_t type;
	uint32_t alignment; /* of notes */
	uint32_t segment; /* PT_NOTE, or PT_NULL: no segment has them */
	const uint8_t *content;
	size_t size;
};

/*
 * Such a program, malloc()ed. Its code is at the addresses 0x1000, as in position independent programs, and 0x401000; at
 * 0x8000 the same bytes are data.
 */
unsigned char *image_make(const struct image_section *section, size_t *ret_nr);

/* Ends the program when a symbol that covers a place in the code is not valid. */
void image_check_symbols(const struct symtab *table);

/* The same for probes: places in the file, strings in the table. */
void image_check_probes(const struct usdt_notes *notes, const struct elf_file *elf);
