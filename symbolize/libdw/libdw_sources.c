/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/libdw/libdw_sources.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <libelf.h>
#include <unistd.h>

#include "symbolize/dwarf/place_calls.h"
#include "symbolize/libdw/debug_image.h"

enum {
	PROGRAM_MAX_BYTES = 2 << 20, /* of the line program of a unit */
	UNITS_MAX = 1 << 19, /* bounds the memory of libdw, which keeps data for each unit that it has read */
	DEPTH_MAX = 256,
	RANGES_MAX = 1 << 20,
	REFERENCES_MAX = 16, /* references followed from one entry */
	STEPS_PER_LOOK = 4096, /* entries and ranges between two reads of the clock */
};

/* Returns false for a skeleton unit (DWARF 5 or GNU), because libdw would try to open its split file. */
static bool is_readable(Dwarf_Die *root)
{
	int tag = dwarf_tag(root);

	return (tag == DW_TAG_compile_unit || tag == DW_TAG_partial_unit) && !dwarf_hasattr(root, DW_AT_dwo_name) &&
	       !dwarf_hasattr(root, DW_AT_GNU_dwo_name) && !dwarf_hasattr(root, DW_AT_GNU_dwo_id);
}

/* Calls `visit` for each range of an entry until it returns false. Returns the number of ranges read. */
static uint32_t visit_ranges(Dwarf_Die *die, bool (*visit)(void *context, uint64_t low, uint64_t high), void *context)
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

/* Returns the row that covers an address: the last one at or before it; NULL if that row ends a sequence. */
static Dwarf_Line *row_of(Dwarf_Lines *lines, size_t nr, uint64_t address)
{
	size_t low = 0, high = nr;
	Dwarf_Line *row;
	Dwarf_Addr start;
	bool is_end;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (dwarf_lineaddr(dwarf_onesrcline(lines, middle), &start))
			return NULL;
		if (start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	row = low ? dwarf_onesrcline(lines, low - 1) : NULL;
	return !row || dwarf_lineendsequence(row, &is_end) || is_end ? NULL : row;
}

static int answer_place(struct source_batch *batch, struct source_place *place, Dwarf_Line *row)
{
	const char *file = row ? dwarf_linesrc(row, NULL, NULL) : NULL;
	int line = 0;

	place->is_relative = false;
	place->line = row && !dwarf_lineno(row, &line) && line > 0 ? (uint32_t)line : 0;
	place->file = file ? text_pool_add(&batch->texts, file) : NULL;
	return file && !place->file ? -ENOMEM : 0;
}

/* Answers the places of the unit. Without `with_lines`, the places keep the lines found by symbolize/dwarf. */
static int answer_places(struct source_batch *batch, Dwarf_Die *root, uint32_t unit, bool with_lines)
{
	Dwarf_Lines *lines = NULL;
	size_t nr = 0;
	int err = 0;

	if (with_lines && dwarf_getsrclines(root, &lines, &nr))
		nr = 0;
	for (size_t i = 0; !err && i < batch->places.nr; i++) {
		struct source_place *place = &batch->places.data[i];

		if (place->unit != unit)
			continue;
		place->by_libdw = true;
		if (with_lines)
			err = answer_place(batch, place, row_of(lines, nr, place->address));
	}
	return err;
}

/* Inlined calls, by the rules of symbolize/dwarf/search_inlines.c. */

struct walk {
	struct place_calls calls; /* must be first: add_frame() casts it to struct walk */
	Dwarf_Files *files;
	size_t nr_files;
	Dwarf_Die *die;
	uint32_t nr_steps; /* since the last read of the clock */
};

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

/* Replaces an entry by its abstract origin or its declaration; false: it has neither. */
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

/* Follows the references of a call. Returns the first linkage name found, else the first plain name, else NULL. */
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
		walk->nr_steps += visit_ranges(die, place_calls_function, calls);
		if (calls->covers && !calls->live)
			calls->live = calls->depth;
	} else if (tag == DW_TAG_inlined_subroutine && calls->live) {
		walk->nr_steps += visit_ranges(die, place_calls_call, calls);
	}
}

/* Moves to the next sibling. Returns false if there is none, or if its offset is not larger: siblings could form a loop. */
static bool next_sibling(Dwarf_Die *die)
{
	Dwarf_Off before = dwarf_dieoffset(die);

	return !dwarf_siblingof(die, die) && dwarf_dieoffset(die) > before;
}

