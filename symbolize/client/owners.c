/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/client/owners.h"

#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

/* A file without a name can be opened only by its owner, or through a descriptor that the owner passes on. */
static bool is_open_to_others(const struct stat *status)
{
	return status->st_nlink &&
	       status->st_mode & (S_IWGRP | S_IWOTH); /* with an ACL, these group bits are its mask */
}

struct owner owner_of(int fd, uint64_t root)
{
	struct owner owner = { .root = root, .uid = OWNER_ANYBODY };
	struct statfs file_system;
	struct stat status;

	if (fstat(fd, &status) || fstatfs(fd, &file_system))
		return owner;
	if (file_system.f_type == FUSE_SUPER_MAGIC)
		owner.device = status.st_dev;
	else if (!is_open_to_others(&status))
		owner.uid = status.st_uid;
	return owner;
}

bool owner_same(const struct owner *a, const struct owner *b)
{
	return a->root == b->root && a->device == b->device && a->uid == b->uid;
}
