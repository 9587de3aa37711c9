/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/libdw/libdw_sources.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <libelf.h>
#include <unistd.h>

#include "symbolize/libdw/debug_image.h"
#include "symbolize/libdw/libdw_calls.h"

enum {
	PROGRAM_MAX_BYTES = 2 << 20, /* of the lines of one unit */
	UNITS_MAX = 1 << 19, /* libdw keeps something of each */
};

/* ---- units ---- */

/* Not a skeleton, in the forms of DWARF 5 and GNU: libdw would look for the split file. */
static bool is_readable(Dwarf_Die *root)
{
	int tag = dwarf_tag(root);

	return (tag == DW_TAG_compile_unit || tag == DW_TAG_partial_unit) && !dwarf_hasattr(root, DW_AT_dwo_name) &&
	       !dwarf_hasattr(root, DW_AT_GNU_dwo_name) && !dwarf_hasattr(root, DW_AT_GNU_dwo_id);
}

/* ---- lines ---- */

/* The row of a place: the last one at or before its address. */
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

/* Of a program that is not read the lines stay that our own reader has found. */
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

/* ---- all of them ---- */

struct reader {
	struct source_batch *batch;
	bool inlines;
	struct debug_image image;
	Elf *elf;
	Dwarf *dwarf;
	uint64_t nr_read; /* bytes of line programs, since it was opened: it keeps all rows */
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

/* A row can be a byte, and takes a hundred. */
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
	libdw_ranges(root, source_claim_range, &claim);
	if (!claim.any)
		return 0;
	with_lines = may_read_lines(reader, root);
	err = answer_places(reader->batch, root, unit, with_lines);
	if (!err && reader->inlines)
		err = libdw_calls_find(reader->batch, root, unit, with_lines);
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
