/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code without a file for which a table can be made, because every byte of it is known: the trampolines of `python3 -X
 * perf` (CPython 3.12 and later).
 *
 * The interpreter copies one piece of its own code many times into an area of 64 KiB and calls each function of a
 * script through a copy of its own (CPython's Python/perf_trampoline.c; Python/asm_trampoline.S has the code). The
 * copies keep no frame pointer, so without a table a walk ends at the first of them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbolize/unwind.h"

#define TRAMPOLINES_BYTES_MAX (1u << 20) /* of one area: some 65,000 functions */

/*
 * A table for this code, which begins at a page: addresses count from 0. Only trampolines have rules in it, and what lies
 * between them has none. The caller frees it (unwind_table_done()). -ENODATA when the code does not begin with a trampoline,
 * -ENOMEM.
 */
int trampolines_compile(const uint8_t *code, size_t nr, struct unwind_table *ret_table);

/* Whether code that begins with these bytes begins with a trampoline. */
bool trampolines_may_begin(const uint8_t *code, size_t nr);

/* As trampolines_compile(), for the code that a process has at [start, end) now. Also -E2BIG beyond the limit, or the errno of reading the code. */
int trampolines_read(uint32_t tgid, uint64_t start, uint64_t end, struct unwind_table *ret_table);
