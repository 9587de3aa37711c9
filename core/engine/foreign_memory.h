/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory of another process.
 *
 * Its owner decides how long a page takes to be there: with userfaultfd(2) (any user's, before 5.11 by default) for ever, and
 * then nothing but a fatal signal ends the system call that waits for it (mm/userfaultfd.c, handle_userfault()). So a helper
 * that can be killed reads it.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * All of [start, start + nr), which need not be in one mapping. 0; -ETIMEDOUT after 200 ms; -ESRCH, -EFAULT, -EPERM, -ENOMEM, -EAGAIN.
 */
int foreign_memory_read(uint32_t tgid, uint64_t start, void *to, size_t nr);
