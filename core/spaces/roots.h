/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The roots that processes have: how far a debug file is believed (docs/internals/security.md).
 *
 * What lies below our own root was put there by whoever administers the host; what lies below the root of a process, by whoever
 * made that root, which any user can (user namespaces). So a debug file from there names the code of that root alone. A root is
 * known by its directory and the mount that this is on, which no two mount namespaces share; a process in a mount namespace whose
 * root is the same directory as ours has ours, and its mounts are not looked at. So it is with the root of process 1, where we
 * run in a container that sees the host's processes.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct roots;

#define ROOT_OURS 0 /* also in place of a root that could not be told: nothing but ours is believed then */

struct roots *roots_new(void);
void roots_free(struct roots *roots);

/* The number of a process's root now; ROOT_OURS, and false, when it has gone, may not be looked at, or has one root too many. */
bool roots_of(struct roots *roots, uint32_t tgid, uint32_t *ret_root);

/* An O_PATH descriptor of a root, through a process that has it: -ESRCH when there is none left that was seen in it. */
int roots_open(const struct roots *roots, uint32_t root);
