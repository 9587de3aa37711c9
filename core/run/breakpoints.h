/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Breakpoints in the memory of processes that are in no file: what a tool can leave that was killed while it attached or detached
 * user probes (core/host/signals.h).
 *
 * A page of a program that has one is a copy of the file's page, so /proc/PID/pagemap tells the few pages that have to be compared.
 * Whose a breakpoint is cannot be seen in it. Those of BPF links, of perf events with a program and of tracefs are known
 * (breakpoints_known.c); processes that a debugger is attached to are passed over. What is left may still belong to somebody: to
 * perf without BPF, or to a module of the kernel. To take such a one for stale does no harm: see breakpoints_heal().
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/buf.h"
#include "core/base/vec.h"
#include "core/files/same_file.h"

struct broken_file {
	uint64_t device, inode; /* as maps show them */
	struct file_identity identity;
	char *path; /* as a process has it mapped; chosen by its owner */
	int fd;
};

/* A place in a file, and how many processes have a breakpoint there. */
struct broken_place {
	uint32_t file; /* index */
	uint32_t nr_processes;
	uint32_t tgid; /* one of them */
	uint64_t offset;
	bool known; /* a probe that is there now accounts for it */
};

struct breakpoints {
	VEC(struct broken_file) files;
	VEC(struct broken_place) places; /* by offset */
	uint32_t nr_processes; /* that were looked at */
	uint32_t nr_denied;    /* whose memory may not be read */
	uint32_t nr_left;      /* not looked at, or not to the end: there was no time left, or there was too much */
};

/*
 * Looks at all processes for at most five seconds, and where it finds something once more half a second later: what is not there both
 * times counts as known. 0 or a recorded failure. Nothing is changed. To be ended by breakpoints_done() in
 * any case.
 */
int breakpoints_find(struct breakpoints *ret_found);
void breakpoints_done(struct breakpoints *found);

/* How many breakpoints, and places, no probe accounts for; the first such place, or NULL. */
uint64_t breakpoints_nr_stale(const struct breakpoints *found, size_t *ret_nr_places);
const struct broken_place *breakpoints_example(const struct breakpoints *found);

/* "7 breakpoints at 3 places that no known probe accounts for, such as …": one line, in which everything can be printed. */
void breakpoints_describe(const struct breakpoints *found, struct buf *ret_text);

/* Sets `known` where a probe is there now. */
void breakpoints_mark_known(struct breakpoints *found);

/*
 * Puts a probe on each place that no probe accounts for, in no process but ours, and removes it. The kernel then looks at the place
 * in all processes, and takes the breakpoint out where nobody wants it; those of other probes stay. Returns how many places could
 * not be probed, and the errno of the last of them.
 */
size_t breakpoints_heal(const struct breakpoints *found, int *ret_err);
