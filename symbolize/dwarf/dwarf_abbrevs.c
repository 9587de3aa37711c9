/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/dwarf/dwarf_abbrevs.h"

#include <dwarf.h>

#include "symbolize/dwarf/dwarf_unit.h"

enum {
	CODES_MAX = 65536,
	ATTRIBUTES_MAX = 1 << 20,
	OF_ONE_MAX = 1024,
};

/* Adds a form's size to that of all, as long as each is fixed. */
static void add_size(const struct abbrevs *abbrevs, struct abbrev *abbrev, uint16_t form)
{
	int nr = dwarf_form_size(form, abbrevs->version, abbrevs->address_size, abbrevs->offset_size);

	abbrev->is_fixed = abbrev->is_fixed && nr >= 0;
	if (abbrev->is_fixed)
		abbrev->nr_bytes += (uint32_t)nr;
}

static int read_attributes(struct abbrevs *abbrevs, struct byte_reader *bytes, struct abbrev *abbrev)
{
	for (;;) {
		uint64_t name = bytes_uleb(bytes), form = bytes_uleb(bytes);
		int64_t constant = form == DW_FORM_implicit_const ? bytes_sleb(bytes) : 0;
		int err;

		if (bytes->bad || name > UINT16_MAX || form > UINT16_MAX)
			return -EBADMSG;
		if (!name && !form)
			return 0;
		if (abbrev->nr_attributes >= OF_ONE_MAX || abbrevs->attributes.nr >= ATTRIBUTES_MAX)
			return -E2BIG;
		err = vec_try_push(&abbrevs->attributes,
				   (struct abbrev_attribute){ (uint16_t)name, (uint16_t)form, constant });
		if (err)
			return err;
		abbrev->nr_attributes++;
		add_size(abbrevs, abbrev, (uint16_t)form);
	}
}

/* Compilers number them from 1 on without gaps. */
static int put(struct abbrevs *abbrevs, uint64_t code, const struct abbrev *abbrev)
{
	while (abbrevs->by_code.nr <= code) {
		int err = vec_try_push(&abbrevs->by_code, (struct abbrev){});

		if (err)
			return err;
	}
	abbrevs->by_code.data[code] = *abbrev;
	return 0;
}

static int read_all(struct abbrevs *abbrevs, struct byte_reader bytes)
{
	uint64_t code;
	int err = 0;

	while (!err && (code = bytes_uleb(&bytes))) {
		uint64_t tag = bytes_uleb(&bytes);
		struct abbrev abbrev = {
			.tag = (uint16_t)tag,
			.has_children = bytes_byte(&bytes),
			.is_fixed = true,
			.first_attribute = (uint32_t)abbrevs->attributes.nr,
		};

		err = !tag || tag > UINT16_MAX ? -EBADMSG : code >= CODES_MAX ? -E2BIG : 0;
		err = err ?: read_attributes(abbrevs, &bytes, &abbrev);
		err = err ?: put(abbrevs, code, &abbrev);
	}
	return err ?: bytes.bad ? -EBADMSG : 0;
}

int abbrevs_read(struct abbrevs *abbrevs, struct dwarf *dwarf, uint64_t offset, uint16_t version, uint8_t address_size,
		 uint8_t offset_size)
{
	int err;

	if (abbrevs->is_known && abbrevs->of == dwarf && abbrevs->offset == offset && abbrevs->version == version &&
	    abbrevs->address_size == address_size && abbrevs->offset_size == offset_size)
		return 0;
	abbrevs->by_code.nr = abbrevs->attributes.nr = 0;
	abbrevs->of = dwarf;
	abbrevs->offset = offset;
	abbrevs->version = version;
	abbrevs->address_size = address_size;
	abbrevs->offset_size = offset_size;
	err = read_all(abbrevs, elf_section_some(&dwarf->abbrev, offset, UINT64_MAX));
	abbrevs->is_known = !err;
	return err;
}

void abbrevs_done(struct abbrevs *abbrevs)
{
	vec_done(&abbrevs->by_code);
	vec_done(&abbrevs->attributes);
	abbrevs->is_known = false;
}
