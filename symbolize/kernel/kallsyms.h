/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's functions from /proc/kallsyms: of the kernel, its modules, BPF programs and trampolines.
 *
 * Only functions (types t, T, w, W) give names. Other symbols, such as data and the marks at the ends of text sections, are kept without a
 * name: each ends the function before it. The padding symbols in front of functions (`__pfx_`, half of the list on current kernels) are
 * left out.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base/vec.h"

struct kernel_symbol {
	uint64_t address;
	uint32_t name;   /* position in kallsyms.text; 0: no function, only the end of the one before */
	uint16_t module; /* index into kallsyms.modules */
	uint16_t merit;  /* bits of enum symbol_merit; 0 without a name */
};

struct kallsyms {
	VEC(struct kernel_symbol) symbols; /* by address; of several symbols at one address, the best name is last */
	VEC(char) text;        /* names of functions and modules, NUL-terminated */
	VEC(uint32_t) modules; /* positions of the modules' names in `text`; the first is "kernel" */
	bool hidden;           /* all addresses were 0: the kernel hides them from the process that opened the file */
};

struct kernel_function {
	const char *name, *module;
	uint64_t start;
};

/*
 * Reads the whole list; `fd` remains the caller's. Returns 0, -EBADMSG if it has no symbol or a line of 64 KB, -EFBIG for more than 256 MB
 * of names or 16,384 modules, -ENOMEM, or an errno of pread().
 */
int kallsyms_read(struct kallsyms *kallsyms, int fd);
void kallsyms_done(struct kallsyms *kallsyms);

/* The last symbol at or before an address. */
struct kernel_place {
	const struct kernel_symbol *symbol; /* NULL: all symbols are above the address */
	uint64_t end; /* the address after the last byte of the symbol */
	bool assumed; /* `end` is a guess: the symbol is the last one of its module, or a BPF program */
};

struct kernel_place kallsyms_place(const struct kallsyms *kallsyms, uint64_t address);
/* The strings belong to `kallsyms`. */
const char *kallsyms_name(const struct kallsyms *kallsyms, const struct kernel_symbol *symbol);
const char *kallsyms_module(const struct kallsyms *kallsyms, const struct kernel_symbol *symbol);

/* Finds the function that covers the address; returns false if none does. The strings belong to `kallsyms`. */
bool kallsyms_lookup(const struct kallsyms *kallsyms, uint64_t address, struct kernel_function *ret_function);
