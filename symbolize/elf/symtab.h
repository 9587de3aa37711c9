/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of one file, sorted by their offset in it: the index for names of user frames.
 *
 * Built once per file from .symtab and .dynsym together, of the file itself and of its separate debug file. Lookups are
 * by file offset, which is the same in every process and address-space layout. The rules about which symbol names a
 * place are here and in names.h; docs/reference/symbols.md lists them. A place that no symbol covers has no name: the
 * nearest lower symbol is wrong for two thirds of the places in a stripped library.
 */
#pragma once

#include "core/base/bucket_index.h"
#include "symbolize/elf/elf_file.h"
#include "symbolize/elf/names.h"

/* A symbol takes 16 bytes; a large library has 100,000. */
struct symtab_symbol {
	uint32_t start;        /* in the file, from symtab.base */
	uint32_t size;         /* bytes it covers; 0: only its first */
	uint32_t name;         /* position in its string table */
	uint32_t names : 3;    /* index into symtab.names */
	uint32_t merit : 5;    /* enum symbol_merit: decides which of several at one start is shown */
	uint32_t unsized : 1;  /* the file has no size for it; `size` extends to the next symbol */
	uint32_t ifunc : 1;    /* its code chooses an implementation */
	uint32_t outer : 22;   /* how many symbols before this one the nearest is that ends later; 0: none */
};

/* An executable segment of the running file. For a file with assigned addresses: a section, whose offset is its address. */
struct code_range {
	uint64_t address, offset, size;
};

enum {
	SYMTAB_NAMES = 8
};

struct symtab {
	uint64_t base; /* lowest offset of code */
	uint64_t nr_compared; /* bytes of names compared so far, to choose among symbols at one start */
	bool complete; /* a .symtab was added, not only exported symbols */
	VEC(struct code_range) code;
	VEC(struct symtab_symbol) symbols; /* by start; of those at one start the one to show is last */
	struct bucket_index buckets;
	struct names names[SYMTAB_NAMES]; /* 0: copied names; others: string tables */
};

/* Begins an index for the running file. 0, -ENOMEM, or -EBADMSG: code is outside of the file, or in too many segments. */
int symtab_init(struct symtab *table, const struct elf_file *elf);
void symtab_done(struct symtab *table);

/* Adds the symbols of the running file or of its debug file. Call symtab_finish() afterwards. */
int symtab_add(struct symtab *table, const struct elf_file *elf);

/*
 * For readers of other tables. symtab_add_names() opens a string table in the file and returns its number, or a
 * negative errno. The second function adds a function at a link-time address; `name` is the position of its name in
 * table `names`. Ignores one without a size, or that is not code. 0 or -ENOMEM.
 */
int symtab_add_names(struct symtab *table, const struct elf_file *elf, uint64_t offset, uint64_t nr_bytes);
int symtab_add_function(struct symtab *table, uint64_t address, uint64_t size, unsigned int names, uint32_t name);

/* Sorts, removes duplicates, ranks aliases, limits symbols without a size. May be called again after more symbols were added. */
int symtab_finish(struct symtab *table);

/* The innermost symbol that covers this offset of the file, or NULL. */
const struct symtab_symbol *symtab_lookup(const struct symtab *table, uint64_t offset);

/* The last symbol that starts at or before the offset, even if it does not cover it; NULL if there is none. */
const struct symtab_symbol *symtab_nearest(const struct symtab *table, uint64_t offset);

/*
 * The place of the code at this link-time address: in the file, from symtab.base, and the number of bytes to the end of
 * its segment. False if it is not code, and for code more than 4 GB after the first, which real files do not have.
 */
bool symtab_place(const struct symtab *table, uint64_t address, uint32_t *ret_start, uint64_t *ret_left);

/* The executable segment that contains this link-time address, or NULL. The address of an offset in one of them. */
const struct code_range *symtab_code_at(const struct symtab *table, uint64_t address);
uint64_t symtab_address(const struct symtab *table, uint64_t offset);

/* Loads string tables that were left in the file, of at most so many bytes; and frees them. */
void symtab_load_names(struct symtab *table, uint64_t bytes_max);
void symtab_drop_names(struct symtab *table);

/* The file offset of its first byte, and its name. */
uint64_t symtab_start(const struct symtab *table, const struct symtab_symbol *symbol);
struct name symtab_name(const struct symtab *table, const struct symtab_symbol *symbol, char scratch[NAME_MAX_BYTES]);
