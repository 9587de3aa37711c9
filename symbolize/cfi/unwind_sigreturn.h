/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The code that the kernel lets signal handlers return to: mov $15 (rt_sigreturn), %rax or %eax; syscall. musl and Go have no
 * frame information for it, but its bytes say all there is to say: the registers of who was interrupted lie on the stack.
 */
#pragma once

#include "symbolize/cfi/unwind_cfi.h"
#include "symbolize/elf/elf_file.h"

/* Where it begins in [start, end) of the file's addresses, and where it ends; false when it is not there. */
bool unwind_sigreturn_find(const struct elf_file *elf, uint64_t start, uint64_t end, uint64_t *ret_start,
			   uint64_t *ret_end);

/* The rule of it. It is looked up by the byte before, for it is where a handler returns to: the row begins there. */
struct st_unwind_rule unwind_sigreturn_rule(void);
