/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the pid namespace that the user named. */
#pragma once

#include <stdint.h>

struct pidns {
	uint32_t inode; /* its number */
	uint32_t level; /* the number of namespaces above it */
};

/*
 * Reads "4026531836" or "pid:[4026531836]" (as readlink shows it; a process that /proc shows must be in it or below
 * it), a path such as /proc/4711/ns/pid, or the id of a process (numbers of namespaces are larger). 0, or a recorded failure: a usage
 * error for what is none of these, no match for a namespace that no process is in, and ERR_HOST where the level cannot be read.
 */
int pidns_find(const char *text, struct pidns *ret_pidns);
