/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Abbreviations: tag and attributes of entries in .debug_info (DWARF 5, 7.5.3). */
#pragma once

#include "core/base/vec.h"
#include "symbolize/dwarf/dwarf_files.h"

struct abbrev_attribute {
	uint16_t name, form;
	int64_t constant; /* value of DW_FORM_implicit_const */
};

struct abbrev {
	uint16_t tag; /* 0: no abbreviation has this code */
	bool has_children;
	bool is_fixed; /* all values have a fixed size, `nr_bytes` together */
	uint16_t nr_attributes;
	uint32_t first_attribute; /* index into abbrevs.attributes */
	uint32_t nr_bytes;
};

struct abbrevs {
	const struct dwarf *of; /* the file of the table; NULL: none was read */
	uint64_t offset; /* of the table in .debug_abbrev */
	uint8_t address_size, offset_size;
	uint16_t version;
	VEC(struct abbrev) by_code;
	VEC(struct abbrev_attribute) attributes;
};

/* Size in bytes of a form in a unit of this version and sizes; -1: depends on the value. */
int dwarf_form_size(uint16_t form, uint16_t version, uint8_t address_size, uint8_t offset_size);

/*
 * Reads the table at an offset for units of this version and sizes, unless it was the last one read. Returns 0, -EBADMSG for a malformed
 * table, -E2BIG for codes from 65,536 on or too many attributes, or -ENOMEM.
 */
int abbrevs_read(struct abbrevs *abbrevs, struct dwarf *dwarf, uint64_t offset, uint16_t version, uint8_t address_size,
		 uint8_t offset_size);
void abbrevs_done(struct abbrevs *abbrevs);

/* NULL: no such abbreviation. */
static inline const struct abbrev *abbrevs_get(const struct abbrevs *abbrevs, uint64_t code)
{
	return code < abbrevs->by_code.nr && abbrevs->by_code.data[code].tag ? &abbrevs->by_code.data[code] : NULL;
}
