/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Indirect functions (STT_GNU_IFUNC): finds the implementations among which a resolver chooses.
 *
 * The symbol of an indirect function is its resolver, which the dynamic linker calls once; calls then go to the address that it returned.
 * That address is not visible from outside, and the resolver of an untrusted file must not be run. But a resolver is a small function that
 * loads addresses and returns one of them. These are read from its code. They count if a function starts there (by .eh_frame_hdr, which
 * survives strip, or by the symbol table), because a breakpoint anywhere else would break the program. All of them are probed.
 *
 * x86-64 only. Addresses in other files or in the vDSO are not found.
 */
#pragma once

#include "symbolize/elf/symtab.h"

/* File offsets: start of a resolver, and the place to probe an implementation, which is its start, or after a few vector instructions. */
struct ifunc_choice {
	uint64_t resolver, implementation;
};

struct ifuncs {
	VEC(struct ifunc_choice) choices; /* by resolver, each pair once */
};

/* Reads the resolvers of a finished symbol table. Unreadable ones have no choices. Returns 0 or -ENOMEM. */
int ifuncs_read(struct ifuncs *ifuncs, const struct elf_file *elf, const struct symtab *table);
void ifuncs_done(struct ifuncs *ifuncs);

/* The choices of the resolver at this file offset: *ret_nr of them, from the returned one on. */
const struct ifunc_choice *ifuncs_of(const struct ifuncs *ifuncs, uint64_t resolver, size_t *ret_nr);
