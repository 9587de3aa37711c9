/* SPDX-License-Identifier: GPL-2.0-or-later */
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
	enum symbol_status status; /* the result of reading the file */
	bool debug_done;           /* its debug file was requested, or is not needed */
	bool debug_asked;          /* its debug file was requested */
	bool debug_found;          /* its debug file is part of `table` */
	enum symbol_file_kind kind; /* for a map, only `map` is used */
	struct perf_map map;
	const struct kallsyms *kernel; /* set for the kernel: then nothing else is used; borrowed; NULL for files */
	struct build_id build_id;
	struct debug_link link;
	struct symtab table;
	struct plt plt;
	struct frame_ranges frame_ranges;
	struct ifuncs ifuncs;
	int lines_fd; /* the file with the debug information (the file itself or its debug file); -1: none, or not needed */
	int lines_err; /* 0, or the error why lines_fd could not be kept */
	int usdt_err; /* 0, or the error of reading the notes */
	struct usdt_notes usdt;
};

struct indexed_files {
	VEC(struct indexed_file *) files; /* a few hundred at most; one lookup per message */
	/* the file of the last request, and the number of places in consecutive requests about it */
	struct indexed_file *asked;
	uint64_t nr_asked;
	bool data; /* index variables too */
	bool identify_only; /* read only build ids; the status is SYMBOL_NO_TABLE */
	bool keep_lines; /* keep files with debug information open */
	int max_fd; /* up to this descriptor */
};

/* Indexes the file of `fd` under `number`, which must be new. `kind`: enum symbol_file_kind. Returns the file's status. */
enum symbol_status indexed_files_add(struct indexed_files *files, uint32_t number, int fd, uint32_t kind);

/* Removes a file or a perf map; does nothing if the number is unknown. */
void indexed_files_drop(struct indexed_files *files, uint32_t number);

/* Returns the file with this number, or NULL. */
struct indexed_file *indexed_files_get(const struct indexed_files *files, uint32_t number);

/*
 * Adds the symbols of a debug file. Returns false, without a change, if it is the wrong one: its build id must be the file's or, if the
 * file has none, its checksum must be that of the debug link.
 */
bool indexed_file_add_debug(const struct indexed_files *files, struct indexed_file *file, int fd);

/* Counts requests about names. After many, loads all names of the file until another file is requested. */
void indexed_files_note_asked(struct indexed_files *files, struct indexed_file *file, size_t nr);

/* The function at an offset of a file. */
struct found_place {
	const void *identity; /* the same for all places of one function */
	struct name name; /* mangled; points into the index or into `scratch` */
	uint64_t start; /* file offset of the function */
	bool nameless; /* only an entry in .eh_frame covers the place; the name has its address */
};

/*
 * Finds the function that covers an offset of a readable file: a symbol, else a stub of the procedure linkage table, else an entry of
 * .eh_frame. A symbol without a size ends where the next .eh_frame entry begins. Returns false if there is none.
 */
bool indexed_file_lookup(const struct indexed_file *file, uint64_t offset, char scratch[NAME_MAX_BYTES],
			 struct found_place *ret_place);

/* Returns the status for an error of the parsers. */
enum symbol_status symbol_status_of(int err);
