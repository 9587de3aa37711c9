/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Abbreviations: what entries of .debug_info look like (DWARF 5, 7.5.3). */
#pragma once

#include "core/base/vec.h"
#include "symbolize/dwarf/dwarf_files.h"

struct abbrev_attribute {
	uint16_t name, form;
	int64_t constant; /* of DW_FORM_implicit_const */
};

struct abbrev {
	uint16_t tag; /* 0: there is none of this code */
	bool has_children;
	bool is_fixed; /* `nr_bytes` is the size of all attributes */
	uint16_t nr_attributes;
	uint32_t first_attribute;
	uint32_t nr_bytes;
};

struct abbrevs {
	const struct dwarf *of; /* NULL: nothing is read */
	uint64_t offset; /* in its .debug_abbrev */
	uint8_t address_size, offset_size;
	uint16_t version;
	VEC(struct abbrev) by_code;
	VEC(struct abbrev_attribute) attributes;
};

/* The size of a form in units of these sizes, -1 when it depends on the value. */
int dwarf_form_size(uint16_t form, uint16_t version, uint8_t address_size, uint8_t offset_size);

/*
 * Reads the table at an offset for units of these sizes, unless it was the last one read. 0, -EBADMSG for one that makes no
 * sense, -E2BIG for one with a code from 65,536 on or with too many attributes, -ENOMEM.
 */
int abbrevs_read(struct abbrevs *abbrevs, struct dwarf *dwarf, uint64_t offset, uint16_t version, uint8_t address_size,
		 uint8_t offset_size);
void abbrevs_done(struct abbrevs *abbrevs);

/* NULL for a code that is not in it. */
static inline const struct abbrev *abbrevs_get(const struct abbrevs *abbrevs, uint64_t code)
{
	return code < abbrevs->by_code.nr && abbrevs->by_code.data[code].tag ? &abbrevs->by_code.data[code] : NULL;
}
