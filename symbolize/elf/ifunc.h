/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Indirect functions (STT_GNU_IFUNC): which implementations a resolver can choose.
 *
 * The symbol of an indirect function is its resolver, which the dynamic linker calls once; the calls go to what it
 * returned. Nothing tells from outside which one that was, and an untrusted file's resolver must not be run.
 * But a resolver is a small function that loads addresses and returns one of them: so these are read out of its code,
 * and kept where a function starts (by .eh_frame_hdr, which survives strip, or by the symbol table), because a
 * breakpoint anywhere else would break the program. To probe all of them is to probe the one that is used.
 *
 * x86-64 only; what a resolver takes from elsewhere (the vDSO, other files) is not found.
 */
#pragma once

#include "symbolize/elf/symtab.h"

/* A pair of places in the file; the second is where to probe, at the entry or a few vector instructions after it. */
struct ifunc_choice {
	uint64_t resolver, implementation;
};

struct ifuncs {
	VEC(struct ifunc_choice) choices; /* by resolver, each pair once */
};

/* Reads the resolvers of a finished symbol table. What cannot be read has no choices; -ENOMEM. */
int ifuncs_read(struct ifuncs *ifuncs, const struct elf_file *elf, const struct symtab *table);
void ifuncs_done(struct ifuncs *ifuncs);

/* The choices of the resolver at this place in the file: *ret_nr of them from the returned one on. */
const struct ifunc_choice *ifuncs_of(const struct ifuncs *ifuncs, uint64_t resolver, size_t *ret_nr);
