/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The roots of processes: how far a debug file is trusted (docs/internals/security.md).
 *
 * The administrator of the host controls what is below our own root. The user who made the root of a process controls
 * what is below that one, and any user can make a root (user namespaces). So a debug file from there names only code of
 * the same root. A root is identified by its directory and the mount of that directory, which no two mount namespaces
 * share. A process whose root is the same directory as ours has our root, whatever is mounted in its namespace. The
 * same holds for the root of process 1, where we run in a container that sees the processes of the host.
 *
 * At most ROOTS_MAX are known at a time. A further one takes the place of the least recently used whose processes have gone.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct roots;

#define ROOTS_MAX 1024
#define ROOT_OURS 0 /* also for a root that is not known: then only debug files of our root are used */

struct roots *roots_new(void);
void roots_free(struct roots *roots);

/*
 * Sets *ret_root to the number of the root that the process has now. False, and ROOT_OURS, when the process has gone,
 * may not be looked at, or all of ROOTS_MAX roots
 * still have processes. Numbers are not used again.
 */
bool roots_of(struct roots *roots, uint32_t tgid, uint32_t *ret_root);

/* An O_PATH descriptor of a root, through a process that has it; -ESRCH when no such process is known any more. */
int roots_open(struct roots *roots, uint32_t root);
