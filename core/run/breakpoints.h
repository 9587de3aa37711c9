/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Breakpoints in the memory of processes that are in no file: a tool that is killed while it attaches or detaches user probes
 * can leave some (core/host/signals.h).
 *
 * A page with a breakpoint is a copy of the file's page, so /proc/PID/pagemap tells the few pages that have to be compared.
 * A breakpoint does not tell whose it is. Those of BPF links, of perf events with a program and of tracefs are known
 * (breakpoints_known.h); processes under a debugger are skipped. What is left may still be in use, by perf without BPF or by
 * a kernel module. Healing it does no harm: see breakpoints_heal().
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
	bool known; /* it belongs to a probe that is there now */
};

struct breakpoints {
	VEC(struct broken_file) files;
	VEC(struct broken_place) places; /* by offset */
	uint32_t nr_denied;    /* whose memory may not be read */
	uint32_t nr_left;      /* not looked at, or not to the end: there was no time left, or there was too much */
};

/*
 * Looks at all processes for at most five seconds. If it finds something, it looks again half a second later; what is not there
 * both times counts as known. 0 or a recorded failure. Nothing is changed. Free with breakpoints_done() in any case.
 */
int breakpoints_find(struct breakpoints *ret_found);
void breakpoints_done(struct breakpoints *found);

/* The number of breakpoints, and of places, without a known probe; the first such place, or NULL. */
uint64_t breakpoints_nr_stale(const struct breakpoints *found, size_t *ret_nr_places);
const struct broken_place *breakpoints_example(const struct breakpoints *found);

/* "7 breakpoints at 3 places without a known probe, such as …": one line, escaped. */
void breakpoints_describe(const struct breakpoints *found, struct buf *ret_text);

/*
 * Probes each place without a known probe, only in our own process, and removes the probe. The kernel then removes the
 * breakpoint from all processes, except where another probe needs it. Returns how many places could not be probed, and the
 * errno of the last of them.
 */
size_t breakpoints_heal(const struct breakpoints *found, int *ret_err);
