/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of one file, sorted by file offset: the index for names of user frames.
 *
 * Built once per file from .symtab and .dynsym, of the file and of its separate debug file. A file offset is the same in every process. The
 * rules about which symbol names a place are here and in names.h; docs/reference/symbols.md lists them. A place that no symbol covers has
 * no name: in a stripped library, the nearest lower symbol is wrong for two thirds of all places.
 */
#pragma once

#include "core/base/bucket_index.h"
#include "symbolize/elf/elf_file.h"
#include "symbolize/elf/names.h"

/* 16 bytes; a large library has 100,000 symbols. */
struct symtab_symbol {
	uint32_t start;        /* file offset from symtab.base */
	uint32_t size;         /* covered bytes; 0: only the first */
	uint32_t name;         /* position in its string table */
	uint32_t names : 3;    /* index into symtab.names */
	uint32_t merit : 5;    /* enum symbol_merit */
	uint32_t unsized : 1;  /* the file has no size; `size` extends to the next symbol */
	uint32_t ifunc : 1;    /* its code is a resolver (ifunc.h) */
	uint32_t outer : 22;   /* distance to the nearest earlier symbol that ends later; 0: none */
};

/* An executable segment. In a file with assigned addresses: a section, whose offset is its address. */
struct code_range {
	uint64_t address, offset, size;
};

enum {
	SYMTAB_NAMES = 8
};

struct symtab {
	uint64_t base; /* lowest file offset of code */
	uint64_t nr_compared; /* bytes of names compared, among symbols at one start */
	bool complete; /* has a .symtab, not only exported symbols */
	bool has_data; /* symtab_want_data() */
	VEC(struct code_range) code;
	VEC(struct symtab_symbol) symbols; /* by start; of those at one start, the one to show is last */
	struct bucket_index buckets;
	struct names names[SYMTAB_NAMES]; /* [0]: copied names; others: string tables */
};

/* Begins an index for a file. Returns 0, -ENOMEM, or -EBADMSG if code is outside the file or in too many segments. */
int symtab_init(struct symtab *table, const struct elf_file *elf);
void symtab_done(struct symtab *table);

/*
 * After symtab_init(): variables are added like functions. Their segments follow the code at the distances that they have in memory, as
 * .bss is not in the file. 0, -ENOMEM or -EBADMSG; then the table is empty.
 */
int symtab_want_data(struct symtab *table, const struct elf_file *elf);

/* Adds the symbols of the file or of its debug file; then call symtab_finish(). */
int symtab_add(struct symtab *table, const struct elf_file *elf);

/*
 * For readers of other tables. symtab_add_names() opens a string table in the file and returns its number, or a negative errno.
 * symtab_add_function() adds a function at a link-time address, with its name at position `name` of string table `names`; ignores one
 * without size or outside the code. Returns 0 or -ENOMEM.
 */
int symtab_add_names(struct symtab *table, const struct elf_file *elf, uint64_t offset, uint64_t nr_bytes);
int symtab_add_function(struct symtab *table, uint64_t address, uint64_t size, unsigned int names, uint32_t name);

/* Sorts, removes duplicates, ranks aliases, limits symbols without size. May be called again after further additions. */
int symtab_finish(struct symtab *table);

/* The innermost symbol that covers this file offset, or NULL. */
const struct symtab_symbol *symtab_lookup(const struct symtab *table, uint64_t offset);

/* The last symbol that starts at or before the offset; NULL: none. */
const struct symtab_symbol *symtab_nearest(const struct symtab *table, uint64_t offset);

/*
 * For code at a link-time address: its file offset from symtab.base, and the bytes to the end of its segment. False if it is not code, or
 * more than 4 GB after the first code.
 */
bool symtab_place(const struct symtab *table, uint64_t address, uint32_t *ret_start, uint64_t *ret_left);

/* Return the executable segment of a link-time address, or NULL; the link-time address of a file offset in an executable segment. */
const struct code_range *symtab_code_at(const struct symtab *table, uint64_t address);
uint64_t symtab_address(const struct symtab *table, uint64_t offset);

/* Whether the offset is in code, or in data of symtab_want_data(). */
bool symtab_has_place(const struct symtab *table, uint64_t offset);

/* Load the string tables that were left in the file, each up to `bytes_max`; free these copies. */
void symtab_load_names(struct symtab *table, uint64_t bytes_max);
void symtab_drop_names(struct symtab *table);

/* The file offset of the first byte, and the name. */
uint64_t symtab_start(const struct symtab *table, const struct symtab_symbol *symbol);
struct name symtab_name(const struct symtab *table, const struct symtab_symbol *symbol, char scratch[NAME_MAX_BYTES]);
