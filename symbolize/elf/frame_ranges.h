/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions in the unwind table (.eh_frame), to identify code that has no symbol.
 *
 * Every function that a C or C++ compiler makes for x86-64 or arm64 has an entry there, even in a stripped file,
 * because exceptions need it. It starts at the true start of a function or of its cold part, and its length is exact.
 * Both are the same in every process, so samples of one nameless function get one name. The format: Linux Standard
 * Base, "Exception Frames"; encodings: DWARF in LSB ("DW_EH_PE").
 */
#pragma once

#include "symbolize/elf/symtab.h"

struct frame_range {
	uint32_t start, size; /* in the file, from frame_ranges.base */
};

struct frame_ranges {
	uint64_t base;
	VEC(struct frame_range) list; /* by start */
	struct bucket_index buckets;
};

/*
 * Reads the entries that a sized symbol of the finished table does not cover completely. Ignores malformed entries, and
 * everything after an entry of unknown length; -ENOMEM.
 */
int frame_ranges_read(struct frame_ranges *ranges, const struct elf_file *elf, const struct symtab *table);
void frame_ranges_done(struct frame_ranges *ranges);

/* The entry that covers this offset of the file, or NULL. */
const struct frame_range *frame_ranges_lookup(const struct frame_ranges *ranges, uint64_t offset);
