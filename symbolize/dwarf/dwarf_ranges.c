/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The addresses of an entry: a range, or a list of ranges (DWARF 5, 2.17 and 7.25; DWARF 4, 2.17.3). */
#include <dwarf.h>

#include "symbolize/dwarf/dwarf_values.h"

enum {
	RANGES_MAX = 1 << 20,
	LIST_BYTES = 16384, /* of a list, read at once; an entry has at most 24 */
	ENTRY_BYTES = 32,
};

struct list {
	struct dwarf *dwarf;
	const struct dwarf_unit *unit;
	struct byte_reader bytes;
	uint64_t base;
	dwarf_range_visit *visit;
	void *context;
};

/* Skips empty and negative ranges. */
static bool visit(struct list *list, uint64_t low, uint64_t high)
{
	return high <= low || list->visit(list->context, low, high);
}

/* .debug_ranges: pairs relative to a base. A pair that begins with all ones sets the base; two zeroes end the list. */
static bool next_old(struct list *list)
{
	uint8_t nr = list->unit->address_size;
	uint64_t ones = nr == 8 ? UINT64_MAX : UINT32_MAX;
	uint64_t low = bytes_number(&list->bytes, nr), high = bytes_number(&list->bytes, nr);

	if (list->bytes.bad || (!low && !high))
		return false;
	if (low == ones) {
		list->base = high;
		return true;
	}
	return visit(list, list->base + low, list->base + high);
}

/* Reads an index into .debug_addr. Returns the address there; 0 and `bad` if there is none. */
static uint64_t indexed(struct list *list)
{
	const struct dwarf_value value = { .form = DW_FORM_addrx, .number = bytes_uleb(&list->bytes) };
	uint64_t address;

	return dwarf_value_address(list->dwarf, list->unit, &value, &address) ? address : bytes_fail(&list->bytes);
}

/* .debug_rnglists */
static bool next_new(struct list *list)
{
	uint8_t nr = list->unit->address_size;
	uint64_t low = 0, high = 0;

	switch (bytes_byte(&list->bytes)) {
	case DW_RLE_base_addressx:
		list->base = indexed(list);
		break;
	case DW_RLE_startx_endx:
		low = indexed(list);
		high = indexed(list);
		break;
	case DW_RLE_startx_length:
		low = indexed(list);
		high = low + bytes_uleb(&list->bytes);
		break;
	case DW_RLE_offset_pair:
		low = list->base + bytes_uleb(&list->bytes);
		high = list->base + bytes_uleb(&list->bytes);
		break;
	case DW_RLE_base_address:
		list->base = bytes_number(&list->bytes, nr);
		break;
	case DW_RLE_start_end:
		low = bytes_number(&list->bytes, nr);
		high = bytes_number(&list->bytes, nr);
		break;
	case DW_RLE_start_length:
		low = bytes_number(&list->bytes, nr);
		high = low + bytes_uleb(&list->bytes);
		break;
	default: /* the end, or an unknown kind */
		return false;
	}
	return !list->bytes.bad && visit(list, low, high);
}

static void walk(struct list *list, struct elf_section *section, uint64_t offset, bool is_new)
{
	const uint8_t *start;

	list->bytes = elf_section_some(section, offset, LIST_BYTES);
	start = list->bytes.at;
	for (int i = 0; i < RANGES_MAX && !list->bytes.bad; i++) {
		if (bytes_left(&list->bytes) < ENTRY_BYTES && list->bytes.at > start) {
			offset += (uint64_t)(list->bytes.at - start);
			list->bytes = elf_section_some(section, offset, LIST_BYTES);
			start = list->bytes.at;
		}
		if (list->bytes.bad || !(is_new ? next_new(list) : next_old(list)))
			return;
	}
}

void dwarf_code_ranges(struct dwarf *dwarf, const struct dwarf_unit *unit, const struct dwarf_code *code,
		       dwarf_range_visit *visit_range, void *context)
{
	struct list list = { .dwarf = dwarf, .unit = unit, .base = unit->low, .visit = visit_range, .context = context };
	struct elf_section *old = dwarf->skeletons ? &dwarf->skeletons->ranges : &dwarf->ranges;
	uint64_t low, high, offset;
	bool is_new = unit->version >= 5;

	if (is_new &&
	    code->ranges.form == DW_FORM_rnglistx) { /* an index into a table of offsets relative to the table */
		if (dwarf_table_number(&dwarf->rnglists, unit->range_lists, code->ranges.number, unit->offset_size,
				       &offset))
			walk(&list, &dwarf->rnglists, unit->range_lists + offset, is_new);
	} else if (code->ranges.form) {
		if (dwarf_value_offset(&code->ranges, &offset))
			walk(&list, is_new ? &dwarf->rnglists : old, unit->ranges + offset, is_new);
	} else if (dwarf_value_address(dwarf, unit, &code->low, &low)) {
		if (dwarf_value_number(&code->high, &high))
			high += low;
		else if (!dwarf_value_address(dwarf, unit, &code->high, &high))
			return;
		visit(&list, low, high);
	}
}
