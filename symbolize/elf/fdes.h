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

struct fde {
	uint32_t start, size; /* in the file, from fdes.base */
};

struct fdes {
	uint64_t base;
	VEC(struct fde) list; /* by start */
	struct pages pages;
};

/*
 * Reads the entries that no sized symbol of the finished table covers from its first to its last byte. Entries that
 * make no sense are passed over, and what comes behind a broken one is not read; -ENOMEM.
 */
int fdes_read(struct fdes *fdes, const struct elf_file *elf, const struct symtab *table);
void fdes_done(struct fdes *fdes);

/* The entry that covers this offset of the file, or NULL. */
const struct fde *fdes_lookup(const struct fdes *fdes, uint64_t offset);
