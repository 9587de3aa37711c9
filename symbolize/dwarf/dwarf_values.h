/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The entries of a unit of .debug_info, and their values (DWARF 2 to 5, chapter 7.5). An entry is the code of its abbreviation, then its
 * values, whose forms determine its length.
 */
#pragma once

#include "symbolize/dwarf/dwarf_abbrevs.h"

/* LLVM's form: an index as for DW_FORM_addrx, and 4 bytes to add to the address. Unknown to libdw 0.188. */
#define DW_FORM_LLVM_addrx_offset 0x2001

/* In offsets: it is an offset in the alternate file (dwarf_files.h). */
#define IN_ALTERNATE (1ull << 63)

/* Where a string is. */
enum dwarf_text_kind {
	TEXT_NONE,
	TEXT_HERE, /* in .debug_info */
	TEXT_STR,
	TEXT_LINE_STR,
};

struct dwarf_text {
	enum dwarf_text_kind kind;
	uint64_t offset; /* may have IN_ALTERNATE */
	uint64_t end; /* TEXT_HERE: end of the unit, before which the string must end */
};

struct dwarf_value {
	uint16_t form;
	uint32_t distance; /* added to the address, by DW_FORM_LLVM_addrx_offset */
	uint64_t number; /* number, reference or index; or size of a block */
	uint64_t offset; /* of the value in .debug_info */
};

/* The attributes that are addresses of an entry. */
struct dwarf_code {
	struct dwarf_value low, high, ranges; /* form 0: the entry has no such attribute */
};

struct dwarf_unit {
	uint64_t offset, end; /* in .debug_info */
	uint64_t entries;     /* offset of the first entry */
	uint64_t abbrevs;     /* offset of its abbreviations in .debug_abbrev */
	uint16_t version;
	uint8_t type, address_size, offset_size;
	bool is_alternate; /* in the alternate file */
	/* from the first entry: */
	struct dwarf_code code;
	bool has_entries; /* it has more entries; a skeleton only if the compiler kept inlined calls in it */
	uint64_t low; /* first address, the base of ranges; 0: none */
	uint64_t program;   /* offset in .debug_line, or NO_PROGRAM */
	uint64_t addresses, range_lists, text_offsets; /* bases in .debug_addr, .debug_rnglists, .debug_str_offsets */
	uint64_t ranges; /* base of range lists; 0 except in split units */
	struct dwarf_text directory; /* where it was compiled */
	struct dwarf_text split_name; /* of a skeleton: its split file (dwarf_splits.h); kind 0: not a skeleton */
	uint64_t split_ranges; /* of a skeleton: `ranges` of the split unit */
	uint64_t split_id; /* of a skeleton and its split unit */
};

/* A position in the entries of a unit. */
struct dwarf_entries {
	const struct dwarf_unit *unit;
	struct byte_reader bytes;
	const uint8_t *start;
	uint64_t offset; /* of `start`, in .debug_info */
};

/* Offset in .debug_info of the next byte. */
static inline uint64_t dwarf_entries_at(const struct dwarf_entries *entries)
{
	return entries->offset + (uint64_t)(entries->bytes.at - entries->start);
}

/* The entries from an offset of .debug_info on, up to the end of the unit, at most `max_bytes`. */
static inline struct dwarf_entries dwarf_entries_from(struct dwarf *dwarf, const struct dwarf_unit *unit,
						      uint64_t offset, uint64_t max_bytes)
{
	uint64_t nr = unit->end - offset;
	struct byte_reader bytes = elf_section_bytes(&dwarf->info, offset, nr < max_bytes ? nr : max_bytes);

	return (struct dwarf_entries){ .unit = unit, .bytes = bytes, .start = bytes.at, .offset = offset };
}

/* Read the next value, or skip all values of an entry. An unknown form sets `bad`, because its size is unknown. */
void dwarf_value_read(struct dwarf_entries *entries, const struct abbrev_attribute *attribute,
		      struct dwarf_value *ret_value);
void dwarf_entry_skip(struct dwarf_entries *entries, const struct abbrevs *abbrevs, const struct abbrev *abbrev);

/*
 * Calls `take` for each value of an entry, after its abbreviation code was read. Inline, because there are millions of entries, and `take`
 * is a constant.
 */
typedef void dwarf_value_take(void *context, uint16_t attribute, const struct dwarf_value *value);

static inline void dwarf_entry_read(struct dwarf_entries *entries, const struct abbrevs *abbrevs,
				    const struct abbrev *abbrev, dwarf_value_take *take, void *context)
{
	for (uint16_t i = 0; i < abbrev->nr_attributes; i++) {
		const struct abbrev_attribute *attribute = &abbrevs->attributes.data[abbrev->first_attribute + i];
		struct dwarf_value value;

		dwarf_value_read(entries, attribute, &value);
		if (entries->bytes.bad)
			return;
		take(context, attribute->name, &value);
	}
}

/*
 * Convert a value to a number that is not negative, an offset in another section, an address (looked up in .debug_addr if it is an index),
 * a text, or a reference to another entry. False, with *ret unchanged, if it is of another kind. `dwarf`: the unit's file. Offsets may have
 * IN_ALTERNATE.
 */
bool dwarf_value_number(const struct dwarf_value *value, uint64_t *ret_number);
bool dwarf_value_offset(const struct dwarf_value *value, uint64_t *ret_offset);
bool dwarf_value_address(struct dwarf *dwarf, const struct dwarf_unit *unit, const struct dwarf_value *value,
			 uint64_t *ret_address);
bool dwarf_value_text(struct dwarf *dwarf, const struct dwarf_unit *unit, const struct dwarf_value *value,
		      struct dwarf_text *ret_text);
bool dwarf_value_reference(const struct dwarf_unit *unit, const struct dwarf_value *value, uint64_t *ret_offset);

/*
 * Number `index` of a table of `nr_bytes` each, at offset `table` of a section. False, with *ret unchanged, beyond the end of the section.
 */
bool dwarf_table_number(struct elf_section *section, uint64_t table, uint64_t index, uint8_t nr_bytes,
			uint64_t *ret_number);

/* Stores the value if the attribute belongs to struct dwarf_code. */
void dwarf_code_take(struct dwarf_code *code, uint16_t attribute, const struct dwarf_value *value);

typedef bool dwarf_range_visit(void *context, uint64_t low, uint64_t high);

/* Calls `visit` for each range that is not empty, until it returns false; at most 1 M ranges. */
void dwarf_code_ranges(struct dwarf *dwarf, const struct dwarf_unit *unit, const struct dwarf_code *code,
		       dwarf_range_visit *visit, void *context);
