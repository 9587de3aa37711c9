/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds breakpoints in the memory of processes that are not in their files: a tool that is killed while it attaches or detaches user probes
 * can leave some (core/host/signals.h).
 *
 * A page with a breakpoint is a copy of the file's page, so /proc/PID/pagemap shows the few pages to compare. A breakpoint does not show
 * who set it. Those of BPF links, of perf events with a program and of tracefs are known (breakpoints_known.h); processes under a debugger
 * are skipped. Others may still be in use, by perf without BPF or by a kernel module; breakpoints_heal() does not remove those.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/buf.h"
#include "core/base/vec.h"
#include "core/files/same_file.h"

struct broken_file {
	uint64_t device, inode; /* as in maps */
	struct file_identity identity;
	char *path; /* as mapped by a process; untrusted */
	int fd;
};

/* A place in a file, and how many processes have a breakpoint there. */
struct broken_place {
	uint32_t file; /* index in `files` */
	uint32_t nr_processes;
	uint32_t tgid; /* one of them */
	uint64_t offset;
	bool known; /* it belongs to an active probe */
};

struct breakpoints {
	VEC(struct broken_file) files;
	VEC(struct broken_place) places; /* sorted by offset */
	uint32_t nr_denied; /* processes whose memory this user cannot read */
	uint32_t nr_left; /* processes not searched completely: out of time, or over a limit */
};

/*
 * Searches all processes, for at most five seconds. If it finds something, it searches again half a second later; a breakpoint that is not
 * found both times counts as known. Pages that differ from their file in more than 16 other bytes are skipped. Changes nothing. 0 or a
 * recorded failure. Free with breakpoints_done() in any case.
 */
int breakpoints_find(struct breakpoints *ret_found);
void breakpoints_done(struct breakpoints *found);

/* The number of breakpoints, and of places, without a known probe. The first such place, or NULL. */
uint64_t breakpoints_nr_stale(const struct breakpoints *found, size_t *ret_nr_places);
const struct broken_place *breakpoints_example(const struct breakpoints *found);

/* "7 breakpoints at 3 places without a known probe, such as …": one line, escaped. */
void breakpoints_describe(const struct breakpoints *found, struct buf *ret_text);

struct breakpoints_healed {
	size_t nr_refused; /* places that the kernel refused to probe */
	int err; /* of the last of them */
	char why[200]; /* not empty: not all were tried, because the kernel waits for this */
};

/*
 * Removes the breakpoints at places without a known probe: probes each place in our own process only, and removes the probe. The kernel
 * then removes the breakpoint from all processes, unless another probe needs it. A child makes the calls; it is left if it waits for the
 * lock of a process.
 */
void breakpoints_heal(const struct breakpoints *found, struct breakpoints_healed *ret_healed);
