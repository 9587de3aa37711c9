/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stubs of the procedure linkage table, named after their targets: `func@plt`.
 *
 * Linkers use many layouts (lazy or immediate, with IBT or BTI landing pads, with or without a header entry), so the position in .rela.plt
 * does not identify a stub. Each stub jumps through a slot of the global offset table, and the relocation of that slot names the function.
 */
#pragma once

#include "symbolize/elf/symtab.h"

struct plt_stub {
	uint32_t start, size; /* file offset from plt.base */
	uint32_t name;        /* position in plt.names; 0: unknown */
	uint32_t unused;      /* for radix_sort() */
};

struct plt {
	uint64_t base;
	VEC(struct plt_stub) stubs; /* by start */
	VEC(char) names;            /* "", then "func@plt", each with a NUL */
};

/* Reads .plt, .plt.sec and .plt.got of x86-64, i386 and arm64 files. A stub that jumps in another way has no name. Returns 0 or -ENOMEM. */
int plt_read(struct plt *plt, const struct elf_file *elf, const struct symtab *table);
void plt_done(struct plt *plt);

/* The stub that covers this file offset, or NULL; and its name. */
const struct plt_stub *plt_lookup(const struct plt *plt, uint64_t offset);
struct name plt_name(const struct plt *plt, const struct plt_stub *stub);
