/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/spaces/perf_ring.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define LARGEST_RECORD 8192 /* a mapping with a path of 4 KB is shorter */

int perf_ring_init(struct perf_ring *ring, int fd, unsigned int order)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	size_t nr_bytes = page_bytes << order;
	void *page = mmap(NULL, page_bytes + nr_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (page == MAP_FAILED)
		return -errno;
	*ring = (struct perf_ring){ .page = page, .data = (uint8_t *)page + page_bytes, .nr_bytes = nr_bytes };
	return 0;
}

void perf_ring_done(struct perf_ring *ring)
{
	if (ring->page)
		munmap(ring->page, (size_t)sysconf(_SC_PAGESIZE) + ring->nr_bytes);
	vec_done(&ring->joined);
	*ring = (struct perf_ring){};
}

void perf_ring_load(struct perf_ring *ring)
{
	ring->head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	ring->tail = ring->page->data_tail; /* only we write it */
}

/* Only this frees space, so if the ring was full since the last call, this check finds it full. */
static void give_back(struct perf_ring *ring)
{
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_RELAXED);

	if (head - ring->page->data_tail + LARGEST_RECORD > ring->nr_bytes)
		ring->was_full = true;
	__atomic_store_n(&ring->page->data_tail, ring->tail, __ATOMIC_RELEASE);
}

/* The `nr_bytes` from the tail on, contiguous. */
static const uint8_t *bytes_at_tail(struct perf_ring *ring, size_t nr_bytes)
{
	uint64_t position = ring->tail & (ring->nr_bytes - 1);
	size_t nr_first = ring->nr_bytes - position;

	if (nr_bytes <= nr_first)
		return ring->data + position;
	vec_reserve(&ring->joined, nr_bytes);
	memcpy(ring->joined.data, ring->data + position, nr_first);
	memcpy(ring->joined.data + nr_first, ring->data, nr_bytes - nr_first);
	return ring->joined.data;
}

const void *perf_ring_peek(struct perf_ring *ring, size_t *ret_nr_bytes)
{
	uint64_t available = ring->head - ring->tail;
	struct perf_event_header header;

	if (!available)
		return NULL;
	if (available >= sizeof(header) && available <= ring->nr_bytes) {
		memcpy(&header, bytes_at_tail(ring, sizeof(header)), sizeof(header));
		if (header.size >= sizeof(header) && header.size <= available) {
			*ret_nr_bytes = header.size;
			return bytes_at_tail(ring, header.size);
		}
	}
	ring->nr_broken++;
	ring->tail = ring->head;
	give_back(ring);
	return NULL;
}

void perf_ring_pop(struct perf_ring *ring, size_t nr_bytes)
{
	ring->tail += nr_bytes;
	give_back(ring);
}
