/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory of another process.
 *
 * Its owner decides how long a page takes to be there: with userfaultfd(2) (any user's, before 5.11 by default) for ever, and
 * then nothing but a fatal signal ends the system call that waits for it (mm/userfaultfd.c, handle_userfault()). So a helper
 * that can be killed reads it. Of a file whose FUSE daemon does not answer not even that ends it (fs/fuse/dev.c,
 * request_wait_answer()): such a helper is left behind, with its memory, until the daemon ends.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * All of [start, start + nr), which need not be in one mapping. 0; -ETIMEDOUT after 100 ms, or 300 ms where the helper cannot be killed; -ESRCH,
 * -EFAULT, -EPERM, -ENOMEM, -EAGAIN.
 */
int foreign_memory_read(uint32_t tgid, uint64_t start, void *to, size_t nr);

#define FOREIGN_PART_BYTES 40

struct foreign_part {
	uint64_t start;
	int err; /* 0, or as foreign_memory_read() */
	uint8_t bytes[FOREIGN_PART_BYTES];
};

/*
 * Reads a few bytes at each of many places, with one helper for all of them. The number of parts that are done: `nr`, or less when
 * the next part made the helper wait too long. That part has -ETIMEDOUT then, and those after it were not tried.
 */
size_t foreign_memory_read_parts(uint32_t tgid, struct foreign_part *parts, size_t nr);
