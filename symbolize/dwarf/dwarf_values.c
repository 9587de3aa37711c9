/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The forms of values (DWARF 5, 7.5.5 and 7.5.6, and those of GNU for what DWARF 4 lacked). */
#include <dwarf.h>

#include "symbolize/dwarf/dwarf_unit.h"

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

/* A form whose size depends on the value. */
static uint64_t read_variable(struct byte_reader *bytes, uint16_t form)
{
	uint64_t nr;

	switch (form) {
	case DW_FORM_sdata:
		return (uint64_t)bytes_sleb(bytes);
	case DW_FORM_udata:
	case DW_FORM_ref_udata:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_LLVM_addrx_offset:
	case DW_FORM_loclistx:
	case DW_FORM_rnglistx:
	case DW_FORM_GNU_str_index:
	case DW_FORM_GNU_addr_index:
		return bytes_uleb(bytes);
	case DW_FORM_string:
		bytes_string(bytes);
		return 0;
	case DW_FORM_block1:
		nr = bytes_byte(bytes);
		break;
	case DW_FORM_block2:
		nr = bytes_number(bytes, 2);
		break;
	case DW_FORM_block4:
		nr = bytes_number(bytes, 4);
		break;
	case DW_FORM_block:
	case DW_FORM_exprloc:
		nr = bytes_uleb(bytes);
		break;
	default:
		return bytes_fail(bytes);
	}
	bytes_skip(bytes, nr);
	return nr;
}

/* What DW_FORM_indirect leads to: neither a further one nor one whose value stands in the abbreviation. */
static uint16_t read_form(struct byte_reader *bytes)
{
	uint64_t form = bytes_uleb(bytes);

	if (form > UINT16_MAX || form == DW_FORM_indirect || form == DW_FORM_implicit_const)
		bytes_fail(bytes);
	return bytes->bad ? 0 : (uint16_t)form;
}

void dwarf_value_read(struct dwarf_entries *entries, const struct abbrev_attribute *attribute,
		      struct dwarf_value *ret_value)
{
	const struct dwarf_unit *unit = entries->unit;
	uint16_t form = attribute->form;
	int nr;

	if (form == DW_FORM_indirect)
		form = read_form(&entries->bytes);
	nr = dwarf_form_size(form, unit->version, unit->address_size, unit->offset_size);
	*ret_value = (struct dwarf_value){ .form = form, .offset = dwarf_entries_at(entries) };
	if (form == DW_FORM_implicit_const)
		ret_value->number = (uint64_t)attribute->constant;
	else if (nr < 0)
		ret_value->number = read_variable(&entries->bytes, form);
	else if (nr <= 8)
		ret_value->number = bytes_number(&entries->bytes, (size_t)nr);
	else
		bytes_skip(&entries->bytes, (uint64_t)nr);
	if (form == DW_FORM_LLVM_addrx_offset)
		ret_value->distance = (uint32_t)bytes_number(&entries->bytes, 4);
}

void dwarf_entry_skip(struct dwarf_entries *entries, const struct abbrevs *abbrevs, const struct abbrev *abbrev)
{
	struct dwarf_value unused;

	if (abbrev->is_fixed) {
		bytes_skip(&entries->bytes, abbrev->nr_bytes);
		return;
	}
	for (uint16_t i = 0; i < abbrev->nr_attributes && !entries->bytes.bad; i++)
		dwarf_value_read(entries, &abbrevs->attributes.data[abbrev->first_attribute + i], &unused);
}

/* ---- meanings ---- */

static bool read_word(struct elf_section *section, uint64_t offset, uint8_t nr_bytes, uint64_t *ret_word)
{
	struct byte_reader bytes = elf_section_bytes(section, offset, nr_bytes);

	*ret_word = bytes.bad ? 0 : bytes_number(&bytes, nr_bytes);
	return !bytes.bad;
}

