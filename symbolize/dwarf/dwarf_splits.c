/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/dwarf/dwarf_splits.h"

#include <dwarf.h>

#include "symbolize/dwarf/source_batch.h"

enum {
	INDEX_HEADER_BYTES = 16,
	COLUMNS_MAX = 16,   /* kinds of sections; eight are defined */
	SLOTS_MAX = 1 << 24,
	PROBES_MAX = 1024,  /* slots visited by a search; at least a third of all are empty */
	UNITS_MAX = 4096,   /* of a .dwo; more than one only with link-time optimization */
};

/* Where the unit's part of each section begins, by DW_SECT_…; 0 in a .dwo. */
struct parts {
	uint64_t at[DW_SECT_RNGLISTS + 1];
};

/* The index of a package: DWARF 5, 7.3.5.3. */

struct cu_index {
	struct elf_section *section;
	uint32_t nr_columns, nr_units, nr_slots;
	uint16_t version;
};

static uint64_t number_at(const struct cu_index *index, uint64_t table, uint64_t i, uint8_t nr_bytes)
{
	uint64_t number = 0;

	dwarf_table_number(index->section, table, i, nr_bytes, &number);
	return number;
}

/* Version 2 is GNU's, version 5 is DWARF 5's: they number the kinds of sections differently. */
static bool read_header(struct dwarf *package, struct cu_index *index)
{
	struct byte_reader bytes = elf_section_bytes(&package->cu_index, 0, INDEX_HEADER_BYTES);
	uint64_t nr_bytes;

	index->version = (uint16_t)bytes_number(&bytes, 4);
	index->section = &package->cu_index;
	index->nr_columns = (uint32_t)bytes_number(&bytes, 4);
	index->nr_units = (uint32_t)bytes_number(&bytes, 4);
	index->nr_slots = (uint32_t)bytes_number(&bytes, 4);
	/* per slot an id and a row number; per column a kind; per column and unit an offset and a size */
	nr_bytes =
		INDEX_HEADER_BYTES + 12ull * index->nr_slots + 4ull * index->nr_columns * (1 + 2ull * index->nr_units);
	return !bytes.bad && nr_bytes <= index->section->nr_bytes && (index->version == 2 || index->version == 5) &&
	       index->nr_columns <= COLUMNS_MAX && index->nr_slots && index->nr_slots <= SLOTS_MAX &&
	       index->nr_units <= index->nr_slots && !(index->nr_slots & (index->nr_slots - 1));
}

/* Row number of the unit with this id, from 1; 0: none. */
static uint32_t find_row(const struct cu_index *index, uint64_t id)
{
	uint32_t mask = index->nr_slots - 1, slot = (uint32_t)id & mask, step = ((uint32_t)(id >> 32) & mask) | 1;
	uint64_t rows = INDEX_HEADER_BYTES + 8ull * index->nr_slots;

	for (uint32_t i = 0; i < index->nr_slots && i < PROBES_MAX; i++, slot = (slot + step) & mask) {
		uint32_t row = (uint32_t)number_at(index, rows, slot, 4);

		if (!row || number_at(index, INDEX_HEADER_BYTES, slot, 8) == id)
			return row;
	}
	return 0;
}

static bool find_parts(struct dwarf *package, uint64_t id, struct parts *parts)
{
	struct cu_index index = {};
	uint32_t row = read_header(package, &index) ? find_row(&index, id) : 0;
	uint64_t kinds = INDEX_HEADER_BYTES + 12ull * index.nr_slots, offsets = kinds + 4ull * row * index.nr_columns;

	if (!row || row > index.nr_units)
		return false;
	for (uint32_t i = 0; i < index.nr_columns; i++) {
		uint64_t kind = number_at(&index, kinds, i, 4);

		if (kind <= DW_SECT_RNGLISTS)
			parts->at[kind] = number_at(&index, offsets, i, 4);
	}
	if (index.version < 5) /* stands for macros in version 2 */
		parts->at[DW_SECT_RNGLISTS] = 0;
	return true;
}

static int open_unit(struct dwarf *split, const struct dwarf_unit *skeleton, const struct parts *parts,
		     struct abbrevs *abbrevs, struct dwarf_unit *unit, uint64_t *ret_next)
{
	int err = dwarf_unit_open(split, parts->at[DW_SECT_INFO], unit, ret_next);

	if (err)
		return err;
	unit->abbrevs += parts->at[DW_SECT_ABBREV];
	unit->addresses = skeleton->addresses;
	unit->text_offsets += parts->at[DW_SECT_STR_OFFSETS];
	unit->range_lists += parts->at[DW_SECT_RNGLISTS];
	unit->ranges = unit->version >= 5 ? parts->at[DW_SECT_RNGLISTS] : skeleton->split_ranges;
	err = dwarf_unit_read_root(split, unit, abbrevs);
	unit->program = skeleton->program;
	unit->low = skeleton->low;
	return err ?: unit->split_id == skeleton->split_id ? 0 : -ENODATA;
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
		parts.at[DW_SECT_INFO] = next;
	}
	return err == -EBADMSG ? -ENODATA : err;
}
