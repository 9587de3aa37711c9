/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Places of one file that need source lines and inlined calls, sorted by address: one pass through the debug information answers all. */
#pragma once

#include "core/base/text_pool.h"
#include "symbolize/elf/symtab.h"

#define SOURCE_NONE UINT32_MAX
#define NO_PROGRAM UINT64_MAX

/* A place. source_batch_add() sets address and query; source_search() and symbolize/libdw set the rest. */
struct source_place {
	uint64_t address; /* link-time address */
	uint32_t query; /* the caller's number of the place */
	uint32_t line; /* 0: unknown, or no line */
	const char *file; /* in source_batch.texts; NULL: unknown */
	uint64_t program; /* offset in .debug_line of the program with the line; NO_PROGRAM: none */
	uint64_t wanted; /* the program that its unit names; NO_PROGRAM: no unit is known */
	uint32_t file_number; /* number of `file` in the program; before DWARF 5, 0 means none */
	bool is_relative; /* `file` is relative to the directory of the unit */
	bool by_libdw;
	uint32_t unit; /* number of the unit that covers it, or SOURCE_NONE */
	uint32_t inner; /* its innermost inlined call, an index into source_batch.frames; or SOURCE_NONE */
};

struct source_frame {
	const char *name; /* of the inlined function, mangled; NULL: unknown */
	const char *file; /* of the call; NULL: unknown */
	uint32_t line; /* of the call; 0: unknown */
	uint32_t outer; /* index of the call around it; SOURCE_NONE: none */
	uint32_t outermost; /* index of the outermost call around it; its own if there is none */
	uint32_t nr_outer; /* number of calls around it */
	uint32_t depth; /* of its entry in the tree of entries */
	uint32_t unit;
	bool is_relative; /* `file` is relative to the directory of the unit */
};

struct source_left {
	uint64_t offset; /* in .debug_info */
	uint32_t unit;
};

struct source_batch {
	VEC(struct source_place) places;
	VEC(struct source_frame) frames;
	VEC(struct source_left) left;
	const struct code_range *code; /* code of the file; borrowed */
	size_t nr_code;
	uint64_t deadline_ns; /* CLOCK_MONOTONIC; 0: none */
	const char *missing_split; /* path of the first split file that was not found, or NULL */
	uint32_t nr_missing_splits; /* units without their split file: their inlined calls are unknown */
	struct text_pool texts;
};

/* Adds a place. Returns 0 or -ENOMEM. */
int source_batch_add(struct source_batch *batch, uint64_t address, uint32_t query);

/* Sorts the places; none may be added afterwards. Returns 0 or -ENOMEM. */
int source_batch_sort(struct source_batch *batch);
void source_batch_done(struct source_batch *batch);

/* Index of the first place at or after an address. */
size_t source_batch_from(const struct source_batch *batch, uint64_t address);

/* A unit that claims the places it covers. */
struct source_claim {
	struct source_batch *batch;
	uint32_t unit;
	uint64_t program; /* named by the unit */
	bool any;
};

/*
 * Claims the places in a range of the unit (dwarf_range_visit; `context` is the claim). Linkers keep one copy of a function that several
 * units have, so several may cover a place: the first unit gets it.
 */
bool source_claim_range(void *context, uint64_t low, uint64_t high);

/* Adds a frame, and sets `outermost` and `nr_outer`. Returns 0, or -ENOMEM, also beyond 4 M frames. */
int source_batch_add_frame(struct source_batch *batch, struct source_frame frame);

/* -ETIME after the deadline, else 0. */
int source_batch_late(const struct source_batch *batch);

/* Whether an address is code. Linkers leave entries for dropped functions at addresses such as 0 or 1. */
bool source_batch_is_code(const struct source_batch *batch, uint64_t address);
