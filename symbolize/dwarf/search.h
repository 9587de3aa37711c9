/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the passes of source_search.c share: the names and files that are still wanted, and the strings. */
#pragma once

#include "symbolize/dwarf/dwarf_splits.h"
#include "symbolize/dwarf/line_program.h"

/* The file of a call, to be found in a line program. 16 bytes, for radix_sort(), like the next three. */
struct wanted_file {
	uint64_t program;
	uint32_t number, frame; /* the file's number in the program; index into source_batch.frames */
};

/* A string of .debug_str: the name of a frame, or a directory. */
struct wanted_text {
	uint64_t offset; /* may have IN_ALTERNATE */
	uint32_t of;     /* index into source_batch.frames or search.directories */
	uint32_t is_directory;
};

/* The name of a frame, to be found by an entry in another unit. */
struct wanted_entry {
	uint64_t offset; /* in .debug_info; may have IN_ALTERNATE */
	uint32_t frame;
	uint32_t fallback; /* index into search.fallbacks: the name to use if none is found */
};

/* The directory in which the units of a line program were compiled. */
struct unit_directory {
	uint64_t program;
	uint64_t path; /* a const char * as a number, since radix_sort() needs 16 bytes; 0: not known */
};

struct unit_place {
	uint64_t offset;
	bool is_left; /* is in source_batch.left */
};

struct search {
	struct dwarf *dwarf;
	struct source_batch *batch;
	bool inlines;
	struct abbrevs abbrevs;
	VEC(struct unit_place) units[2]; /* of the file, and of the alternate file */
	VEC(struct wanted_file) files;
	VEC(struct wanted_text) texts;
	VEC(struct wanted_entry) entries;
	VEC(struct dwarf_text) fallbacks;
	VEC(struct unit_directory) directories;
};

/* Frees the vectors; the file and the batch stay. */
void search_done(struct search *search);

/* The file in which an offset lies that may have IN_ALTERNATE; NULL without an alternate file. */
static inline struct dwarf *search_file(const struct search *search, uint64_t offset)
{
	return offset & IN_ALTERNATE ? search->dwarf->alternate : search->dwarf;
}

/* Leaves a unit that cannot be read here to libdw, unless it is a split unit. 0 or -ENOMEM. */
int search_leave(struct search *search, uint32_t unit);

/* Reads a string now; NULL if there is none. Valid until something else of its section is read. */
const char *search_read_text(struct search *search, const struct dwarf_text *text);

/* Asks for a string: the name of frame `of`, or the path of directory `of`. search_texts() reads all. 0 or -ENOMEM. */
int search_want_text(struct search *search, const struct dwarf_text *text, uint32_t of, bool is_directory);
int search_texts(struct search *search);

/* search_lines.c: runs the line programs. 0, -ENOMEM, -ETIME. */
int search_lines(struct search *search);

/*
 * search_names.c: asks for the name of the entry at an offset, for a frame. `unit` is the current unit. search_entries()
 * follows the references into other units. 0, -ENOMEM, -ETIME.
 */
int search_want_name(struct search *search, const struct dwarf_unit *unit, uint64_t offset, uint32_t frame);
int search_entries(struct search *search);

/* search_inlines.c: finds the inlined calls of unit `number`, which covers places. 0 or -ENOMEM. */
int search_inlines(struct search *search, const struct dwarf_unit *unit, uint32_t number);

/*
 * search_units.c: reads the first entries of all units; with search->inlines, all entries of units that cover a place. 0,
 * -ENOMEM, -ETIME.
 */
int search_units(struct search *search);
