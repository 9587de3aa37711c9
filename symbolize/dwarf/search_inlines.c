/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inlined calls: one pass through the entries of a unit. */
#include <dwarf.h>

#include "symbolize/dwarf/place_calls.h"
#include "symbolize/dwarf/search.h"

struct walk {
	struct place_calls calls; /* must be the first member */
	struct search *search;
	const struct dwarf_unit *unit;
	struct dwarf_entries entries;
	/* of the current entry: */
	struct dwarf_code code;
	struct dwarf_value origin;
	uint64_t call_file, call_line;
};

static void take(void *context, uint16_t attribute, const struct dwarf_value *value)
{
	struct walk *walk = context;

	switch (attribute) {
	case DW_AT_abstract_origin:
		walk->origin = *value;
		break;
	case DW_AT_call_file:
		dwarf_value_number(value, &walk->call_file);
		break;
	case DW_AT_call_line:
		dwarf_value_number(value, &walk->call_line);
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
	place_calls_begin(&walk->calls);
	dwarf_entry_read(&walk->entries, &walk->search->abbrevs, abbrev, take, walk);
	if (walk->entries.bytes.bad) /* the entry is incomplete */
		walk->code = (struct dwarf_code){};
}

static int add_frame(struct place_calls *calls, uint32_t outer)
{
	const struct walk *walk = (const struct walk *)calls;
	struct search *search = walk->search;
	uint32_t number = (uint32_t)search->batch->frames.nr;
	const struct source_frame frame = {
		.line = (uint32_t)walk->call_line,
		.outer = outer,
		.depth = calls->depth,
		.unit = calls->unit,
	};
	uint64_t origin;
	int err = source_batch_add_frame(search->batch, frame);

	if (!err && walk->unit->program != NO_PROGRAM)
		err = vec_try_push(&search->files,
				   (struct wanted_file){ walk->unit->program, (uint32_t)walk->call_file, number });
	if (!err && dwarf_value_reference(walk->unit, &walk->origin, &origin))
		err = search_want_name(search, walk->unit, origin, number);
	else if (!err && walk->origin.form == DW_FORM_ref_sig8)
		err = search_leave(search, calls->unit);
	return err;
}

static void take_entry(struct walk *walk, const struct abbrev *abbrev)
{
	struct place_calls *calls = &walk->calls;
	bool is_function = abbrev->tag == DW_TAG_subprogram;

	if (is_function || (abbrev->tag == DW_TAG_inlined_subroutine && calls->live)) {
		read_entry(walk, abbrev);
		dwarf_code_ranges(walk->search->dwarf, walk->unit, &walk->code,
				  is_function ? place_calls_function : place_calls_call, calls);
	} else {
		dwarf_entry_skip(&walk->entries, &walk->search->abbrevs, abbrev);
	}
	if (is_function && calls->covers && !calls->live && abbrev->has_children)
		calls->live = calls->depth;
	calls->depth += abbrev->has_children;
}

static void leave(struct walk *walk)
{
	walk->calls.depth--;
	if (walk->calls.depth <= walk->calls.live)
		walk->calls.live = 0;
}

int search_inlines(struct search *search, const struct dwarf_unit *unit, uint32_t number)
{
	struct walk walk = {
		.calls = { .batch = search->batch, .unit = number, .add_frame = add_frame, .depth = 1 },
		.search = search,
		.unit = unit,
		.entries = dwarf_entries_from(search->dwarf, unit, unit->entries, UINT64_MAX),
	};

	if (walk.entries.bytes.bad) /* larger than a window can be */
		return search_leave(search, number);
	while (walk.entries.bytes.at < walk.entries.bytes.end && walk.calls.depth && !walk.calls.err) {
		uint64_t code = bytes_uleb(&walk.entries.bytes);
		const struct abbrev *abbrev = abbrevs_get(&search->abbrevs, code);

		if (abbrev)
			take_entry(&walk, abbrev);
		else if (!code)
			leave(&walk);
		else
			break; /* of unknown length */
	}
	return walk.calls.err;
}
