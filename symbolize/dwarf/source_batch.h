/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Places of one file that wait for their source lines and inlined calls. They are sorted by address, so one pass over the
 * debug information answers all of them.
 */
#pragma once

#include "core/base/text_pool.h"
#include "symbolize/elf/symtab.h"

#define SOURCE_NONE UINT32_MAX
#define NO_PROGRAM UINT64_MAX

/* A place. source_batch_add() sets address and query; source_search() and symbolize/libdw answer. */
struct source_place {
	uint64_t address; /* link-time address to look up */
	uint32_t query;   /* the caller's number for the place */
	uint32_t line;    /* 0: not known, or no line of the source */
	const char *file; /* in source_batch.texts; NULL: not known */
	uint64_t program; /* offset in .debug_line of the line program with the answer; NO_PROGRAM: none */
	uint64_t wanted;  /* the line program that its unit names; NO_PROGRAM: no unit is known */
	uint32_t file_number; /* of `file` in the program; before DWARF 5, 0 means none */
	bool is_relative;     /* `file` is relative to the directory of the unit */
	bool by_libdw;        /* symbolize/libdw answered */
	uint32_t unit;    /* number of the unit that covers it, or SOURCE_NONE */
	uint32_t inner;   /* index into source_batch.frames of its innermost inlined call, or SOURCE_NONE */
};

/* A call that was inlined. */
struct source_frame {
	const char *name; /* of the inlined function, mangled; NULL: not known */
	const char *file; /* of the call; NULL: not known */
	uint32_t line;    /* of the call; 0: not known */
	uint32_t outer;   /* index of the call around it; SOURCE_NONE: it is in the function itself */
	uint32_t outermost; /* index of the outermost call around it; its own without one */
	uint32_t nr_outer; /* how many calls are around it */
	uint32_t depth;   /* of its entry in the tree of entries */
	uint32_t unit;    /* number of its unit */
	bool is_relative; /* `file` is relative to the directory of the unit */
};

/* A unit that symbolize/dwarf leaves to libdw. */
struct source_left {
	uint64_t offset; /* in .debug_info */
	uint32_t unit;   /* its number */
};

struct source_batch {
	VEC(struct source_place) places;
	VEC(struct source_frame) frames;
	VEC(struct source_left) left;
	const struct code_range *code; /* the file's code, borrowed */
	size_t nr_code;
	uint64_t deadline_ns; /* CLOCK_MONOTONIC time at which the search ends; 0: never */
	const char *missing_split; /* path of the first split file that was not found, or NULL */
	uint32_t nr_missing_splits; /* units whose split file was not found, and whose inlined calls are not known */
	struct text_pool texts;
};

/* Adds a place. 0 or -ENOMEM. */
int source_batch_add(struct source_batch *batch, uint64_t address, uint32_t query);

/* Sorts the places; none may be added afterwards. 0 or -ENOMEM. */
int source_batch_sort(struct source_batch *batch);
void source_batch_done(struct source_batch *batch);

/* The number of the first place at or after this address. */
size_t source_batch_from(const struct source_batch *batch, uint64_t address);

/* A unit that looks for the places it covers. */
struct source_claim {
	struct source_batch *batch;
	uint32_t unit;
	uint64_t program; /* the line program that it names */
	bool any; /* it has a place */
};

/*
 * Gives the unit the places in a range that it covers (dwarf_range_visit; `context` is the claim). Several units may cover a
 * place, because linkers keep one copy of a function that several units have: the first unit gets the place.
 */
bool source_claim_range(void *context, uint64_t low, uint64_t high);

/* Adds a frame, and sets its `outermost` and `nr_outer`. 0, or -ENOMEM, also for more than 4 M frames. */
int source_batch_add_frame(struct source_batch *batch, struct source_frame frame);

/* -ETIME after the deadline, else 0. */
int source_batch_late(const struct source_batch *batch);

/* Whether an address is code. For functions that they dropped, linkers leave entries with addresses like 0 or 1. */
bool source_batch_is_code(const struct source_batch *batch, uint64_t address);
