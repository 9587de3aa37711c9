/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's functions, out of /proc/kallsyms: its own, those of modules, BPF programs and trampolines.
 *
 * Only functions (types t, T, w, W) name a place. Everything else, and the end of a text section, still bounds the
 * function before it, so that an address past the code gets no name. The padding symbols in front of functions
 * (`__pfx_`, half of the list on current kernels) are left out.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base/vec.h"

struct kernel_symbol {
	uint64_t address;
	uint32_t name;   /* in kallsyms.text; 0: nothing is here, it only ends what is before */
	uint16_t module; /* index into kallsyms.modules */
	uint16_t merit;  /* enum symbol_merit */
};

struct kallsyms {
	/* By address, at one address the name to show last. */
	VEC(struct kernel_symbol) symbols;
	VEC(char) text;        /* names, NUL-terminated */
	VEC(uint32_t) modules; /* names, in text; 0 is "kernel" */
	bool hidden;           /* the kernel shows no addresses to who opened the file */
};

/* A function of the kernel. */
struct kernel_function {
	const char *name, *module;
	uint64_t start;
};

/* Reads the list from its beginning to its end. 0, -EBADMSG when it is none, another errno of reading, -ENOMEM. */
int kallsyms_read(struct kallsyms *kallsyms, int fd);
void kallsyms_done(struct kallsyms *kallsyms);

/* What the list has at a place. */
struct kernel_place {
	const struct kernel_symbol *symbol; /* the last one at or before it; NULL: the list begins later */
	uint64_t end; /* how far that reaches */
	bool assumed; /* for nothing of its module follows */
};

struct kernel_place kallsyms_place(const struct kallsyms *kallsyms, uint64_t address);
const char *kallsyms_name(const struct kallsyms *kallsyms, const struct kernel_symbol *symbol);
const char *kallsyms_module(const struct kallsyms *kallsyms, const struct kernel_symbol *symbol);

/* The function that covers the address; false when none does. The strings live as long as the list. */
bool kallsyms_lookup(const struct kallsyms *kallsyms, uint64_t address, struct kernel_function *ret_function);
