/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inlined calls: one walk through the entries of a unit. An entry of an inlined call that covers a place is the
 * innermost one so far; one that is no deeper than the innermost takes its place, as in an overlap of siblings the
 * later counts.
 */
#include <dwarf.h>

#include "symbolize/dwarf/source_search_private.h"

struct walk {
	struct search *search;
	const struct dwarf_unit *unit;
	uint32_t number; /* of the unit */
	struct dwarf_entries entries;
	uint32_t depth;
	uint32_t live; /* depth of the outermost function that covers a place; 0: in none */
	/* the entry at hand */
	struct dwarf_code code;
	struct dwarf_value origin;
	uint32_t call_file, call_line;
	bool covers; /* a place of the unit */
	uint32_t first_frame; /* made for it */
	int err;
};

/* ---- what an entry says ---- */

static void take(void *context, uint16_t attribute, const struct dwarf_value *value)
{
	struct walk *walk = context;
	uint64_t number;

	switch (attribute) {
	case DW_AT_abstract_origin:
		walk->origin = *value;
		break;
	case DW_AT_call_file:
		if (dwarf_value_number(value, &number))
			walk->call_file = (uint32_t)number;
		break;
	case DW_AT_call_line:
		if (dwarf_value_number(value, &number))
			walk->call_line = (uint32_t)number;
		break;
	default:
		dwarf_code_take(&walk->code, attribute, value);
	}
}

static void read_entry(struct walk *walk, const struct abbrev *abbrev)
{
	walk->code = (struct dwarf_code){};
	walk->origin = (struct dwarf_value){};
	walk->call_file = walk->call_line = 0;
	walk->covers = false;
	dwarf_entry_read(&walk->entries, &walk->search->abbrevs, abbrev, take, walk);
	if (walk->entries.bytes.bad) /* half an entry */
		walk->code = (struct dwarf_code){};
}

/* ---- functions ---- */

/* Calls for each place of the unit in a range that is code. */
typedef void place_visit(struct walk *walk, struct source_place *place);

static bool visit_places(struct walk *walk, uint64_t low, uint64_t high, place_visit *visit)
{
	struct source_batch *batch = walk->search->batch;

	if (!source_batch_is_code(batch, low))
		return true;
	for (size_t i = source_batch_from(batch, low); i < batch->places.nr && !walk->err; i++) {
		struct source_place *place = &batch->places.data[i];

		if (place->address >= high)
			break;
		if (place->unit == walk->number)
			visit(walk, place);
	}
	return !walk->err;
}

static void enter_function(struct walk *walk, struct source_place *place)
{
	walk->covers = true;
	place->inner = SOURCE_NONE;
}

static bool function_range(void *walk, uint64_t low, uint64_t high)
{
	return visit_places(walk, low, high, enter_function);
}

static void take_function(struct walk *walk, const struct abbrev *abbrev)
{
	read_entry(walk, abbrev);
	dwarf_code_ranges(walk->search->dwarf, walk->unit, &walk->code, function_range, walk);
	if (walk->covers && !walk->live && abbrev->has_children)
		walk->live = walk->depth;
}

/* ---- calls ---- */

static int make_frame(struct walk *walk, uint32_t outer)
{
	struct search *search = walk->search;
	uint32_t number = (uint32_t)search->batch->frames.nr;
	const struct source_frame frame = {
		.line = walk->call_line,
		.outer = outer,
		.depth = walk->depth,
		.unit = walk->number,
	};
	uint64_t origin;
	int err = source_batch_add_frame(search->batch, frame);

	if (!err && walk->unit->program != NO_PROGRAM)
		err = vec_try_push(&search->files,
				   (struct wanted_file){ walk->unit->program, walk->call_file, number });
	if (!err && dwarf_value_reference(walk->unit, &walk->origin, &origin))
		err = search_want_name(search, walk->unit, origin, number);
	else if (!err && walk->origin.form == DW_FORM_ref_sig8)
		err = search_leave(search, walk->number);
	return err;
}

/* Places share a frame when the same calls are around them, which is the rule. */
static void enter_call(struct walk *walk, struct source_place *place)
{
	const struct source_batch *batch = walk->search->batch;
	uint32_t outer = source_batch_outer(batch, place, walk->depth), nr = (uint32_t)batch->frames.nr;

	if (nr == walk->first_frame || batch->frames.data[nr - 1].outer != outer) {
		walk->err = make_frame(walk, outer);
		if (walk->err)
			return;
		nr++;
	}
	place->inner = nr - 1;
}

static bool call_range(void *walk, uint64_t low, uint64_t high)
{
	return visit_places(walk, low, high, enter_call);
}

static void take_call(struct walk *walk, const struct abbrev *abbrev)
{
	read_entry(walk, abbrev);
	walk->first_frame = (uint32_t)walk->search->batch->frames.nr;
	dwarf_code_ranges(walk->search->dwarf, walk->unit, &walk->code, call_range, walk);
}

/* ---- the walk ---- */

static void take_entry(struct walk *walk, const struct abbrev *abbrev)
{
	if (abbrev->tag == DW_TAG_subprogram)
		take_function(walk, abbrev);
	else if (abbrev->tag == DW_TAG_inlined_subroutine && walk->live)
		take_call(walk, abbrev);
	else
		dwarf_entry_skip(&walk->entries, &walk->search->abbrevs, abbrev);
	walk->depth += abbrev->has_children;
}

/* The end of the children of an entry. */
static void leave(struct walk *walk)
{
	walk->depth--;
	if (walk->depth <= walk->live)
		walk->live = 0;
}

int search_inlines(struct search *search, const struct dwarf_unit *unit, uint32_t number)
{
	struct walk walk = {
		.search = search,
		.unit = unit,
		.number = number,
		.depth = 1,
		.entries = dwarf_entries_from(search->dwarf, unit, unit->entries, UINT64_MAX),
	};

	if (walk.entries.bytes.bad) /* it is larger than what is held at once */
		return search_leave(search, number);
	while (walk.entries.bytes.at < walk.entries.bytes.end && walk.depth && !walk.err) {
		uint64_t code = bytes_uleb(&walk.entries.bytes);
		const struct abbrev *abbrev = abbrevs_get(&search->abbrevs, code);

		if (abbrev)
			take_entry(&walk, abbrev);
		else if (!code)
			leave(&walk);
		else
			break; /* nothing behind it can be read */
	}
	return walk.err;
}
