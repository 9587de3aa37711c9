/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Forms of values: DWARF 5, 7.5.5 and 7.5.6, and GNU's extensions of DWARF 4. */
#include "symbolize/dwarf/dwarf_values.h"

#include <dwarf.h>

/* Reads a value of a form with variable size. */
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

/* Reads the form of DW_FORM_indirect. `bad`: a second DW_FORM_indirect, or a form with its value in the abbreviation. */
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
	struct byte_reader *bytes = &entries->bytes;
	uint16_t form = attribute->form == DW_FORM_indirect ? read_form(bytes) : attribute->form;
	int nr = dwarf_form_size(form, unit->version, unit->address_size, unit->offset_size);

	*ret_value = (struct dwarf_value){ .form = form, .offset = dwarf_entries_at(entries) };
	if (form == DW_FORM_implicit_const)
		ret_value->number = (uint64_t)attribute->constant;
	else if (nr < 0)
		ret_value->number = read_variable(bytes, form);
	else if (nr <= 8)
		ret_value->number = bytes_number(bytes, (size_t)nr);
	else
		bytes_skip(bytes, (uint64_t)nr);
	if (form == DW_FORM_LLVM_addrx_offset)
		ret_value->distance = (uint32_t)bytes_number(bytes, 4);
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

bool dwarf_table_number(struct elf_section *section, uint64_t table, uint64_t index, uint8_t nr_bytes,
			uint64_t *ret_number)
{
	struct byte_reader bytes;

	if (index >= UINT32_MAX)
		return false;
	bytes = elf_section_bytes(section, table + index * nr_bytes, nr_bytes);
	if (bytes.bad)
		return false;
	*ret_number = bytes_number(&bytes, nr_bytes);
	return true;
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

/* Before DWARF 4, offsets have the forms of numbers. */
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
	struct dwarf *with_addresses = dwarf->skeletons ?: dwarf;

	switch (value->form) {
	case DW_FORM_addr:
		*ret_address = value->number;
		return true;
	case DW_FORM_addrx:
	case DW_FORM_addrx1 ... DW_FORM_addrx4:
	case DW_FORM_GNU_addr_index:
	case DW_FORM_LLVM_addrx_offset:
		if (!dwarf_table_number(&with_addresses->addr, unit->addresses, value->number, unit->address_size,
					ret_address))
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
	struct dwarf_text text = { .kind = TEXT_STR, .offset = value->number };
	uint64_t where = unit->is_alternate ? IN_ALTERNATE : 0;

	switch (value->form) {
	case DW_FORM_string:
		text = (struct dwarf_text){ TEXT_HERE, value->offset, unit->end };
		break;
	case DW_FORM_GNU_strp_alt:
	case DW_FORM_strp_sup:
		where = IN_ALTERNATE;
		break;
	case DW_FORM_strp:
		break;
	case DW_FORM_line_strp:
		text.kind = TEXT_LINE_STR;
		break;
	case DW_FORM_strx:
	case DW_FORM_strx1 ... DW_FORM_strx4:
	case DW_FORM_GNU_str_index:
		if (!dwarf_table_number(&dwarf->str_offsets, unit->text_offsets, value->number, unit->offset_size,
					&text.offset))
			return false;
		break;
	default:
		return false;
	}
	if (text.offset & IN_ALTERNATE) /* malformed: no section is that large */
		return false;
	text.offset |= where;
	*ret_text = text;
	return true;
}

bool dwarf_value_reference(const struct dwarf_unit *unit, const struct dwarf_value *value, uint64_t *ret_offset)
{
	uint64_t where = unit->is_alternate ? IN_ALTERNATE : 0;

	switch (value->form) {
	case DW_FORM_ref1 ... DW_FORM_ref_udata:
		if (value->number >= unit->end - unit->offset)
			return false;
		*ret_offset = (unit->offset + value->number) | where;
		return true;
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

void dwarf_code_take(struct dwarf_code *code, uint16_t attribute, const struct dwarf_value *value)
{
	if (attribute == DW_AT_low_pc)
		code->low = *value;
	else if (attribute == DW_AT_high_pc)
		code->high = *value;
	else if (attribute == DW_AT_ranges)
		code->ranges = *value;
}
