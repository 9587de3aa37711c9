/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of one file, sorted by their offset in it: the index for the names of user frames.
 *
 * Built once per file from .symtab and .dynsym together, of the file itself and of its separate debug file, and looked
 * up by file offset, which is the same in every process and address-space layout. All rules about which symbol names a
 * place are here and in names.h; docs/reference/symbols.md lists them. A place that no symbol covers has no name:
 * the nearest lower symbol is wrong for two thirds of the places in a stripped library.
 */
#pragma once

#include "core/base/bucket_index.h"
#include "symbolize/elf/elf_file.h"
#include "symbolize/elf/names.h"

/* 16 bytes each; a large library has 100,000 of them. */
struct symtab_symbol {
	uint32_t start;        /* in the file, from symtab.base */
	uint32_t size;         /* bytes it covers; 0: only its first */
	uint32_t name;         /* position in its names */
	uint32_t names : 3;    /* index into symtab.names */
	uint32_t merit : 5;    /* enum symbol_merit: which of several at one start to show */
	uint32_t unsized : 1;  /* the file gives no size; `size` reaches to the next symbol */
	uint32_t ifunc : 1;    /* its code chooses an implementation */
	uint32_t outer : 22;   /* how many symbols back the nearest one that ends later starts; 0 none */
};

/* An executable segment of the running file; of a file that was laid out, a section: its offset is its address. */
struct code_range {
	uint64_t address, offset, size;
};

enum {
	SYMTAB_NAMES = 8
};

struct symtab {
	uint64_t base; /* lowest offset of code */
	uint64_t nr_compared; /* bytes of names, to choose among symbols at one start */
	bool complete; /* a .symtab was among what was added, not only the exported symbols */
	VEC(struct code_range) code;
	VEC(struct symtab_symbol) symbols; /* by start; at one start the one to show is last */
	struct bucket_index buckets;
	struct names names[SYMTAB_NAMES]; /* 0: names copied together, others: string tables */
};

/* Prepares an empty index for the file that processes run; -EBADMSG when its code lies outside of it. */
int symtab_init(struct symtab *table, const struct elf_file *elf);
void symtab_done(struct symtab *table);

/* Adds the symbols of a file: the running one or its debug file. Call symtab_finish() afterwards. */
int symtab_add(struct symtab *table, const struct elf_file *elf);

/*
 * For readers of other tables. The first one opens a string table in the file and returns its number, or a negative
 * errno. The second one adds a function at a link-time address; `name` is the position of its name in table `names`.
 * What has no size or is not code is passed over. 0 or -ENOMEM.
 */
int symtab_add_names(struct symtab *table, const struct elf_file *elf, uint64_t offset, uint64_t nr_bytes);
int symtab_add_function(struct symtab *table, uint64_t address, uint64_t size, unsigned int names, uint32_t name);

/* Sorts, drops duplicates, ranks aliases, bounds symbols without size. May be called again after a further add. */
int symtab_finish(struct symtab *table);

/* The symbol that covers this offset of the file, the innermost one; NULL when none does. */
const struct symtab_symbol *symtab_lookup(const struct symtab *table, uint64_t offset);

/* The last symbol that starts at or before it, whether it covers it or not; NULL when there is none. */
const struct symtab_symbol *symtab_nearest(const struct symtab *table, uint64_t offset);

/*
 * Where the code at this link-time address is: in the file, from symtab.base, and how many bytes are left of its segment.
 * False for what is no code, and for code more than 4 GB after the first, which no real file has.
 */
bool symtab_place(const struct symtab *table, uint64_t address, uint32_t *ret_start, uint64_t *ret_left);

/* The executable segment that holds this link-time address, or NULL; and the address of an offset in one of them. */
const struct code_range *symtab_code_at(const struct symtab *table, uint64_t address);
uint64_t symtab_address(const struct symtab *table, uint64_t offset);

/* Loads string tables of at most so many bytes that were left in the file; and lets go of them. */
void symtab_load_names(struct symtab *table, uint64_t bytes_max);
void symtab_drop_names(struct symtab *table);

/* Its first byte in the file, and its name. */
uint64_t symtab_start(const struct symtab *table, const struct symtab_symbol *symbol);
struct name symtab_name(const struct symtab *table, const struct symtab_symbol *symbol, char scratch[NAME_MAX_BYTES]);
