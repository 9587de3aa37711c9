/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where functions are according to the unwind table (.eh_frame): the identity of code that no symbol names.
 *
 * Every function that a C or C++ compiler makes for x86-64 or arm64 has an entry there, stripped or not, because
 * exceptions need it. Its start is the true start of a function or of its cold part, its length is exact, and both are
 * the same in every process, so that samples of one nameless function fall together instead of being spread over
 * addresses. The format: Linux Standard Base, "Exception Frames"; encodings: DWARF in LSB ("DW_EH_PE").
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
 * Reads the entries that no sized symbol of the finished table covers from its first to its last byte. Entries that
 * make no sense are passed over, and what follows a broken one is not read; -ENOMEM.
 */
int frame_ranges_read(struct frame_ranges *ranges, const struct elf_file *elf, const struct symtab *table);
void frame_ranges_done(struct frame_ranges *ranges);

/* The entry that covers this offset of the file, or NULL. */
const struct frame_range *frame_ranges_lookup(const struct frame_ranges *ranges, uint64_t offset);
