/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The call frame information of an ELF file, as bytes in memory: .eh_frame, by its section or, where sections are
 * stripped, by PT_GNU_EH_FRAME; static glibc programs have only the former. And .debug_frame, compressed or not.
 */
#pragma once

#include "symbolize/elf_file.h"

struct unwind_section {
	uint8_t *bytes; /* malloc()ed */
	size_t nr;
	uint64_t address; /* of bytes[0]; 0 for .debug_frame, which is not loaded */
	bool is_debug; /* .debug_frame: CIEs are recognised and pointed to in another way */
	bool ends_at_zero; /* its size is not known: an entry without length is the last one */
};

/* -ENODATA when the file has none; else as in elf_file.h. */
int unwind_section_eh(const struct elf_file *elf, struct unwind_section *ret_section);
int unwind_section_debug(const struct elf_file *elf, struct unwind_section *ret_section);

/* Go's table of functions, .gopclntab; its address is not told. */
int unwind_section_go(const struct elf_file *elf, struct unwind_section *ret_section);

void unwind_section_done(struct unwind_section *section);
