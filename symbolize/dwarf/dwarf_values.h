/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The entries of a unit of .debug_info and the values in them (DWARF 2 to 5, chapter 7.5). An entry is its abbreviation
 * and then its values, one after the other; only its forms tell how long it is.
 */
#pragma once

#include "symbolize/dwarf/dwarf_abbrevs.h"

/* An index as DW_FORM_addrx has it, and 4 bytes to add to the address (LLVM). libdw 0.188 does not know it. */
#define DW_FORM_LLVM_addrx_offset 0x2001

/* Marks offsets in the alternate file. */
#define IN_ALTERNATE (1ull << 63)

/* Where a string is. */
enum dwarf_text_kind {
	TEXT_NONE,
	TEXT_HERE, /* at this offset of .debug_info */
	TEXT_STR,
	TEXT_LINE_STR,
};

struct dwarf_text {
	enum dwarf_text_kind kind;
	uint64_t offset; /* maybe IN_ALTERNATE */
	uint64_t end; /* TEXT_HERE: of its unit, which the string is in */
};

struct dwarf_value {
	uint16_t form;
	uint32_t distance; /* of DW_FORM_LLVM_addrx_offset */
	uint64_t number; /* also a reference as the file has it, an index, the size of a block */
	uint64_t offset; /* of it, in .debug_info */
};

/* The attributes of an entry that tell its addresses. */
struct dwarf_code {
	struct dwarf_value low, high, ranges; /* form 0: it has none */
};

struct dwarf_unit {
	uint64_t offset, end; /* in .debug_info */
	uint64_t entries;     /* where the first one is */
	uint64_t abbrevs;     /* in .debug_abbrev */
	uint16_t version;
	uint8_t type, address_size, offset_size;
	bool is_alternate; /* of the alternate file */
	/* of its first entry */
	struct dwarf_code code;
	bool has_entries; /* after it; a skeleton has none, unless the compiler kept the inlined calls there */
	uint64_t low; /* where its range begins, for what is relative to that; 0 without one */
	uint64_t program;   /* offset in .debug_line; NO_PROGRAM */
	uint64_t addresses, range_lists, text_offsets; /* bases of its parts of .debug_addr and so on */
	uint64_t ranges; /* where its part of the section with ranges begins; not 0 in split units only */
	struct dwarf_text directory;
	/* of a skeleton: its split file, kind 0 none (dwarf_splits.h), and where the ranges of the split unit begin */
	struct dwarf_text split_name;
	uint64_t split_ranges;
	uint64_t split_id; /* of a skeleton and its split unit */
};

/* Entries that are being read: their bytes, and the offset of these in .debug_info. */
struct dwarf_entries {
	const struct dwarf_unit *unit;
	struct byte_reader bytes;
	const uint8_t *start;
	uint64_t offset; /* of `start` */
};

/* The offset of what is read next. */
static inline uint64_t dwarf_entries_at(const struct dwarf_entries *entries)
{
	return entries->offset + (uint64_t)(entries->bytes.at - entries->start);
}

/* Entries from an offset of .debug_info on, up to the end of the unit and `max_bytes`. */
static inline struct dwarf_entries dwarf_entries_from(struct dwarf *dwarf, const struct dwarf_unit *unit,
						      uint64_t offset, uint64_t max_bytes)
{
	uint64_t nr = unit->end - offset;
	struct byte_reader bytes = elf_section_bytes(&dwarf->info, offset, nr < max_bytes ? nr : max_bytes);

	return (struct dwarf_entries){ .unit = unit, .bytes = bytes, .start = bytes.at, .offset = offset };
}

/* The next value, or all values of an entry; `bad` for an unknown form, since nothing after it can be read. */
void dwarf_value_read(struct dwarf_entries *entries, const struct abbrev_attribute *attribute,
		      struct dwarf_value *ret_value);
void dwarf_entry_skip(struct dwarf_entries *entries, const struct abbrevs *abbrevs, const struct abbrev *abbrev);

/*
 * Calls `take` for each value of the entry whose abbreviation was read last. Inline, for there are millions of entries
 * and two or three ways to take them.
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
 * What a value means: a constant that is not negative, an offset in another section, an address, a text, another entry.
 * False, and *ret unchanged, when it is none of the kind. Addresses of .debug_addr are read. `dwarf` is that of the unit;
 * texts and references may be IN_ALTERNATE.
 */
bool dwarf_value_number(const struct dwarf_value *value, uint64_t *ret_number);
bool dwarf_value_offset(const struct dwarf_value *value, uint64_t *ret_offset);
bool dwarf_value_address(struct dwarf *dwarf, const struct dwarf_unit *unit, const struct dwarf_value *value,
			 uint64_t *ret_address);
bool dwarf_value_text(struct dwarf *dwarf, const struct dwarf_unit *unit, const struct dwarf_value *value,
		      struct dwarf_text *ret_text);
bool dwarf_value_reference(const struct dwarf_unit *unit, const struct dwarf_value *value, uint64_t *ret_offset);

/*
 * Number `index` of a table of numbers of `nr_bytes`, which begins at an offset of a section. False, and *ret unchanged,
 * when it is not there.
 */
bool dwarf_table_number(struct elf_section *section, uint64_t table, uint64_t index, uint8_t nr_bytes,
			uint64_t *ret_number);

/* Keeps the value of an attribute that tells addresses; others are ignored. */
void dwarf_code_take(struct dwarf_code *code, uint16_t attribute, const struct dwarf_value *value);

typedef bool dwarf_range_visit(void *context, uint64_t low, uint64_t high);

/* Calls `visit` for each range, until it returns false; 1 M at most. */
void dwarf_code_ranges(struct dwarf *dwarf, const struct dwarf_unit *unit, const struct dwarf_code *code,
		       dwarf_range_visit *visit, void *context);
