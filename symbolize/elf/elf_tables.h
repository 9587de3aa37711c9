/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the symbol tables of an ELF file: by section headers, or without these by the dynamic segment, which it also reads. */
#pragma once

#include "symbolize/elf/elf_section.h"

#define SYMBOLS_MAX (8u << 20)

struct elf_table {
	uint64_t offset, nr; /* of the symbols */
	uint64_t names_offset, names_bytes; /* of their string table */
	bool dynamic; /* .dynsym */
};

#define ELF_TABLES_MAX 2

/* Finds .symtab and .dynsym, with ranges inside the file. Returns 0 with their number (perhaps 0), or an error of elf_file.h. */
int elf_tables_find(const struct elf_file *elf, struct elf_table ret_tables[ELF_TABLES_MAX], size_t *ret_nr);

typedef VEC(Elf64_Dyn) elf_dynamic;

/*
 * Reads the dynamic segment, as far as possible, at most 4096 entries. The caller always frees the vector. Returns 0, -ENODATA if there is
 * none, or an error of elf_file.h.
 */
int elf_dynamic_read(const struct elf_file *elf, elf_dynamic *ret_dynamic);

/* The value of the last entry with this tag; 0: none. */
uint64_t elf_dynamic_value(const elf_dynamic *dynamic, int64_t tag);

static inline size_t elf_symbol_size(const struct elf_file *elf)
{
	return elf->is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
}
