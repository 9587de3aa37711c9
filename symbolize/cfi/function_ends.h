/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a function ends: each `ret`, and each jump to another function. For probes that time calls without a return probe, which would
 * replace the return address and break exceptions and everything else that reads it.
 */
#pragma once

#include "core/base/vec.h"
#include "symbolize/elf/elf_file.h"

struct function_end {
	uint64_t address;
	bool may_go_on; /* a jump that may stay in the function: it is conditional, or its target is not known */
};

typedef VEC(struct function_end) function_ends;

/* Whether another function begins at this address, so that a jump to it leaves. The cold part of a function does not count as another one. */
typedef bool function_begins(void *context, uint64_t address);

/*
 * Finds the ends of the function of `size` bytes at an address, in ascending order. size = 0: not known. Parts of it in other places, to which it jumps,
 * belong to it. 0, -ENOEXEC if not all of it can be decoded, -ENODATA for a function of Go, whose calls change stacks and threads, or
 * -ENOMEM; else as in elf_file.h.
 */
int function_ends_find(const struct elf_file *elf, uint64_t address, uint64_t size, function_begins *begins,
		       void *context, function_ends *ret_ends);
