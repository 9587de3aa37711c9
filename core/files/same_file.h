/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether two open files are one for the kernel's probes, which go by the inode that has the pages.
 *
 * Device and inode of fstat() say so, but not on overlayfs: containers made from one image share the files of its layers,
 * and each shows them under a device number of its own, while a breakpoint in one is in all (the kernel takes
 * d_real_inode()). No call names the inode below. But a page of the page cache belongs to one inode only, and
 * /proc/self/pagemap shows which page it is, to CAP_SYS_ADMIN only: fs/proc/task_mmu.c.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct file_identity {
	uint64_t device, inode, size;
	bool overlay; /* its pages may belong to another file */
};

/* 0 or a negative errno, no cause recorded. */
int file_identity(int fd, struct file_identity *ret_identity);

/* Device and inode are the same. True is always right; false is not where either file is on overlayfs. */
bool file_identity_equal(const struct file_identity *one, const struct file_identity *other);

/*
 * 1 for one file, 0 for two, or a negative errno if it cannot be determined: -EPERM without CAP_SYS_ADMIN for files of one
 * inode number, which overlays mostly take from below (others count as two then). The identities are those of the descriptors.
 */
int file_is_same(int one_fd, const struct file_identity *one, int other_fd, const struct file_identity *other);
