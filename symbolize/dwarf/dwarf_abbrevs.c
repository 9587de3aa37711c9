/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/dwarf/dwarf_abbrevs.h"

#include <dwarf.h>

enum {
	CODES_MAX = 65536,
	ATTRIBUTES_MAX = 1 << 20,
	OF_ONE_MAX = 1024,
};

int dwarf_form_size(uint16_t form, uint16_t version, uint8_t address_size, uint8_t offset_size)
{
	switch (form) {
	case DW_FORM_flag_present:
	case DW_FORM_implicit_const:
		return 0;
	case DW_FORM_data1:
	case DW_FORM_ref1:
	case DW_FORM_flag:
	case DW_FORM_strx1:
	case DW_FORM_addrx1:
		return 1;
	case DW_FORM_data2:
	case DW_FORM_ref2:
	case DW_FORM_strx2:
	case DW_FORM_addrx2:
		return 2;
	case DW_FORM_strx3:
	case DW_FORM_addrx3:
		return 3;
	case DW_FORM_data4:
	case DW_FORM_ref4:
	case DW_FORM_strx4:
	case DW_FORM_addrx4:
	case DW_FORM_ref_sup4:
		return 4;
	case DW_FORM_data8:
	case DW_FORM_ref8:
	case DW_FORM_ref_sig8:
	case DW_FORM_ref_sup8:
		return 8;
	case DW_FORM_data16:
		return 16;
	case DW_FORM_addr:
		return address_size;
	case DW_FORM_ref_addr:
		return version == 2 ? address_size : offset_size;
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_sec_offset:
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_GNU_strp_alt:
		return offset_size;
	default:
		return -1;
	}
}

static int read_attributes(struct abbrevs *abbrevs, struct byte_reader *bytes, struct abbrev *abbrev)
{
	for (;;) {
		uint64_t name = bytes_uleb(bytes), form = bytes_uleb(bytes);
		int64_t constant = form == DW_FORM_implicit_const ? bytes_sleb(bytes) : 0;
		int err, nr;

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
		nr = dwarf_form_size((uint16_t)form, abbrevs->version, abbrevs->address_size, abbrevs->offset_size);
		abbrev->is_fixed = abbrev->is_fixed && nr >= 0;
		abbrev->nr_bytes += nr > 0 ? (uint32_t)nr : 0;
	}
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
		/* compilers number codes from 1 on without gaps */
		while (!err && abbrevs->by_code.nr <= code)
			err = vec_try_push(&abbrevs->by_code, (struct abbrev){});
		if (!err)
			abbrevs->by_code.data[code] = abbrev;
	}
	return err ?: bytes.bad ? -EBADMSG : 0;
}

int abbrevs_read(struct abbrevs *abbrevs, struct dwarf *dwarf, uint64_t offset, uint16_t version, uint8_t address_size,
		 uint8_t offset_size)
{
	int err;

	if (abbrevs->of == dwarf && abbrevs->offset == offset && abbrevs->version == version &&
	    abbrevs->address_size == address_size && abbrevs->offset_size == offset_size)
		return 0;
	abbrevs->by_code.nr = abbrevs->attributes.nr = 0;
	abbrevs->offset = offset;
	abbrevs->version = version;
	abbrevs->address_size = address_size;
	abbrevs->offset_size = offset_size;
	err = read_all(abbrevs, elf_section_some(&dwarf->abbrev, offset, UINT64_MAX));
	abbrevs->of = err ? NULL : dwarf;
	return err;
}

void abbrevs_done(struct abbrevs *abbrevs)
{
	vec_done(&abbrevs->by_code);
	vec_done(&abbrevs->attributes);
	abbrevs->of = NULL;
}
