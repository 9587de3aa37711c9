/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the passes of source_search.c: names and files that are still to be found, and strings. */
#pragma once

#include "symbolize/dwarf/dwarf_splits.h"
#include "symbolize/dwarf/line_program.h"

/* The file of a call, to be found in a line program. 16 bytes, for radix_sort(), like the next three structs. */
struct wanted_file {
	uint64_t program;
	uint32_t number, frame; /* number of the file in the program; index into source_batch.frames */
};

/* A string of .debug_str: name of a frame, or a directory. */
struct wanted_text {
	uint64_t offset; /* may have IN_ALTERNATE */
	uint32_t of;     /* index into source_batch.frames or search.directories */
	uint32_t is_directory;
};

/* The name of a frame, to be found from an entry in another unit. */
struct wanted_entry {
	uint64_t offset; /* in .debug_info; may have IN_ALTERNATE */
	uint32_t frame;
	uint32_t fallback; /* index into search.fallbacks: the name if none is found */
};

struct unit_directory {
	uint64_t program;
	uint64_t path; /* const char * as a number, for radix_sort(); 0: unknown */
};

struct unit_place {
	uint64_t offset;
	bool is_left;
};

struct search {
	struct dwarf *dwarf;
	struct source_batch *batch;
	bool inlines;
	struct abbrevs abbrevs;
	VEC(struct unit_place) units[2]; /* of the file and of the alternate file */
	VEC(struct wanted_file) files;
	VEC(struct wanted_text) texts;
	VEC(struct wanted_entry) entries;
	VEC(struct dwarf_text) fallbacks;
	VEC(struct unit_directory) directories;
};

/* Frees the vectors, not the file or the batch. */
void search_done(struct search *search);

/* The file of an offset that may have IN_ALTERNATE; NULL: there is no alternate file. */
static inline struct dwarf *search_file(const struct search *search, uint64_t offset)
{
	return offset & IN_ALTERNATE ? search->dwarf->alternate : search->dwarf;
}

/* Leaves an unreadable unit to libdw, unless it is a split unit. Returns 0 or -ENOMEM. */
int search_leave(struct search *search, uint32_t unit);

/* Reads a string; NULL: none. Valid until the next access to its section. */
const char *search_read_text(struct search *search, const struct dwarf_text *text);

/*
 * Requests a string: the name of frame `of`, or the path of directory `of`. search_texts() reads all requested ones. Return 0 or -ENOMEM.
 */
int search_want_text(struct search *search, const struct dwarf_text *text, uint32_t of, bool is_directory);
int search_texts(struct search *search);

/* search_lines.c: runs the line programs. Returns 0, -ENOMEM or -ETIME. */
int search_lines(struct search *search);

/*
 * search_names.c: requests the name of the entry at an offset, for a frame; `unit` is the current unit. search_entries() follows references
 * into other units. Return 0, -ENOMEM or -ETIME.
 */
int search_want_name(struct search *search, const struct dwarf_unit *unit, uint64_t offset, uint32_t frame);
int search_entries(struct search *search);

/* search_inlines.c: finds the inlined calls of unit `number`, which covers places. Returns 0 or -ENOMEM. */
int search_inlines(struct search *search, const struct dwarf_unit *unit, uint32_t number);

/*
 * search_units.c: reads the first entries of all units; with search->inlines, all entries of units that cover a place. Returns 0, -ENOMEM
 * or -ETIME.
 */
int search_units(struct search *search);
