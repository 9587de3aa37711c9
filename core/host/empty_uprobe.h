/* SPDX-License-Identifier: GPL-2.0-or-later */
/* User probes that do nothing: to test what the kernel does with a probe, or to make it remove an old breakpoint. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Two ways to attach: the type of perf event, and a program for uprobe.multi links. A negative errno: this host does not have it. */
struct empty_uprobe_ways {
	int event_type, program;
};

struct empty_uprobe_ways empty_uprobe_ways(void);
void empty_uprobe_ways_done(struct empty_uprobe_ways *ways);

/*
 * Attaches a probe at an offset in the file `path` to one process, by a perf event, or if that is refused by a uprobe.multi link, with all
 * signals blocked (signals_hold()). Returns a descriptor for empty_uprobe_close(), or a negative errno. All three functions only make
 * system calls.
 */
int empty_uprobe_open(const struct empty_uprobe_ways *ways, const char *path, uint64_t offset, pid_t process);

/* Attaches at most EMPTY_UPROBES probes, all or none, by a uprobe.multi link. Returns as empty_uprobe_open(). */
#define EMPTY_UPROBES 50
int empty_uprobes_open(const struct empty_uprobe_ways *ways, const char *path, const unsigned long *offsets, size_t nr,
		       pid_t process);

/* Removes the probes; does nothing for a negative descriptor. */
void empty_uprobe_close(int fd);
