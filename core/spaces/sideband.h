/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The perf side-band: the kernel reports every executable mapping, fork, exec and exit on the host, and code that it
 * generates, in time order over all CPUs.
 *
 * Each CPU has a software event that never fires (PERF_COUNT_SW_DUMMY), with a ring. A second event writes build ids
 * into the same ring: the kernel reports either device and inode of a mapping or its build id, never both, and only
 * device and inode cannot be forged by the author of the file.
 *
 * It follows the host and not single tasks, because children cannot inherit the ring of a task (perf_mmap() refuses
 * it). So one event per task and CPU would be needed, and threads that begin while these are opened would be missed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/spaces/sideband_record.h"

struct sideband;

/* Opens the rings of all online CPUs; nothing is missed from now on. 0 or a negative errno with a recorded cause. */
int sideband_new(struct sideband **ret_sideband);
void sideband_free(struct sideband *sideband);

/* Begins again, without what was read and lost so far. As sideband_new(); *sideband is NULL if it fails. */
int sideband_open_again(struct sideband **sideband);

/* A descriptor for epoll: readable if a ring is a quarter full, or as sideband_ring() describes. */
int sideband_fd(const struct sideband *sideband);

/*
 * From now on, sideband_fd() also becomes readable when a program of this host maps code, forks or ends, and so after
 * every exec; on average at most once a millisecond (wakeups.h). If the kernel refuses that, nothing changes.
 */
void sideband_ring(struct sideband *sideband);

/*
 * Begins a pass over everything that has been written, and opens rings for CPUs that have come online. Returns the time
 * (CLOCK_MONOTONIC) up to which this pass is complete.
 */
uint64_t sideband_begin(struct sideband *sideband);

/* The next record of the pass, in time order; NULL at its end. Valid until the next call. */
const struct sideband_record *sideband_next(struct sideband *sideband);

/* The number of records so far that did not fit into a ring or could not be decoded. */
uint64_t sideband_lost(const struct sideband *sideband);

/* Whether no record can have been lost so far. Before v6.0 the kernel counts a loss only with the next record of the CPU. */
bool sideband_is_whole(const struct sideband *sideband);

/* The number of online CPUs without a ring: they came online when the privilege to open events had been dropped. */
size_t sideband_nr_unwatched(const struct sideband *sideband);

/* Whether this kernel reports build ids (v5.12; commit 88a16a130933 "perf: Add build id data in mmap2 event"). */
bool sideband_has_build_ids(const struct sideband *sideband);
