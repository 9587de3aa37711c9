/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who can write a file, judged by its descriptor and the root directory of its process. Files of one owner share a worker. root's files
 * below our own root directory belong to one owner, the host.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct owner {
	uint64_t root; /* of the process, numbered by the caller; 0: ours */
	uint64_t device; /* of a FUSE mount, whose daemon controls its files; 0: another file system */
	uint64_t uid; /* OWNER_ANYBODY: anybody may write */
};

#define OWNER_ANYBODY UINT64_MAX
#define OWNER_HOST ((struct owner){ 0, 0, 0 })

struct owner owner_of(int fd, uint64_t root);
bool owner_same(const struct owner *a, const struct owner *b);
