/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unwind tables for the trampolines of `python3 -X perf` (CPython 3.12 and later). This code has no file, but every byte of it is known.
 *
 * The interpreter copies one piece of its own code many times into an area of 64 KiB, and calls each function of a script through its copy
 * (Python/perf_trampoline.c and Python/asm_trampoline.S of CPython). The copies keep no frame pointer, so without a table a walk ends at
 * the first of them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbolize/unwind.h"

#define TRAMPOLINES_BYTES_MAX (1u << 20) /* of one area: some 65,000 functions */

/*
 * Makes a table for this code, which begins at a page; addresses count from 0. Only trampolines have rules. The caller frees the table
 * (unwind_table_done()). 0; -ENODATA: the code does not begin with a trampoline; -ENOMEM.
 */
int trampolines_compile(const uint8_t *code, size_t nr, struct unwind_table *ret_table);

/* Whether code that begins with these bytes begins with a trampoline. */
bool trampolines_may_begin(const uint8_t *code, size_t nr);

/*
 * As trampolines_compile(), for the code that a process has at [start, end) now. Also -E2BIG above TRAMPOLINES_BYTES_MAX, or the errno of
 * reading the code.
 */
int trampolines_read(uint32_t tgid, uint64_t start, uint64_t end, struct unwind_table *ret_table);
