/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/dwarf/dwarf_splits.h"

#include <dwarf.h>

#include "symbolize/dwarf/source_batch.h"

enum {
	INDEX_HEADER_BYTES = 16,
	COLUMNS_MAX = 16,   /* kinds of sections; there are eight */
	SLOTS_MAX = 1 << 24,
	PROBES_MAX = 1024,  /* a third of the slots is empty */
	UNITS_MAX = 4096,   /* of a .dwo; one, but for link-time optimization */
};

/* Where a unit's parts of the sections begin. All of a .dwo is one part. */
struct parts {
	uint64_t info, abbrev, text_offsets, range_lists;
};

/* ---- the index of a package (DWARF 5, 7.3.5.3) ---- */

struct cu_index {
	struct elf_section *section;
	uint32_t nr_columns, nr_units, nr_slots;
	uint16_t version;
};

static uint64_t number_at(struct elf_section *section, uint64_t offset, size_t nr_bytes)
{
	struct byte_reader bytes = elf_section_bytes(section, offset, nr_bytes);

	return bytes.bad ? 0 : bytes_number(&bytes, nr_bytes);
}

/* Version 2 is GNU's, and 5 the same but for the kinds of sections. */
static bool read_header(struct dwarf *package, struct cu_index *index)
{
	struct byte_reader bytes = elf_section_bytes(&package->cu_index, 0, INDEX_HEADER_BYTES);
	uint64_t nr_bytes;

	index->version = (uint16_t)bytes_number(&bytes, 4);
	index->section = &package->cu_index;
	index->nr_columns = (uint32_t)bytes_number(&bytes, 4);
	index->nr_units = (uint32_t)bytes_number(&bytes, 4);
	index->nr_slots = (uint32_t)bytes_number(&bytes, 4);
	/* numbers and rows of the slots; kinds, offsets and sizes of the columns */
	nr_bytes =
		INDEX_HEADER_BYTES + 12ull * index->nr_slots + 4ull * index->nr_columns * (1 + 2ull * index->nr_units);
	return !bytes.bad && nr_bytes <= index->section->nr_bytes && (index->version == 2 || index->version == 5) &&
	       index->nr_columns <= COLUMNS_MAX && index->nr_slots && index->nr_slots <= SLOTS_MAX &&
	       index->nr_units <= index->nr_slots && !(index->nr_slots & (index->nr_slots - 1));
}

/* The row of a unit, counted from 1; 0: it is not there. */
static uint32_t find_row(const struct cu_index *index, uint64_t id)
{
	uint32_t mask = index->nr_slots - 1, slot = (uint32_t)id & mask, step = ((uint32_t)(id >> 32) & mask) | 1;
	uint64_t rows = INDEX_HEADER_BYTES + 8ull * index->nr_slots;

	for (uint32_t i = 0; i < index->nr_slots && i < PROBES_MAX; i++, slot = (slot + step) & mask) {
		uint32_t row = (uint32_t)number_at(index->section, rows + 4ull * slot, 4);

		if (!row || number_at(index->section, INDEX_HEADER_BYTES + 8ull * slot, 8) == id)
			return row;
	}
	return 0;
}

static void read_row(const struct cu_index *index, uint32_t row, struct parts *parts)
{
	uint64_t kinds = INDEX_HEADER_BYTES + 12ull * index->nr_slots, offsets = kinds + 4ull * row * index->nr_columns;

	for (uint32_t i = 0; i < index->nr_columns; i++) {
		uint64_t offset = number_at(index->section, offsets + 4ull * i, 4);

		switch (number_at(index->section, kinds + 4ull * i, 4)) {
		case DW_SECT_INFO:
			parts->info = offset;
			break;
		case DW_SECT_ABBREV:
			parts->abbrev = offset;
			break;
		case DW_SECT_STR_OFFSETS:
			parts->text_offsets = offset;
			break;
		case DW_SECT_RNGLISTS: /* version 2 has macros there */
			parts->range_lists = index->version >= 5 ? offset : 0;
			break;
		default:
			break;
		}
	}
}

static bool find_parts(struct dwarf *package, uint64_t id, struct parts *parts)
{
	struct cu_index index = {};
	uint32_t row = read_header(package, &index) ? find_row(&index, id) : 0;

	if (!row || row > index.nr_units)
		return false;
	read_row(&index, row, parts);
	return true;
}

/* ---- units ---- */

static void set_bases(struct dwarf_unit *unit, const struct dwarf_unit *skeleton, const struct parts *parts)
{
	unit->abbrevs += parts->abbrev;
	unit->addresses = skeleton->addresses;
	unit->text_offsets += parts->text_offsets;
	unit->range_lists += parts->range_lists;
	unit->ranges = unit->version >= 5 ? parts->range_lists : skeleton->split_ranges;
}

static int open_unit(struct dwarf *split, const struct dwarf_unit *skeleton, const struct parts *parts,
		     struct abbrevs *abbrevs, struct dwarf_unit *ret_unit, uint64_t *ret_next)
{
	int err = dwarf_unit_open(split, parts->info, ret_unit, ret_next);

	if (err)
		return err;
	set_bases(ret_unit, skeleton, parts);
	err = dwarf_unit_read_root(split, ret_unit, abbrevs);
	ret_unit->program = skeleton->program;
	ret_unit->low = skeleton->low;
	return err ?: ret_unit->split_id == skeleton->split_id ? 0 : -ENODATA;
}

int dwarf_splits_find(struct dwarf *split, const struct dwarf_unit *skeleton, struct abbrevs *abbrevs,
		      struct dwarf_unit *ret_unit)
{
	struct parts parts = {};
	bool is_package = split->cu_index.elf;
	uint64_t next = 0;
	int err;

	if (is_package && !find_parts(split, skeleton->split_id, &parts))
		return -ENODATA;
	for (int i = 0; i < UNITS_MAX; i++) {
		err = open_unit(split, skeleton, &parts, abbrevs, ret_unit, &next);
		if (!err || err == -ENOMEM || err == -EBADMSG || is_package)
			break;
		parts.info = next;
	}
	return err == -EBADMSG ? -ENODATA : err;
}
