/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/unit/dwarf_writer.h"

#include <dwarf.h>

#include "tests/harness.h"

void put_list(struct bytes *bytes, const void *list, size_t nr)
{
	assert_true(bytes->nr + nr <= sizeof(bytes->data));
	if (nr)
		memcpy(bytes->data + bytes->nr, list, nr);
	bytes->nr += nr;
}

void put(struct bytes *bytes, uint64_t value, size_t nr)
{
	put_list(bytes, &value, nr);
}

void put_text(struct bytes *bytes, const char *text)
{
	put_list(bytes, text, strlen(text) + 1);
}

void put_uleb(struct bytes *bytes, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		put(bytes, 0x80 | (value & 0x7f), 1);
	put(bytes, value, 1);
}

void put_sleb(struct bytes *bytes, int64_t value)
{
	for (; value < -64 || value > 63; value >>= 7)
		put(bytes, 0x80 | ((uint64_t)value & 0x7f), 1);
	put(bytes, (uint64_t)value & 0x7f, 1);
}

void begin_abbrev(struct bytes *abbrev, uint64_t code, uint64_t tag, bool has_children)
{
	put_uleb(abbrev, code);
	put_uleb(abbrev, tag);
	put(abbrev, has_children ? DW_CHILDREN_yes : DW_CHILDREN_no, 1);
}

void put_field(struct bytes *bytes, uint64_t name, uint64_t form)
{
	put_uleb(bytes, name);
	put_uleb(bytes, form);
}

size_t begin_length(struct bytes *bytes, uint8_t offset_size)
{
	if (offset_size == 8)
		put(bytes, UINT32_MAX, 4);
	put(bytes, 0, offset_size);
	return bytes->nr;
}

void end_length(struct bytes *bytes, size_t start, uint8_t offset_size)
{
	uint64_t length = bytes->nr - start;

	memcpy(bytes->data + start - offset_size, &length, offset_size);
}

size_t begin_unit(struct bytes *info, const struct dwarf_shape *shape, uint8_t type, uint64_t id)
{
	size_t start = begin_length(info, shape->offset_size);

	put(info, shape->version, 2);
	if (shape->version < 5) {
		put(info, 0, shape->offset_size);
		put(info, shape->address_size, 1);
		return start;
	}
	put(info, type, 1);
	put(info, shape->address_size, 1);
	put(info, 0, shape->offset_size);
	if (type == DW_UT_skeleton || type == DW_UT_split_compile || type == DW_UT_type || type == DW_UT_split_type)
		put(info, id, 8);
	if (type == DW_UT_type || type == DW_UT_split_type)
		put(info, info->nr + shape->offset_size, shape->offset_size); /* the type: the first entry */
	return start;
}

static void open_libdw(struct elf_writer *image, Elf **ret_elf, Dwarf **ret_dwarf)
{
	elf_version(EV_CURRENT);
	*ret_elf = elf_memory(image->image.data, image->image.nr);
	assert_non_null(*ret_elf);
	*ret_dwarf = dwarf_begin_elf(*ret_elf, DWARF_C_READ, NULL);
}

void dwarf_writer_open(const struct dwarf_writer *writer, struct dwarf_opened *opened)
{
	static const char *const names[DEBUG_NR] = {
		[DEBUG_INFO] = ".debug_info",         [DEBUG_ABBREV] = ".debug_abbrev",
		[DEBUG_LINE] = ".debug_line",         [DEBUG_STR] = ".debug_str",
		[DEBUG_LINE_STR] = ".debug_line_str", [DEBUG_STR_OFFSETS] = ".debug_str_offsets",
		[DEBUG_ADDR] = ".debug_addr",         [DEBUG_RANGES] = ".debug_ranges",
		[DEBUG_RNGLISTS] = ".debug_rnglists", [DEBUG_CU_INDEX] = ".debug_cu_index",
	};
	const Elf64_Shdr header = { .sh_type = SHT_PROGBITS };
	char split_names[DEBUG_NR][32];

	*opened = (struct dwarf_opened){};
	elf_writer_init(&opened->image, ET_DYN);
	for (size_t i = 0; i < DEBUG_NR; i++) {
		bool is_dwo = writer->is_split && i != DEBUG_CU_INDEX;

		snprintf(split_names[i], sizeof(split_names[i]), "%s%s", names[i], is_dwo ? ".dwo" : "");
		if (writer->sections[i].nr)
			elf_writer_extra(&opened->image, split_names[i], &header, writer->sections[i].data,
					 writer->sections[i].nr);
	}
	elf_writer_finish(&opened->image);
	assert_int_equal(elf_file_open_memory(&opened->elf, opened->image.image.data, opened->image.image.nr), 0);
	if (writer->is_split)
		assert_int_equal(dwarf_open_split(&opened->dwarf, &opened->elf, NULL, DWARF_SMALL_MAX), 0);
	else
		assert_int_equal(dwarf_open(&opened->dwarf, &opened->elf, DWARF_SMALL_MAX), 0);
	open_libdw(&opened->image, &opened->libelf, &opened->libdw);
	open_libdw(&opened->image, &opened->alternate_libelf, &opened->alternate_libdw);
	if (opened->libdw && opened->alternate_libdw)
		dwarf_setalt(opened->libdw, opened->alternate_libdw);
}

void dwarf_opened_done(struct dwarf_opened *opened)
{
	dwarf_end(opened->libdw);
	dwarf_end(opened->alternate_libdw);
	elf_end(opened->libelf);
	elf_end(opened->alternate_libelf);
	dwarf_close(&opened->dwarf);
	elf_file_done(&opened->elf);
	elf_writer_done(&opened->image);
}
