/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stub to which signal handlers return: mov $15 (rt_sigreturn), %rax or %eax; syscall. musl and Go have no frame information for it.
 * When it runs, the registers of the interrupted code are on the stack.
 */
#pragma once

#include "symbolize/cfi/unwind_cfi.h"
#include "symbolize/elf/elf_file.h"

/* Finds the first stub in [start, end), addresses in one segment. False: there is none. */
bool unwind_sigreturn_find(const struct elf_file *elf, uint64_t start, uint64_t end, uint64_t *ret_start,
			   uint64_t *ret_end);

/* The rule for the stub. Its row must begin one byte before the stub, because return addresses are looked up by the byte before them. */
struct st_unwind_rule unwind_sigreturn_rule(void);
