/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The inlined calls around the places of a unit, as its entries go by in the order in which they lie in the file. An entry of an
 * inlined call that covers a place is the innermost one so far; one that is no deeper than the innermost takes its place, as in
 * an overlap of siblings the later counts.
 */
#pragma once

#include "symbolize/dwarf/source_batch.h"

struct place_calls {
	struct source_batch *batch;
	uint32_t unit; /* whose places count */
	/* Adds a frame for the call at hand, below `outer`: source_batch_add_frame(), and what else belongs to it. */
	int (*add_frame)(struct place_calls *calls, uint32_t outer);
	uint32_t depth; /* of the entry at hand */
	uint32_t live;  /* depth of the outermost function that covers a place; 0: in none */
	bool covers;    /* whether the entry at hand covers a place, if it is a function */
	uint32_t first_frame; /* made for the entry at hand, if it is a call */
	int err; /* of add_frame(): nothing more is visited */
};

/* Another entry is at hand. */
void place_calls_begin(struct place_calls *calls);

/* Its ranges, one by one (dwarf_range_visit): of a function, of an inlined call. `context` is the struct. */
bool place_calls_function(void *context, uint64_t low, uint64_t high);
bool place_calls_call(void *context, uint64_t low, uint64_t high);
