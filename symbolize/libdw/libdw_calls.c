/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/libdw/libdw_calls.h"

#include <dwarf.h>

#include "symbolize/dwarf/place_calls.h"

enum {
	DEPTH_MAX = 256,
	RANGES_MAX = 1 << 20,
	REFERENCES_MAX = 16, /* from one entry to the next */
	STEPS_PER_LOOK = 4096, /* entries and ranges, from one look at the clock to the next */
};

struct walk {
	struct place_calls calls; /* the first member */
	Dwarf_Files *files;
	size_t nr_files;
	Dwarf_Die *die; /* the entry at hand */
	uint32_t nr_steps; /* since the last look at the clock */
};

uint32_t libdw_ranges(Dwarf_Die *die, libdw_range_visit *visit, void *context)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;
	uint32_t nr = 0;

	while (nr < RANGES_MAX && (at = dwarf_ranges(die, at, &base, &low, &high)) > 0) {
		nr++;
		if (!visit(context, low, high))
			break;
	}
	return nr;
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

/* ---- calls ---- */

static int keep(struct source_batch *batch, const char *text, const char **ret_kept)
{
	*ret_kept = text ? text_pool_add(&batch->texts, text) : NULL;
	return text && !*ret_kept ? -ENOMEM : 0;
}

static int add_frame(struct place_calls *calls, uint32_t outer)
{
	const struct walk *walk = (const struct walk *)calls;
	struct source_frame frame = {
		.line = (uint32_t)number_of(walk->die, DW_AT_call_line),
		.outer = outer,
		.depth = calls->depth,
	};
	int err = keep(calls->batch, name_of(walk->die), &frame.name);

	err = err ?: keep(calls->batch, call_file_of(walk), &frame.file);
	return err ?: source_batch_add_frame(calls->batch, frame);
}

/* ---- the walk ---- */

static void look_at_clock(struct walk *walk)
{
	walk->nr_steps = 0;
	walk->calls.err = walk->calls.err ?: source_batch_late(walk->calls.batch);
}

static void take_entry(struct walk *walk, Dwarf_Die *die)
{
	struct place_calls *calls = &walk->calls;
	int tag = dwarf_tag(die);

	walk->die = die;
	place_calls_begin(calls);
	if (tag == DW_TAG_subprogram) {
		walk->nr_steps += libdw_ranges(die, place_calls_function, calls);
		if (calls->covers && !calls->live)
			calls->live = calls->depth;
	} else if (tag == DW_TAG_inlined_subroutine && calls->live) {
		walk->nr_steps += libdw_ranges(die, place_calls_call, calls);
	}
}

/* References to siblings that lead back would go on for ever. */
static bool next_sibling(Dwarf_Die *die)
{
	Dwarf_Off before = dwarf_dieoffset(die);

	return !dwarf_siblingof(die, die) && dwarf_dieoffset(die) > before;
}

/*
 * From an entry without children to the next one, its own sibling or that of an entry around it; -1 at the end. For an
 * entry that does not tell where its sibling is, libdw goes through all entries below it once more.
 */
static int leave(struct walk *walk, Dwarf_Die dies[DEPTH_MAX], int level)
{
	for (; level > 0 && !walk->calls.err; level--) {
		if (walk->calls.live == (uint32_t)level)
			walk->calls.live = 0;
		if (next_sibling(&dies[level]))
			return level;
		look_at_clock(walk);
	}
	return -1;
}

static void walk_entries(struct walk *walk, const Dwarf_Die *root)
{
	Dwarf_Die dies[DEPTH_MAX] = { *root };
	int level = 0;

	while (level >= 0 && !walk->calls.err) {
		if (level < DEPTH_MAX - 1 && !dwarf_child(&dies[level], &dies[level + 1]))
			level++;
		else
			level = leave(walk, dies, level);
		walk->calls.depth = (uint32_t)level;
		if (level > 0)
			take_entry(walk, &dies[level]);
		if (++walk->nr_steps >= STEPS_PER_LOOK)
			look_at_clock(walk);
	}
}

int libdw_calls_find(struct source_batch *batch, Dwarf_Die *root, uint32_t unit, bool with_files)
{
	struct walk walk = { .calls = { .batch = batch, .unit = unit, .add_frame = add_frame } };

	for (size_t i = 0; i < batch->places.nr; i++)
		if (batch->places.data[i].unit == unit)
			batch->places.data[i].inner = SOURCE_NONE;
	if (!with_files || dwarf_getsrcfiles(root, &walk.files, &walk.nr_files))
		walk.nr_files = 0;
	walk_entries(&walk, root);
	return walk.calls.err;
}