/*
 * Moves from an entry without children to its next sibling, or to the next sibling of the nearest entry around it. Returns the level, -1 at
 * the end. Without DW_AT_sibling, libdw reads all entries below an entry again, so the clock is read here too.
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

/* Replaces the inlined calls of the unit's places. `with_files`: the line program may be read, which names the calls' files. */
static int find_calls(struct source_batch *batch, Dwarf_Die *root, uint32_t unit, bool with_files)
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

struct reader {
	struct source_batch *batch;
	bool inlines;
	struct debug_image image;
	Elf *elf;
	Dwarf *dwarf;
	uint64_t nr_read; /* bytes of line programs since `dwarf` was opened, because it keeps all their rows in memory */
};

static void __attribute__((noreturn)) end_without_memory(void)
{
	_exit(1);
}

static int open_dwarf(struct reader *reader)
{
	dwarf_end(reader->dwarf);
	reader->nr_read = 0;
	reader->dwarf = dwarf_begin_elf(reader->elf, DWARF_C_READ, NULL);
	if (!reader->dwarf)
		return -EBADMSG;
	dwarf_new_oom_handler(reader->dwarf, end_without_memory);
	return 0;
}

/* Returns false for a large line program: one byte can make a row, which takes about 100 bytes of memory in libdw. */
static bool may_read_lines(struct reader *reader, Dwarf_Die *root)
{
	Dwarf_Attribute attribute;
	Dwarf_Word program;
	uint64_t nr_bytes;

	if (!dwarf_attr(root, DW_AT_stmt_list, &attribute) || dwarf_formudata(&attribute, &program))
		return false;
	nr_bytes = debug_image_program_size(&reader->image, program);
	reader->nr_read += nr_bytes;
	return nr_bytes <= PROGRAM_MAX_BYTES;
}

static int read_unit(struct reader *reader, Dwarf_Die *root, uint32_t unit)
{
	struct source_claim claim = { reader->batch, unit, NO_PROGRAM, false };
	bool with_lines;
	int err;

	if (!is_readable(root))
		return 0;
	visit_ranges(root, source_claim_range, &claim);
	if (!claim.any)
		return 0;
	with_lines = may_read_lines(reader, root);
	err = answer_places(reader->batch, root, unit, with_lines);
	if (!err && reader->inlines)
		err = find_calls(reader->batch, root, unit, with_lines);
	if (!err && reader->nr_read > PROGRAM_MAX_BYTES)
		err = open_dwarf(reader);
	return err ?: source_batch_late(reader->batch);
}

static bool open_unit(Dwarf *dwarf, uint64_t offset, Dwarf_Die *ret_root, uint64_t *ret_next)
{
	size_t header;

	return !dwarf_next_unit(dwarf, offset, ret_next, &header, NULL, NULL, NULL, NULL, NULL, NULL) &&
	       dwarf_offdie(dwarf, offset + header, ret_root);
}

static int read_all(struct reader *reader)
{
	uint64_t offset = 0, next = 0;
	Dwarf_Die root;
	int err = 0;

	for (uint32_t unit = 0; !err && unit < UNITS_MAX && open_unit(reader->dwarf, offset, &root, &next); unit++) {
		err = read_unit(reader, &root, unit);
		offset = next;
	}
	return err;
}

static int read_left(struct reader *reader)
{
	int err = 0;

	for (size_t i = 0; !err && i < reader->batch->left.nr; i++) {
		const struct source_left *left = &reader->batch->left.data[i];
		uint64_t unused;
		Dwarf_Die root;

		if (left->unit < UNITS_MAX && open_unit(reader->dwarf, left->offset, &root, &unused))
			err = read_unit(reader, &root, left->unit);
	}
	return err;
}

int libdw_sources_find(const struct elf_file *elf, struct source_batch *batch, bool inlines)
{
	struct reader reader = { .batch = batch, .inlines = inlines };
	int err = batch->places.nr ? debug_image_make(elf, &reader.image) : 0;

	if (err || !batch->places.nr)
		return err;
	if (elf_version(EV_CURRENT) != EV_NONE)
		reader.elf = elf_memory((char *)reader.image.bytes, reader.image.nr_bytes);
	err = reader.elf ? open_dwarf(&reader) : -EBADMSG;
	if (!err)
		err = elf->is_laid_out ? read_all(&reader) : read_left(&reader);
	dwarf_end(reader.dwarf);
	elf_end(reader.elf);
	debug_image_done(&reader.image);
	return err;
}
