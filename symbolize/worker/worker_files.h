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
	bool debug_done;           /* its debug file was asked for, or is not needed */
	bool debug_asked;          /* its debug file was asked for */
	bool debug_found;          /* and is part of `table` */
	enum symbol_file_kind kind; /* of a map, `map` is all there is */
	struct perf_map map;
	const struct kallsyms *kernel; /* all there is of the kernel, borrowed; NULL for files */
	struct build_id build_id;
	struct debug_link link;
	struct symtab table;
	struct plt plt;
	struct frame_ranges frame_ranges;
	struct ifuncs ifuncs;
	int lines_fd; /* of the file that has the debug information: this one, or its debug file; -1 none, or not wanted */
	int lines_err; /* of keeping that file; 0 */
	int usdt_err; /* of reading the notes */
	struct usdt_notes usdt;
};

struct indexed_files {
	VEC(struct indexed_file *) files; /* some hundred at most, and looked up once per message */
	struct indexed_file *asked; /* the last one that was asked about, and about how many places since then */
	uint64_t nr_asked;
	bool identify_only; /* their build ids, and SYMBOL_NO_TABLE */
	bool keep_lines; /* keep what has debug information open */
	int max_fd; /* up to this descriptor */
};

/* Indexes the file of the descriptor, of enum symbol_file_kind, as this number, which must be new. Its status. */
enum symbol_status indexed_files_add(struct indexed_files *files, uint32_t number, int fd, uint32_t kind);

/* Forgets a file or a perf map; nothing for a number that is not known. */
void indexed_files_drop(struct indexed_files *files, uint32_t number);

/* The file of a number, or NULL. */
struct indexed_file *indexed_files_get(const struct indexed_files *files, uint32_t number);

/*
 * Adds what its debug file knows. True if it is the right one: its build id is that of the file, or where the file has
 * none, its checksum is that of the debug link. The index stays as it was when it is not.
 */
bool indexed_file_add_debug(const struct indexed_files *files, struct indexed_file *file, int fd);

/* Names of so many places were asked for. If they are many, all names of the file are loaded, until another is asked. */
void indexed_files_note_asked(struct indexed_files *files, struct indexed_file *file, size_t nr);

/* What is at an offset of the file. */
struct found_place {
	const void *identity; /* the same for each place of one function */
	struct name name; /* mangled; points into the index or into `scratch` */
	uint64_t start; /* of the function, in the file */
	bool nameless; /* known by its entry in .eh_frame only; the name has its address */
};

/*
 * The function that covers an offset of a readable file: a symbol, else a stub of the procedure linkage table, else an
 * entry of .eh_frame. False when nothing does.
 */
bool indexed_file_lookup(const struct indexed_file *file, uint64_t offset, char scratch[NAME_MAX_BYTES],
			 struct found_place *ret_place);

/* The status of errors of the parsers. */
enum symbol_status symbol_status_of(int err);
