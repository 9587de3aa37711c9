/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdint.h>

/* An active user probe at an offset of a file; device and inode are those of stat(). */
typedef void known_probe(void *context, uint64_t device, uint64_t inode, uint64_t offset);

/*
 * Calls `found` for each probe of a uprobe.multi link (shown by kernels from 6.8 on), of a perf event by link (6.6) or with a program
 * (4.18), and of tracefs. Probes whose file cannot be found by its path are missing: in another mount namespace, or deleted.
 */
void known_probes(known_probe *found, void *context);
