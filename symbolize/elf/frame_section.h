/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call frame information of an ELF file, as bytes in memory, and its entries. .eh_frame is found by its section, or in files without
 * sections by PT_GNU_EH_FRAME, which static glibc programs lack. .debug_frame may be compressed. DWARF 5, 6.4.1; Linux Standard Base,
 * "Exception Frames".
 */
#pragma once

#include "core/base/byte_reader.h"
#include "symbolize/elf/elf_file.h"

struct frame_section {
	uint8_t *bytes; /* to be freed by frame_section_done() */
	size_t nr;
	uint64_t address; /* of bytes[0]; 0 for .debug_frame, which is not loaded */
	size_t word; /* size of an address: 4 or 8 */
	bool is_debug; /* .debug_frame, where CIEs are marked and referred to differently */
	bool ends_at_zero; /* of unknown size: ends at an entry of length 0 */
};

/* -ENODATA: the file has none; other errors as elf_file.h. */
int frame_section_eh(const struct elf_file *elf, struct frame_section *ret_section);
int frame_section_debug(const struct elf_file *elf, struct frame_section *ret_section);
void frame_section_done(struct frame_section *section);

/* An entry of the table: addresses of a function and its FDE, relative to the header. */
struct frame_header_entry {
	int32_t function, fde;
};

struct frame_header {
	uint64_t address;  /* of the header */
	uint64_t eh_frame; /* address of .eh_frame */
	uint64_t table; /* file offset of the struct frame_header_entry, sorted by function; 0: none of a known form */
	uint64_t nr;
};

/* -ENODATA: the file has none; -EBADMSG: an unknown form. */
int frame_header_read(const struct elf_file *elf, struct frame_header *ret_header);

struct frame_entry {
	uint64_t position; /* in the section */
	uint64_t cie; /* of an FDE: position of its CIE */
	bool is_cie, is_last; /* is_last: it has length 0 */
	struct byte_reader body; /* the part after length and CIE number */
};

/* Reads the entry at `at` and moves past it. False at the end, or if its length exceeds the section. */
bool frame_next_entry(const struct frame_section *section, struct byte_reader *at, struct frame_entry *ret_entry);

/* A reader of the section from a position on. */
struct byte_reader frame_section_from(const struct frame_section *section, uint64_t position);

struct frame_cie {
	uint8_t encoding; /* of the addresses in its FDEs */
	bool is_signal, has_augmentation;
	uint64_t code_factor, return_register;
	int64_t data_factor;
	struct byte_reader instructions;
};

/* False if it is malformed or of an unknown kind. */
bool frame_read_cie(const struct frame_section *section, const struct frame_entry *entry, struct frame_cie *ret_cie);

/* The code range of an FDE, whose CIE has this encoding; `body` then begins after it. False if it is malformed. */
bool frame_fde_range(const struct frame_section *section, struct frame_entry *fde, uint8_t encoding,
		     uint64_t *ret_start, uint64_t *ret_size);
