/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Units of .debug_info and the values in their entries (DWARF 2 to 5, chapters 3.1 and 7.5). An entry is its
 * abbreviation and then its values, one after the other; nothing says how long it is but its forms.
 */
#pragma once

#include "symbolize/dwarf/dwarf_abbrevs.h"

/* A string where it stands. */
enum dwarf_text_kind {
	TEXT_NONE,
	TEXT_HERE, /* at this offset of .debug_info */
	TEXT_STR,
	TEXT_LINE_STR,
};

/* Marks offsets in the alternate file. */
#define IN_ALTERNATE (1ull << 63)

struct dwarf_text {
	enum dwarf_text_kind kind;
	uint64_t offset; /* maybe IN_ALTERNATE */
	uint64_t end; /* TEXT_HERE: of its unit, which the string is in */
};

/* An index as DW_FORM_addrx has it, and 4 bytes to add to the address (LLVM). libdw 0.188 does not know it. */
#define DW_FORM_LLVM_addrx_offset 0x2001

/* A value of an entry. */
struct dwarf_value {
	uint16_t form;
	uint32_t distance; /* of DW_FORM_LLVM_addrx_offset */
	uint64_t number; /* also a reference as it stands, an index, the size of a block */
	uint64_t offset; /* of it, in .debug_info */
};

/* An entry's addresses as its attributes tell them. */
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
	bool has_entries; /* behind it; a skeleton has none, unless it tells of inlined calls itself */
	uint64_t low; /* where its range begins, for what is relative to that; 0 without one */
	uint64_t program;   /* offset in .debug_line; NO_PROGRAM */
	uint64_t addresses, range_lists, text_offsets; /* bases of its parts of .debug_addr and so on */
	uint64_t ranges; /* where its part of the section with ranges begins; not 0 in split units only */
	struct dwarf_text directory;
	/* of a skeleton: the file of what it stands for, kind 0 none (dwarf_splits.h), and where the ranges of that begin */
	struct dwarf_text split_name;
	uint64_t split_ranges;
	uint64_t split_id; /* of a skeleton, and of what it stands for */
};

/* The size of a form, -1 when it depends on the value. */
int dwarf_form_size(uint16_t form, uint16_t version, uint8_t address_size, uint8_t offset_size);

/*
 * Reads the header of the unit at an offset, and *ret_next, where the following one begins. 0, -ENODATA for one that
 * cannot be understood but skipped, -EBADMSG when there is nothing more to read.
 */
int dwarf_unit_open(struct dwarf *dwarf, uint64_t offset, struct dwarf_unit *ret_unit, uint64_t *ret_next);

/*
 * Reads its first entry, and the abbreviations for that. 0, -ENODATA when it makes no sense, -E2BIG when there are too
 * many abbreviations or the entry is too long, -ENOMEM.
 */
int dwarf_unit_read_root(struct dwarf *dwarf, struct dwarf_unit *unit, struct abbrevs *abbrevs);

/* An entry that is being read: its bytes, and their offset in .debug_info. */
struct dwarf_entries {
	const struct dwarf_unit *unit;
	struct byte_reader bytes;
	const uint8_t *start;
	uint64_t offset; /* of `start` */
};

static inline uint64_t dwarf_entries_at(const struct dwarf_entries *entries)
{
	return entries->offset + (uint64_t)(entries->bytes.at - entries->start);
}

/* The next value; `bad` for forms that are not known, since nothing behind them can be read. */
void dwarf_value_read(struct dwarf_entries *entries, const struct abbrev_attribute *attribute,
		      struct dwarf_value *ret_value);
void dwarf_entry_skip(struct dwarf_entries *entries, const struct abbrevs *abbrevs, const struct abbrev *abbrev);

/* Entries from an offset of .debug_info on, up to the end of the unit and `max_bytes`. */
static inline struct dwarf_entries dwarf_entries_from(struct dwarf *dwarf, const struct dwarf_unit *unit,
						      uint64_t offset, uint64_t max_bytes)
{
	uint64_t nr = unit->end - offset;
	struct byte_reader bytes = elf_section_bytes(&dwarf->info, offset, nr < max_bytes ? nr : max_bytes);

	return (struct dwarf_entries){ .unit = unit, .bytes = bytes, .start = bytes.at, .offset = offset };
}

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
 * What a value means: a constant that is not negative, an offset in another section, an address, a text, another entry. False,
 * and the number as it was, when it is none of the kind. Addresses of .debug_addr are read. `dwarf` is that of the unit; texts
 * and references may be IN_ALTERNATE.
 */
bool dwarf_value_number(const struct dwarf_value *value, uint64_t *ret_number);
bool dwarf_value_offset(const struct dwarf_value *value, uint64_t *ret_offset);
bool dwarf_value_address(struct dwarf *dwarf, const struct dwarf_unit *unit, const struct dwarf_value *value,
			 uint64_t *ret_address);
bool dwarf_value_text(struct dwarf *dwarf, const struct dwarf_unit *unit, const struct dwarf_value *value,
		      struct dwarf_text *ret_text);
bool dwarf_value_reference(const struct dwarf_unit *unit, const struct dwarf_value *value, uint64_t *ret_offset);

void dwarf_code_take(struct dwarf_code *code, uint16_t attribute, const struct dwarf_value *value);

typedef bool dwarf_range_visit(void *context, uint64_t low, uint64_t high);

/* Calls `visit` for each range, until it returns false; 1 M at most. */
void dwarf_code_ranges(struct dwarf *dwarf, const struct dwarf_unit *unit, const struct dwarf_code *code,
		       dwarf_range_visit *visit, void *context);
