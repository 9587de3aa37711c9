/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The roots of processes: for which files a debug file is trusted (docs/internals/security.md).
 *
 * The administrator of the host controls what is below our root. The user who made the root of a process controls what is below that one,
 * and any user can make a root (user namespaces). So a debug file from there only names code of the same root. A root is identified by its
 * directory and the directory's mount, which no two mount namespaces share. A process whose root is the same directory as ours has our
 * root, whatever is mounted in its namespace. The same holds for the root of process 1, if we run in a container that sees the processes of
 * the host.
 *
 * At most ROOTS_MAX are known. A new one then replaces the least recently used one that has no processes.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct roots;

#define ROOTS_MAX 1024
#define ROOT_OURS 0 /* also an unknown root: only debug files of our root are used */

struct roots *roots_new(void);
void roots_free(struct roots *roots);

/*
 * Sets *ret_root to the number of the process's current root. False, with ROOT_OURS, if the process has ended or cannot be read, or if all
 * ROOTS_MAX roots still have processes. Numbers are not reused.
 */
bool roots_of(struct roots *roots, uint32_t tgid, uint32_t *ret_root);

/* An O_PATH descriptor of a root, opened through a process that has it; -ESRCH: no such process is known. */
int roots_open(struct roots *roots, uint32_t root);
