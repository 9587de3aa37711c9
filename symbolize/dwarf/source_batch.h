/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Places of one file that wait for their source lines and inlined functions: sorted by address, so that one pass
 * through the debug information, in the order in which it lies in the file, answers all of them.
 */
#pragma once

#include "core/base/text_pool.h"
#include "symbolize/elf/symtab.h"

#define SOURCE_NONE UINT32_MAX
#define NO_PROGRAM UINT64_MAX

/* A place. What it asks for is set by source_batch_add(), the answer by source_search(). */
struct source_place {
	uint64_t address; /* to look up, as the linker gave it */
	uint32_t query;   /* which of the callers' it is */
	uint32_t line;    /* 0: none in the source */
	const char *file; /* of the batch's texts; NULL: not known */
	uint64_t program; /* the line program that has the answer: its offset in .debug_line */
	uint64_t wanted;  /* the one that its unit names; NO_PROGRAM: no unit is known */
	uint32_t file_number; /* there; 0 in an old one: none */
	bool is_relative;     /* `file`, to the directory of its unit */
	bool by_libdw;        /* it answered (symbolize/libdw) */
	uint32_t unit;    /* that covers it; SOURCE_NONE */
	uint32_t inner;   /* the innermost of its inlined functions, in the frames; SOURCE_NONE */
};

/* A call that was inlined. */
struct source_frame {
	const char *name; /* mangled, of the inlined function; NULL: not known */
	const char *file; /* of the call; NULL: not known */
	uint32_t line;
	uint32_t outer;   /* the call that it is part of; SOURCE_NONE: the function itself */
	uint32_t outermost; /* of those around it; itself when there are none */
	uint32_t nr_outer; /* how many these are */
	uint32_t depth;   /* of its entry */
	uint32_t unit;    /* that it is in */
	bool is_relative; /* `file`, to the directory of its unit */
};

/* A unit that the readers here leave to libdw. */
struct source_left {
	uint64_t offset; /* in .debug_info */
	uint32_t unit;   /* its number */
};

struct source_batch {
	VEC(struct source_place) places;
	VEC(struct source_frame) frames;
	VEC(struct source_left) left;
	const struct code_range *code; /* the file's, borrowed */
	size_t nr_code;
	uint64_t deadline_ns; /* CLOCK_MONOTONIC: the search is given up then; 0 = never */
	const char *missing_split; /* the first split file that was not found; NULL */
	uint32_t nr_missing_splits; /* how many were not: of so many units the inlined calls are not known */
	struct text_pool texts;
};

/* Adds a place, as the caller's question number `query`. 0 or -ENOMEM. */
int source_batch_add(struct source_batch *batch, uint64_t address, uint32_t query);

/* Sorts them; nothing may be added after that. 0 or -ENOMEM. */
int source_batch_sort(struct source_batch *batch);
void source_batch_done(struct source_batch *batch);

/* The number of the first place at this address or after it. */
size_t source_batch_from(const struct source_batch *batch, uint64_t address);

/* A unit that covers places. */
struct source_claim {
	struct source_batch *batch;
	uint32_t unit;
	uint64_t program; /* that it names */
	bool any; /* whether a place is the unit's */
};

/*
 * A unit covers this range (dwarf_range_visit; `context` is the claim): its places are the unit's, but for those that are
 * another's. Of several units that cover a place the first one has it, as linkers leave one copy of what several have.
 */
bool source_claim_range(void *context, uint64_t low, uint64_t high);

/* Adds a frame, but for `outermost` and `nr_outer`, which are set here. 0, or -ENOMEM also when there are 4 M. */
int source_batch_add_frame(struct source_batch *batch, struct source_frame frame);

/* -ETIME when the deadline is over, else 0. */
int source_batch_late(const struct source_batch *batch);

/* Whether an address is code. Linkers leave entries of functions that they dropped, at addresses like 0 or 1. */
bool source_batch_is_code(const struct source_batch *batch, uint64_t address);
