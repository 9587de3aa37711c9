/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The perf side-band: the kernel reports every executable mapping, fork, exec and exit on the host, and the code that it generates. Records
 * are in time order over all CPUs.
 *
 * Each CPU has a software event that never fires (PERF_COUNT_SW_DUMMY), with a ring. A second event writes build ids into the same ring:
 * the kernel reports either device and inode of a mapping or its build id, and the author of a file can forge the build id but not device
 * and inode.
 *
 * The events follow the host and not single tasks: children cannot inherit the ring of a task (perf_mmap() refuses it), so one event per
 * task and CPU would be needed, and threads that start while these are opened would be missed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/spaces/sideband_record.h"

struct sideband;

/* Opens the rings of all online CPUs; every later event is recorded. 0 or a negative errno with a recorded cause. */
int sideband_new(struct sideband **ret_sideband);
void sideband_free(struct sideband *sideband);

/* Opens all rings again, and forgets what was read and lost. As sideband_new(); *sideband is NULL if it fails. */
int sideband_open_again(struct sideband **sideband);

/* A descriptor for epoll: readable if a ring is a quarter full, or after sideband_ring(). */
int sideband_fd(const struct sideband *sideband);

/*
 * From now on, sideband_fd() also becomes readable when a program of this host maps code, forks or ends, and so after every exec; on
 * average at most once a millisecond (wakeups.h). Does nothing if the kernel refuses the events.
 */
void sideband_ring(struct sideband *sideband);

/* Begins a pass over all written records; opens rings of new CPUs. Returns the CLOCK_MONOTONIC time up to which it is complete. */
uint64_t sideband_begin(struct sideband *sideband);

/* The next record of the pass, in time order; NULL at its end. Valid until the next call. */
const struct sideband_record *sideband_next(struct sideband *sideband);

/* The number of records that were lost so far: they did not fit into a ring or could not be decoded. */
uint64_t sideband_lost(const struct sideband *sideband);

/* Whether certainly no record was lost so far. Before v6.0 the kernel counts a loss only with the next record of the CPU. */
bool sideband_is_whole(const struct sideband *sideband);

/* The number of online CPUs without a ring: they came online after the privilege to open events was dropped. */
size_t sideband_nr_unwatched(const struct sideband *sideband);

/* Whether this kernel reports build ids (v5.12; commit 88a16a130933 "perf: Add build id data in mmap2 event"). */
bool sideband_has_build_ids(const struct sideband *sideband);
