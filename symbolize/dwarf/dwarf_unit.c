/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/dwarf/dwarf_unit.h"

#include <dwarf.h>

#include "symbolize/dwarf/source_batch.h"

enum {
	ROOT_BYTES = 16384, /* limit of the first entry; real ones have hundreds, with strings in place */
	HEADER_BYTES = 40,
};

static int read_rest(struct byte_reader *bytes, struct dwarf_unit *unit)
{
	unit->version = (uint16_t)bytes_number(bytes, 2);
	if (unit->version < 2 || unit->version > 5)
		return -ENODATA;
	if (unit->version >= 5) {
		unit->type = bytes_byte(bytes);
		unit->address_size = bytes_byte(bytes);
		unit->abbrevs = bytes_number(bytes, unit->offset_size);
		if (unit->type < DW_UT_compile || unit->type > DW_UT_split_type)
			return -ENODATA;
		if (unit->type == DW_UT_skeleton || unit->type == DW_UT_split_compile)
			unit->split_id = bytes_number(bytes, 8);
		else if (unit->type == DW_UT_type || unit->type == DW_UT_split_type)
			bytes_skip(bytes, 8 + unit->offset_size);
		/* default bases, just after the header of the first table (7.26 to 7.28) */
		unit->text_offsets = unit->addresses = 2ull * unit->offset_size;
		unit->range_lists = unit->addresses + 4;
	} else {
		unit->abbrevs = bytes_number(bytes, unit->offset_size);
		unit->address_size = bytes_byte(bytes);
	}
	return bytes->bad || (unit->address_size != 4 && unit->address_size != 8) ? -ENODATA : 0;
}

int dwarf_unit_open(struct dwarf *dwarf, uint64_t offset, struct dwarf_unit *ret_unit, uint64_t *ret_next)
{
	struct byte_reader bytes = elf_section_some(&dwarf->info, offset, HEADER_BYTES);
	const uint8_t *start = bytes.at;
	uint64_t nr_bytes = bytes_number(&bytes, 4), header;
	int err;

	*ret_unit = (struct dwarf_unit){ .offset = offset, .offset_size = 4, .program = NO_PROGRAM };
	if (nr_bytes == UINT32_MAX) {
		nr_bytes = bytes_number(&bytes, 8);
		ret_unit->offset_size = 8;
	}
	header = offset + (uint64_t)(bytes.at - start);
	if (bytes.bad || nr_bytes > dwarf->info.nr_bytes - header)
		return -EBADMSG;
	*ret_next = ret_unit->end = header + nr_bytes;
	err = read_rest(&bytes, ret_unit);
	ret_unit->entries = offset + (uint64_t)(bytes.at - start);
	return err ?: ret_unit->entries > ret_unit->end ? -ENODATA : 0;
}

/* The first entry of a unit, and its values that depend on a base. In the entry, the base may follow these values. */
struct root {
	struct dwarf_unit *unit;
	struct dwarf_value directory, split_name, entry;
};

static void take_root(void *context, uint16_t attribute, const struct dwarf_value *value)
{
	struct root *root = context;
	struct dwarf_unit *unit = root->unit;

	switch (attribute) {
	case DW_AT_stmt_list:
		dwarf_value_offset(value, &unit->program);
		break;
	case DW_AT_comp_dir:
		root->directory = *value;
		break;
	case DW_AT_dwo_name:
	case DW_AT_GNU_dwo_name:
		root->split_name = *value;
		break;
	case DW_AT_entry_pc:
		root->entry = *value;
		break;
	case DW_AT_GNU_dwo_id:
		dwarf_value_number(value, &unit->split_id);
		break;
	case DW_AT_GNU_ranges_base:
		dwarf_value_offset(value, &unit->split_ranges);
		break;
	case DW_AT_addr_base:
	case DW_AT_GNU_addr_base:
		dwarf_value_offset(value, &unit->addresses);
		break;
	case DW_AT_rnglists_base:
		dwarf_value_offset(value, &unit->range_lists);
		break;
	case DW_AT_str_offsets_base:
		dwarf_value_offset(value, &unit->text_offsets);
		break;
	default:
		dwarf_code_take(&unit->code, attribute, value);
	}
}

int dwarf_unit_read_root(struct dwarf *dwarf, struct dwarf_unit *unit, struct abbrevs *abbrevs)
{
	int err = abbrevs_read(abbrevs, dwarf, unit->abbrevs, unit->version, unit->address_size, unit->offset_size);
	struct root root = { .unit = unit };
	struct dwarf_entries entries;
	const struct abbrev *abbrev;

	if (err)
		return err == -ENOMEM || err == -E2BIG ? err : -ENODATA;
	entries = dwarf_entries_from(dwarf, unit, unit->entries, ROOT_BYTES);
	abbrev = abbrevs_get(abbrevs, bytes_uleb(&entries.bytes));
	unit->has_entries = abbrev && abbrev->has_children;
	if (abbrev)
		dwarf_entry_read(&entries, abbrevs, abbrev, take_root, &root);
	dwarf_value_text(dwarf, unit, &root.directory, &unit->directory);
	dwarf_value_text(dwarf, unit, &root.split_name, &unit->split_name);
	/* In a unit with several ranges, GCC 4 writes the base as DW_AT_entry_pc, without DW_AT_low_pc. */
	if (!dwarf_value_address(dwarf, unit, &unit->code.low, &unit->low))
		dwarf_value_address(dwarf, unit, &root.entry, &unit->low);
	if (abbrev && entries.bytes.bad && unit->end - unit->entries > ROOT_BYTES)
		return -E2BIG;
	return abbrev && !entries.bytes.bad ? 0 : -ENODATA;
}
