/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether two open files are the same for the kernel's user probes, which belong to the inode that has the pages.
 *
 * Device and inode of fstat() tell that, except on overlayfs: containers of one image share the files of its layers, each container shows
 * another device number, and a breakpoint in one is in all (the kernel uses d_real_inode()). No system call returns the inode below. But a
 * page of the page cache belongs to one inode only, and /proc/self/pagemap shows its number to processes with CAP_SYS_ADMIN
 * (fs/proc/task_mmu.c).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct file_identity {
	uint64_t device, inode, size;
	bool overlay; /* its pages may belong to another file */
};

/* 0 or a negative errno, without a recorded cause. */
int file_identity(int fd, struct file_identity *ret_identity);

/* Whether device and inode are equal. "Equal" is always right; "different" can be wrong if a file is on overlayfs. */
bool file_identity_equal(const struct file_identity *one, const struct file_identity *other);

/*
 * Returns 1 if they are one file, 0 if not, or a negative errno if that cannot be determined. Without CAP_SYS_ADMIN this is -EPERM for
 * files with the same inode number, which overlayfs mostly takes from the lower file; others count as different. The identities are those
 * of the descriptors.
 */
int file_is_same(int one_fd, const struct file_identity *one, int other_fd, const struct file_identity *other);
