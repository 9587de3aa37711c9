/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The executable mappings of one address space over time: which image is at an address at a given time.
 *
 * The current mappings are a sorted array without overlaps: a new mapping replaces what it covers, as mmap() does. Replaced pieces are kept
 * for a while, because records arrive after their events. The kernel does not report munmap(), so an address may keep an image that was
 * unmapped; no code runs there.
 *
 * A process and its forked children share one table, which is copied at the first change (mappings_add()): the usual fork and exec copies
 * nothing.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IMAGE_ANONYMOUS UINT32_MAX /* memory without a file */
#define MAPPINGS_MAX 65536         /* of one address space; the kernel's own default limit is 65,530 */
#define MAPPINGS_MAX_IN_ALL (1u << 20) /* of all tables together, with replaced pieces: 40 MB */

struct mapping {
	uint64_t start, end;
	uint64_t file_offset; /* of start */
	uint64_t since_ns;    /* CLOCK_MONOTONIC; 0: before the side-band */
	uint32_t image;       /* number in images, or IMAGE_ANONYMOUS */
};

struct mappings;

struct mappings *mappings_new(void);
/* Adds a holder of the same table. */
struct mappings *mappings_share(struct mappings *mappings);
void mappings_free(struct mappings *mappings); /* Removes a holder. */

/* Adds a mapping to *mappings, which is copied first if it is shared. 0; -ENOSPC: this table, or all together, have too many pieces. */
int mappings_add(struct mappings **mappings, const struct mapping *mapping);

/* Whether a mapping would replace code of another file or file offset. Code without a file does not count: JITs map it all the time. */
bool mappings_would_replace(const struct mappings *mappings, const struct mapping *mapping);

/* Adds all current mappings of `from` to *mappings. */
int mappings_add_all(struct mappings **mappings, const struct mappings *from);

/* The mapping that covered `address` at `time_ns`, or NULL. Valid until the next mappings_add(). */
const struct mapping *mappings_find(const struct mappings *mappings, uint64_t address, uint64_t time_ns);

/* The current mappings, by address. Valid until the next mappings_add(). */
const struct mapping *mappings_now(const struct mappings *mappings, size_t *ret_nr);

/* The number of mappings and replaced pieces: of one table, and of all. */
size_t mappings_count(const struct mappings *mappings);
size_t mappings_count_all(void);

/* Calls `mark` for each image in the table, once per sweep, because tables are shared. Numbers of sweeps start at 1. */
void mappings_mark(struct mappings *mappings, uint32_t sweep, void (*mark)(void *context, uint32_t image),
		   void *context);
