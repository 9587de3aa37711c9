/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The roots of processes: how far a debug file is trusted (docs/internals/security.md).
 *
 * The administrator of the host decides what is below our own root. What is below the root of a process is decided by
 * the user who made that root, and any user can make one (user namespaces). So a debug file from there names only code
 * of the same root. A root is known by its directory and the mount of that directory, which no two mount namespaces
 * share. A process whose root is the same directory as ours has our root, whatever is mounted in its namespace. The
 * same holds for the root of process 1, where we run in a container that sees the processes of the host.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct roots;

#define ROOT_OURS 0 /* also for a root that is not known: then only debug files of our root are used */

struct roots *roots_new(void);
void roots_free(struct roots *roots);

/*
 * Sets *ret_root to the number of the root that the process has now. False, and ROOT_OURS, when the process has gone,
 * may not be looked at, or there are too many roots.
 */
bool roots_of(struct roots *roots, uint32_t tgid, uint32_t *ret_root);

/* An O_PATH descriptor of a root, through a process that has it; -ESRCH when no such process is known any more. */
int roots_open(const struct roots *roots, uint32_t root);
