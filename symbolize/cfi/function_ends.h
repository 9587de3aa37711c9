/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a function ends: each `ret`, and each jump to another function. For probes that time calls without a return probe: that would
 * replace the return address, and break exceptions and everything else that reads it.
 */
#pragma once

#include "core/base/vec.h"
#include "symbolize/elf/elf_file.h"

struct function_end {
	uint64_t address;
	bool may_go_on; /* a jump that may stay in the function: conditional, or to an unknown target */
};

typedef VEC(struct function_end) function_ends;

/* Whether another function begins at this address, so that a jump to it leaves. False for the cold part of the same function. */
typedef bool function_begins(void *context, uint64_t address);

/*
 * Finds the ends of the function of `size` bytes (0: unknown) at an address, in ascending order, also in the parts outside these bytes to
 * which the function jumps. Returns 0, -ENOEXEC if not all of it can be decoded, -ENODATA for Go, whose calls change stacks and threads,
 * -ENOMEM, or an error of elf_file.h.
 */
int function_ends_find(const struct elf_file *elf, uint64_t address, uint64_t size, function_begins *begins,
		       void *context, function_ends *ret_ends);
