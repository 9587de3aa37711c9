/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the inlined calls around the places of a unit while its entries are read in order. The entry of an inlined call that covers a place
 * becomes its innermost call, and replaces calls that are as deep or deeper: if siblings overlap, the later one counts.
 */
#pragma once

#include "symbolize/dwarf/source_batch.h"

struct place_calls {
	struct source_batch *batch;
	uint32_t unit; /* the unit whose places are searched */
	/* Calls source_batch_add_frame() for the current entry, a call inside frame `outer`, and requests its texts. */
	int (*add_frame)(struct place_calls *calls, uint32_t outer);
	uint32_t depth; /* of the current entry */
	uint32_t live; /* depth of the outermost function around it that covers a place; 0: none */
	bool covers; /* the current entry is a function that covers a place */
	uint32_t first_frame; /* first frame made for the current entry */
	int err; /* of add_frame(); ends the search */
};

/* Begins the next entry, for which the caller sets `depth`. */
void place_calls_begin(struct place_calls *calls);

/* Take a range of the current entry: of a function, of an inlined call (dwarf_range_visit; `context` is the struct). */
bool place_calls_function(void *context, uint64_t low, uint64_t high);
bool place_calls_call(void *context, uint64_t low, uint64_t high);
