/* SPDX-License-Identifier: GPL-2.0-or-later */
/* User probes that do nothing when they are hit: to try what the kernel does with one, or to make it remove an old breakpoint. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * At an offset of the file behind `path`, put into one process only. By a perf event, or by a uprobe.multi link where that is refused.
 * A descriptor for empty_uprobe_close(), or a negative errno. Signals wait meanwhile, as with every user probe.
 */
int empty_uprobe_open(const char *path, uint64_t offset, pid_t process);

/* Up to so many at once, by a uprobe.multi link: all of them or none. */
#define EMPTY_UPROBES 50
int empty_uprobes_open(const char *path, const unsigned long *offsets, size_t nr, pid_t process);

/* Removes the probes. Does nothing for a negative number. */
void empty_uprobe_close(int fd);
