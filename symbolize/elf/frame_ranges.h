/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions in the unwind table (.eh_frame), to identify code without a symbol.
 *
 * Each function that a C or C++ compiler makes for x86-64 or arm64 has an entry, even in a stripped file, because exceptions need it. The
 * entry has the exact start and length of a function or of its cold part, the same in all processes, so all samples of a nameless function
 * get one name. Format: Linux Standard Base, "Exception Frames"; encodings: DWARF in LSB ("DW_EH_PE").
 */
#pragma once

#include "symbolize/elf/symtab.h"

struct frame_range {
	uint32_t start, size; /* file offset from frame_ranges.base */
};

struct frame_ranges {
	uint64_t base;
	VEC(struct frame_range) list; /* by start */
	struct bucket_index buckets;
};

/*
 * Reads the entries that no sized symbol of the finished table covers completely. Ignores malformed entries, and all after an entry of
 * unknown length. Returns 0 or -ENOMEM.
 */
int frame_ranges_read(struct frame_ranges *ranges, const struct elf_file *elf, const struct symtab *table);
void frame_ranges_done(struct frame_ranges *ranges);

/* The entry that covers this file offset, or NULL. */
const struct frame_range *frame_ranges_lookup(const struct frame_ranges *ranges, uint64_t offset);
