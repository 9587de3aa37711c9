/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the ring that the kernel maps for a perf event: records back to back, which may wrap round at its end.
 *
 * The ring belongs to the kernel alone, yet every length is checked: a record that could not be true ends the reading of
 * what is there, and is counted.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/vec.h"

struct perf_event_mmap_page;

struct perf_ring {
	struct perf_event_mmap_page *page; /* of control words; the data follow it */
	const uint8_t *data;
	uint64_t nr_bytes;   /* of data, a power of two */
	uint64_t head, tail; /* head as of the last perf_ring_load() */
	uint64_t nr_broken;  /* times that the rest of the ring was dropped */
	bool was_full;       /* the kernel may have dropped a record; the caller clears it */
	VEC(uint8_t) joined; /* a record that wrapped */
};

/* Maps the ring of `fd` with 2^order pages of data. 0 or a negative errno. */
int perf_ring_init(struct perf_ring *ring, int fd, unsigned int order);
void perf_ring_done(struct perf_ring *ring);

/* Looks how far the kernel has written. */
void perf_ring_load(struct perf_ring *ring);

/* The next record, NULL when there is none; it stays where it is, and valid until perf_ring_pop(). */
const void *perf_ring_peek(struct perf_ring *ring, size_t *ret_nr_bytes);

/* Gives the room of a record of this length back to the kernel. */
void perf_ring_pop(struct perf_ring *ring, size_t nr_bytes);
