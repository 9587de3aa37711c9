/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Debug sections that are written byte by byte, and what our readers and libdw make of the same bytes.
 *
 *	struct dwarf_writer writer = {};
 *	put(&writer.sections[DEBUG_INFO], 4, 2);
 *	dwarf_writer_open(&writer, &opened);
 *	dwarf_opened_done(&opened);
 */
#pragma once

#include <elfutils/libdw.h>
#include <stddef.h>
#include <stdint.h>

#include "symbolize/dwarf/dwarf_files.h"
#include "tests/unit/elf_writer.h"

struct bytes {
	unsigned char data[1024];
	size_t nr;
};

/* A number, little endian. */
void put(struct bytes *bytes, uint64_t value, size_t nr);
void put_text(struct bytes *bytes, const char *text);
void put_list(struct bytes *bytes, const void *list, size_t nr);
void put_uleb(struct bytes *bytes, uint64_t value);
void put_sleb(struct bytes *bytes, int64_t value);

/*
 * An abbreviation with these attributes, name and form of each; or its beginning, attributes with put_field(), and its end.
 * A 0 ends the table.
 */
#define PUT_ABBREV(abbrev, code, tag, children, ...)                                    \
	do {                                                                            \
		static const uint64_t fields_[] = { __VA_ARGS__ };                      \
		begin_abbrev(abbrev, code, tag, children);                              \
		for (size_t i_ = 0; i_ < sizeof(fields_) / sizeof(fields_[0]); i_ += 2) \
			put_field(abbrev, fields_[i_], fields_[i_ + 1]);                \
		put_field(abbrev, 0, 0);                                                \
	} while (0)
void begin_abbrev(struct bytes *abbrev, uint64_t code, uint64_t tag, bool has_children);
void put_field(struct bytes *bytes, uint64_t name, uint64_t form);

/* Begins something with a length, in the format with offsets of 4 or 8 bytes; the length is of what is put until the end. */
size_t begin_length(struct bytes *bytes, uint8_t offset_size);
void end_length(struct bytes *bytes, size_t start, uint8_t offset_size);

/* What the bytes of a unit or table depend on. */
struct dwarf_shape {
	uint8_t version, address_size, offset_size;
};

/* Begins a unit of .debug_info; end_length() ends it. `type` counts from version 5 on; `id` only of those types that have one. */
size_t begin_unit(struct bytes *info, const struct dwarf_shape *shape, uint8_t type, uint64_t id);

enum debug_section {
	DEBUG_INFO,
	DEBUG_ABBREV,
	DEBUG_LINE,
	DEBUG_STR,
	DEBUG_LINE_STR,
	DEBUG_STR_OFFSETS,
	DEBUG_ADDR,
	DEBUG_RANGES,
	DEBUG_RNGLISTS,
	DEBUG_CU_INDEX,
	DEBUG_NR
};

struct dwarf_writer {
	bool is_split; /* the sections have the names of a split file */
	struct bytes sections[DEBUG_NR];
};

struct dwarf_opened {
	struct elf_writer image;
	struct elf_file elf;
	struct dwarf dwarf;
	Elf *libelf, *alternate_libelf;
	Dwarf *libdw, *alternate_libdw; /* NULL where libdw refuses the file */
};

/* Opens the sections with our reader and with libdw. The file is its own alternate one (dwz). */
void dwarf_writer_open(const struct dwarf_writer *writer, struct dwarf_opened *ret_opened);
void dwarf_opened_done(struct dwarf_opened *opened);