bool dwarf_value_number(const struct dwarf_value *value, uint64_t *ret_number)
{
	switch (value->form) {
	case DW_FORM_sdata:
	case DW_FORM_implicit_const:
		if ((int64_t)value->number < 0)
			return false;
		break;
	case DW_FORM_data1:
	case DW_FORM_data2:
	case DW_FORM_data4:
	case DW_FORM_data8:
	case DW_FORM_udata:
		break;
	default:
		return false;
	}
	*ret_number = value->number;
	return true;
}

/* Before DWARF 4 they were plain numbers of their size. */
bool dwarf_value_offset(const struct dwarf_value *value, uint64_t *ret_offset)
{
	if (value->form != DW_FORM_sec_offset && value->form != DW_FORM_data4 && value->form != DW_FORM_data8)
		return false;
	*ret_offset = value->number;
	return true;
}

bool dwarf_value_address(struct dwarf *dwarf, const struct dwarf_unit *unit, const struct dwarf_value *value,
			 uint64_t *ret_address)
{
	switch (value->form) {
	case DW_FORM_addr:
		*ret_address = value->number;
		return true;
	case DW_FORM_addrx:
	case DW_FORM_addrx1:
	case DW_FORM_addrx2:
	case DW_FORM_addrx3:
	case DW_FORM_addrx4:
	case DW_FORM_GNU_addr_index:
	case DW_FORM_LLVM_addrx_offset:
		if (value->number >= UINT32_MAX ||
		    !read_word(dwarf->skeletons ? &dwarf->skeletons->addr : &dwarf->addr,
			       unit->addresses + value->number * unit->address_size, unit->address_size, ret_address))
			return false;
		*ret_address += value->distance;
		return true;
	default:
		return false;
	}
}

bool dwarf_value_text(struct dwarf *dwarf, const struct dwarf_unit *unit, const struct dwarf_value *value,
		      struct dwarf_text *ret_text)
{
	uint64_t where = unit->is_alternate ? IN_ALTERNATE : 0;

	*ret_text = (struct dwarf_text){ .kind = TEXT_STR, .offset = value->number };
	switch (value->form) {
	case DW_FORM_string:
		*ret_text = (struct dwarf_text){ TEXT_HERE, value->offset | where, unit->end };
		return true;
	case DW_FORM_GNU_strp_alt:
	case DW_FORM_strp_sup:
		where = IN_ALTERNATE;
		break;
	case DW_FORM_strp:
		break;
	case DW_FORM_line_strp:
		ret_text->kind = TEXT_LINE_STR;
		break;
	case DW_FORM_strx:
	case DW_FORM_strx1:
	case DW_FORM_strx2:
	case DW_FORM_strx3:
	case DW_FORM_strx4:
	case DW_FORM_GNU_str_index:
		if (value->number >= UINT32_MAX ||
		    !read_word(&dwarf->str_offsets, unit->text_offsets + value->number * unit->offset_size,
			       unit->offset_size, &ret_text->offset))
			return false;
		break;
	default:
		return false;
	}
	if (ret_text->offset & IN_ALTERNATE) /* beyond any section */
		return false;
	ret_text->offset |= where;
	return true;
}

bool dwarf_value_reference(const struct dwarf_unit *unit, const struct dwarf_value *value, uint64_t *ret_offset)
{
	uint64_t where = unit->is_alternate ? IN_ALTERNATE : 0;

	switch (value->form) {
	case DW_FORM_ref1:
	case DW_FORM_ref2:
	case DW_FORM_ref4:
	case DW_FORM_ref8:
	case DW_FORM_ref_udata:
		*ret_offset = (unit->offset + value->number) | where;
		return value->number < unit->end - unit->offset;
	case DW_FORM_ref_addr:
		*ret_offset = value->number | where;
		return true;
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_ref_sup4:
	case DW_FORM_ref_sup8:
		*ret_offset = value->number | IN_ALTERNATE;
		return true;
	default:
		return false;
	}
}
