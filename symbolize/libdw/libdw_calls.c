/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/libdw/libdw_calls.h"

#include <dwarf.h>

enum {
	DEPTH_MAX = 256,
	RANGES_MAX = 1 << 20,
	REFERENCES_MAX = 16, /* from one entry to the next */
	ENTRIES_PER_LOOK = 4096, /* at the clock */
};

struct walk {
	struct source_batch *batch;
	uint32_t unit;
	Dwarf_Files *files;
	size_t nr_files;
	uint32_t depth; /* of the entry at hand; its children are one deeper */
	uint32_t live; /* depth of the outermost function that covers a place; 0: in none */
	Dwarf_Die *die;
	bool covers;
	uint32_t first_frame; /* made for the entry */
	int err;
};

void libdw_ranges(Dwarf_Die *die, libdw_range_visit *visit, void *context)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;

	for (int i = 0; i < RANGES_MAX && (at = dwarf_ranges(die, at, &base, &low, &high)) > 0; i++)
		if (!visit(context, low, high))
			return;
}

/* ---- what an entry says ---- */

static uint64_t number_of(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word number;

	return dwarf_attr(die, name, &attribute) && !dwarf_formudata(&attribute, &number) ? number : 0;
}

static const char *text_of(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attribute;

	return dwarf_attr(die, name, &attribute) ? dwarf_formstring(&attribute) : NULL;
}

/* The entry that this one completes. */
static bool follow(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	Dwarf_Die next;

	if ((!dwarf_attr(die, DW_AT_abstract_origin, &attribute) &&
	     !dwarf_attr(die, DW_AT_specification, &attribute)) ||
	    !dwarf_formref_die(&attribute, &next))
		return false;
	*die = next;
	return true;
}

/* The linkage name, in whichever of the entries that refer to each other, else the first plain name. */
static const char *name_of(const Dwarf_Die *call)
{
	const char *plain = NULL, *linkage;
	Dwarf_Die die = *call;

	for (int i = 0; i < REFERENCES_MAX && follow(&die); i++) {
		linkage = text_of(&die, DW_AT_linkage_name) ?: text_of(&die, DW_AT_MIPS_linkage_name);
		if (linkage)
			return linkage;
		plain = plain ?: text_of(&die, DW_AT_name);
	}
	return plain;
}

static const char *call_file_of(const struct walk *walk)
{
	uint64_t number = number_of(walk->die, DW_AT_call_file);

	return number < walk->nr_files ? dwarf_filesrc(walk->files, (size_t)number, NULL, NULL) : NULL;
}

/* ---- places ---- */

typedef void place_visit(struct walk *walk, struct source_place *place);

static bool visit_places(struct walk *walk, uint64_t low, uint64_t high, place_visit *visit)
{
	struct source_batch *batch = walk->batch;

	if (!source_batch_is_code(batch, low))
		return true;
	for (size_t i = source_batch_from(batch, low); i < batch->places.nr && !walk->err; i++) {
		struct source_place *place = &batch->places.data[i];

		if (place->address >= high)
			break;
		if (place->unit == walk->unit)
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

static int keep(struct source_batch *batch, const char *text, const char **ret_kept)
{
	*ret_kept = text ? text_pool_add(&batch->texts, text) : NULL;
	return text && !*ret_kept ? -ENOMEM : 0;
}

static int make_frame(struct walk *walk, uint32_t outer)
{
	struct source_frame frame = {
		.line = (uint32_t)number_of(walk->die, DW_AT_call_line),
		.outer = outer,
		.depth = walk->depth,
	};
	int err = keep(walk->batch, name_of(walk->die), &frame.name);

	err = err ?: keep(walk->batch, call_file_of(walk), &frame.file);
	return err ?: source_batch_add_frame(walk->batch, frame);
}

/* Places share a frame when the same calls are around them. */
static void enter_call(struct walk *walk, struct source_place *place)
{
	const struct source_batch *batch = walk->batch;
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

/* ---- the walk ---- */

static void take_entry(struct walk *walk, Dwarf_Die *die)
{
	int tag = dwarf_tag(die);

	walk->die = die;
	if (tag == DW_TAG_subprogram) {
		walk->covers = false;
		libdw_ranges(die, function_range, walk);
		if (walk->covers && !walk->live)
			walk->live = walk->depth;
	} else if (tag == DW_TAG_inlined_subroutine && walk->live) {
		walk->first_frame = (uint32_t)walk->batch->frames.nr;
		libdw_ranges(die, call_range, walk);
	}
}

/* References to siblings that lead back would go on for ever. */
static bool next_sibling(Dwarf_Die *die)
{
	Dwarf_Off before = dwarf_dieoffset(die);

	return !dwarf_siblingof(die, die) && dwarf_dieoffset(die) > before;
}

/* From an entry without children to the next one, its own sibling or that of an entry around it; -1 at the end. */
static int leave(struct walk *walk, Dwarf_Die dies[DEPTH_MAX], int level)
{
	for (; level > 0; level--) {
		if (walk->live == (uint32_t)level)
			walk->live = 0;
		if (next_sibling(&dies[level]))
			return level;
	}
	return -1;
}

static void walk_entries(struct walk *walk, const Dwarf_Die *root)
{
	Dwarf_Die dies[DEPTH_MAX] = { *root };
	int level = 0;

	for (uint32_t i = 1; level >= 0 && !walk->err; i++) {
		if (level < DEPTH_MAX - 1 && !dwarf_child(&dies[level], &dies[level + 1]))
			level++;
		else
			level = leave(walk, dies, level);
		walk->depth = (uint32_t)level;
		if (level > 0)
			take_entry(walk, &dies[level]);
		if (!(i % ENTRIES_PER_LOOK))
			walk->err = walk->err ?: source_batch_late(walk->batch);
	}
}

int libdw_calls_find(struct source_batch *batch, Dwarf_Die *root, uint32_t unit, bool with_files)
{
	struct walk walk = { .batch = batch, .unit = unit };

	for (size_t i = 0; i < batch->places.nr; i++)
		if (batch->places.data[i].unit == unit)
			batch->places.data[i].inner = SOURCE_NONE;
	if (!with_files || dwarf_getsrcfiles(root, &walk.files, &walk.nr_files))
		walk.nr_files = 0;
	walk_entries(&walk, root);
	return walk.err;
}
