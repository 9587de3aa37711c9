/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where user probes are now, as far as the kernel shows them. */
#pragma once

#include <stdint.h>

/* A probe at an offset of the file that stat() shows with this device and inode. */
typedef void known_probe(void *context, uint64_t device, uint64_t inode, uint64_t offset);

/*
 * Calls `found` for each probe of a uprobe.multi link (shown by kernels from 6.8 on), of a perf event by link (6.6) or with a
 * program (4.18), and of tracefs. A path of another mount namespace, or of a deleted file, leads nowhere from here: its probes are
 * left out.
 */
void known_probes(known_probe *found, void *context);
