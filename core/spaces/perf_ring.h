/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the ring buffer of a perf event: records one after the other, which can wrap at the end. Only the kernel writes them, yet every
 * length is checked: after an impossible record, the rest of the ring is dropped and counted.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/vec.h"

struct perf_event_mmap_page;

struct perf_ring {
	struct perf_event_mmap_page *page; /* control page; the data follows it */
	const uint8_t *data;
	uint64_t nr_bytes;   /* of data, a power of two */
	uint64_t head, tail; /* head as of the last perf_ring_load() */
	uint64_t nr_broken;  /* times that the rest of the ring was dropped */
	bool was_full; /* the kernel may have dropped a record; cleared by the caller */
	VEC(uint8_t) joined; /* copy of a record that wraps */
};

/* Maps the ring of `fd` with 2^order pages of data. 0 or a negative errno. */
int perf_ring_init(struct perf_ring *ring, int fd, unsigned int order);
void perf_ring_done(struct perf_ring *ring);

/* Reads how much the kernel has written. */
void perf_ring_load(struct perf_ring *ring);

/* The next record, or NULL. It is valid until perf_ring_pop(). */
const void *perf_ring_peek(struct perf_ring *ring, size_t *ret_nr_bytes);

/* Frees the space of a record of this length for the kernel. */
void perf_ring_pop(struct perf_ring *ring, size_t nr_bytes);
