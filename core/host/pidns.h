/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdint.h>

struct pidns {
	uint32_t inode; /* its number */
	uint32_t level; /* number of its ancestors */
};

/*
 * Finds a pid namespace by "4026531836" or "pid:[4026531836]" (as readlink shows it; a process that /proc shows must be in it or below it),
 * by a path such as /proc/4711/ns/pid, or by the id of a process in it (ids of namespaces are larger). 0, or a recorded failure: a usage
 * error if it is none of these, ERR_NO_MATCH if no process is in the namespace, ERR_HOST if the level cannot be read.
 */
int pidns_find(const char *text, struct pidns *ret_pidns);
