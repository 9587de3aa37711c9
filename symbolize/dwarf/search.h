/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the passes of source_search.c share: what they look for, and the strings. */
#pragma once

#include "symbolize/dwarf/dwarf_splits.h"
#include "symbolize/dwarf/line_program.h"

/* The file of a call: its number in a line program. 16 bytes, for radix_sort(), as the next three. */
struct wanted_file {
	uint64_t program;
	uint32_t number, frame;
};

/* A string of .debug_str: the name of a frame, or a directory. */
struct wanted_text {
	uint64_t offset;
	uint32_t of;
	uint32_t is_directory;
};

/* The name of a frame, to be found at an entry elsewhere in .debug_info, and the one to take if there is none. */
struct wanted_entry {
	uint64_t offset;
	uint32_t frame;
	uint32_t fallback; /* in the fallbacks */
};

/* The directory that a unit was compiled in. */
struct unit_directory {
	uint64_t program;
	uint64_t path; /* a const char *, as a number: the struct has 16 bytes everywhere; 0: not known */
};

struct unit_place {
	uint64_t offset;
	bool is_left; /* to libdw */
};

struct search {
	struct dwarf *dwarf;
	struct source_batch *batch;
	bool inlines;
	struct abbrevs abbrevs;
	VEC(struct unit_place) units[2]; /* of the file, of the alternate file */
	VEC(struct wanted_file) files;
	VEC(struct wanted_text) texts;
	VEC(struct wanted_entry) entries;
	VEC(struct dwarf_text) fallbacks;
	VEC(struct unit_directory) directories;
};

/* Frees what was collected; the file and the batch stay. */
void search_done(struct search *search);

/* The file of an offset that may be IN_ALTERNATE; NULL when there is none. */
static inline struct dwarf *search_file(const struct search *search, uint64_t offset)
{
	return offset & IN_ALTERNATE ? search->dwarf->alternate : search->dwarf;
}

/* A unit is beyond what is read here: libdw answers for it, but not for the parts of split units. 0 or -ENOMEM. */
int search_leave(struct search *search, uint32_t unit);

/* The string at once; NULL when there is none. Valid until something else of its section is read. */
const char *search_read_text(struct search *search, const struct dwarf_text *text);

/* Asks for a string, as the name of a frame or as a directory; then reads all of them. 0 or -ENOMEM. */
int search_want_text(struct search *search, const struct dwarf_text *text, uint32_t of, bool is_directory);
int search_texts(struct search *search);

/* search_lines.c: runs the line programs. 0, -ENOMEM, -ETIME. */
int search_lines(struct search *search);

/*
 * search_names.c: asks for the name of the entry at an offset as that of a frame; then looks for those that are in other
 * units. 0, -ENOMEM, -ETIME.
 */
int search_want_name(struct search *search, const struct dwarf_unit *unit, uint64_t offset, uint32_t frame);
int search_entries(struct search *search);

/* search_inlines.c: finds the inlined calls of a unit, number `number`, that covers places. 0 or -ENOMEM. */
int search_inlines(struct search *search, const struct dwarf_unit *unit, uint32_t number);

/*
 * search_units.c: goes through the units; with search->inlines it walks the entries of those that cover a place. 0,
 * -ENOMEM, -ETIME.
 */
int search_units(struct search *search);
