/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files that a worker has indexed, by the caller's numbers. */
#pragma once

#include "core/base/vec.h"
#include "symbolize/elf/debug_link.h"
#include "symbolize/elf/frame_ranges.h"
#include "symbolize/elf/ifunc.h"
#include "symbolize/elf/plt.h"
#include "symbolize/elf/symtab.h"
#include "symbolize/elf/usdt.h"
#include "symbolize/jit/perf_map.h"
#include "symbolize/kernel/kallsyms.h"
#include "symbolize/symbolize.h"

struct indexed_file {
	uint32_t number;
	enum symbol_status status; /* of reading it */
	bool debug_done;           /* its debug file was requested, or is not needed */
	bool debug_asked;          /* its debug file was requested */
	bool debug_found;          /* and is part of `table` */
	enum symbol_file_kind kind; /* for a map, only `map` is used */
	struct perf_map map;
	const struct kallsyms *kernel; /* for the kernel, only this is used; borrowed; NULL for files */
	struct build_id build_id;
	struct debug_link link;
	struct symtab table;
	struct plt plt;
	struct frame_ranges frame_ranges;
	struct ifuncs ifuncs;
	int lines_fd; /* the file with the debug information: this one, or its debug file; -1: none, or not needed */
	int lines_err; /* why that file could not be kept; 0 */
	int usdt_err; /* why the notes could not be read; 0 */
	struct usdt_notes usdt;
};

struct indexed_files {
	VEC(struct indexed_file *) files; /* a few hundred at most, looked up once for each message */
	struct indexed_file *asked; /* the last one in a question, and the number of places in questions about it */
	uint64_t nr_asked;
	bool identify_only; /* read only build ids, and answer SYMBOL_NO_TABLE */
	bool keep_lines; /* keep files with debug information open */
	int max_fd; /* only while descriptors are below this */
};

/* Indexes the file of the descriptor, of enum symbol_file_kind, under this number, which must be new. Returns its status. */
enum symbol_status indexed_files_add(struct indexed_files *files, uint32_t number, int fd, uint32_t kind);

/* Forgets a file or a perf map; does nothing if the number is unknown. */
void indexed_files_drop(struct indexed_files *files, uint32_t number);

/* The file with this number, or NULL. */
struct indexed_file *indexed_files_get(const struct indexed_files *files, uint32_t number);

/*
 * Adds the symbols of a debug file. False, and no change, if it is the wrong one: the build id must be that of the
 * file; if the file has none, the checksum must be that of the debug link.
 */
bool indexed_file_add_debug(const struct indexed_files *files, struct indexed_file *file, int fd);

/* Counts questions about names. After many, all names of the file are loaded, until another file is in a question. */
void indexed_files_note_asked(struct indexed_files *files, struct indexed_file *file, size_t nr);

/* What is at an offset of the file. */
struct found_place {
	const void *identity; /* the same for all places of one function */
	struct name name; /* mangled; points into the index or into `scratch` */
	uint64_t start; /* of the function, in the file */
	bool nameless; /* only an entry in .eh_frame covers it; the name has its address */
};

/*
 * The function that covers an offset of a readable file: a symbol, else a stub of the procedure linkage table, else an
 * entry of .eh_frame. A symbol without a size ends where the next such entry begins. False if there is none.
 */
bool indexed_file_lookup(const struct indexed_file *file, uint64_t offset, char scratch[NAME_MAX_BYTES],
			 struct found_place *ret_place);

/* The status for an error of the parsers. */
enum symbol_status symbol_status_of(int err);
