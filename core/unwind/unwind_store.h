/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unwind tables and the mappings of processes, where the BPF programs read them: the slabs and st_processes of
 * bpf/unwind_space.h.
 *
 * Slabs of 1 MiB are made when there is no room left, up to a limit, and given back to the kernel when they hold nothing.
 * Room is used again only after every program that may still read it has finished.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbolize/unwind.h"

struct unwind_store;

struct unwind_store_options {
	int slabs, processes; /* descriptors of the maps, borrowed */
	int first_slab;       /* a slab that is in its slot already, borrowed; or -1 */
	uint64_t max_bytes;   /* of all slabs */
};

struct unwind_store *unwind_store_new(const struct unwind_store_options *options);
void unwind_store_free(struct unwind_store *store);

/*
 * Waits until all slabs are in their slots, which happens in the background; a table in another slab is not used. 0 or
 * the errno of a slab that could not be put.
 */
int unwind_store_settle(struct unwind_store *store);

/*
 * Makes what was removed free, and gives back a slab that holds nothing, in steps that a thread waits for: call it again
 * and again. One such slab is kept. 0 or the errno of a slab that could not be put.
 */
int unwind_store_tidy(struct unwind_store *store);

/* A slab (struct st_slab) by its number, for reading, until unwind_store_tidy(). NULL if there is no such slab, or no memory. */
const void *unwind_store_slab(struct unwind_store *store, uint32_t number);

/* What tables and processes take, without what was removed. */
uint64_t unwind_store_bytes(const struct unwind_store *store);

#define UNWIND_NO_TABLE UINT32_MAX
#define UNWIND_TABLE_TO_COME (UINT32_MAX - 1) /* none yet */
#define UNWIND_TABLE_CUT (UINT32_MAX - 2) /* of unwind_store_fit() */

/*
 * Copies a table into the slabs and sets its number. No program reads it before a process has it. -ENOSPC when there is
 * no room for it within the limit, -E2BIG when it does not fit into any slab, or the errno of a map that could not be
 * made.
 */
int unwind_store_add(struct unwind_store *store, const struct unwind_table *table, uint32_t *ret_number);

/* Forgets a table; no process may have it any more. */
void unwind_store_remove(struct unwind_store *store, uint32_t number);

/* An executable mapping of a process. */
struct unwind_space_mapping {
	uint64_t start, end, file_offset;
	uint64_t to_address; /* what to add to an offset in the file for the address that the table uses; a multiple of a page */
	uint32_t table; /* number, UNWIND_NO_TABLE or UNWIND_TABLE_TO_COME */
};

/* A piece of a slab, in longs. */
struct unwind_extent {
	uint32_t place, nr;
};

/* Which run of a process it is; zero where it is not known. */
struct unwind_process {
	uint32_t tgid;
	uint64_t start_time_ns, exec_id;
	struct unwind_extent space; /* the store's, as long as it has the process; zero at first */
};

/*
 * Reduces mappings, which are sorted by address, to at most `max`. Those that no walk searches for are left out. Where
 * there are too many, neighbours without a table become one, gaps included: a walk follows frame pointers in all of
 * them. If that is not enough, the last one covers the rest, with UNWIND_TABLE_CUT. Returns how many are left.
 */
size_t unwind_store_fit(struct unwind_space_mapping *mappings, size_t nr, size_t max);

/*
 * Replaces the mappings of the process by these, which are sorted by address. More than ST_MAX_SPACE_MAPPINGS are
 * refused with -E2BIG: call unwind_store_fit() first. 0 or a negative errno: then the process has what it had before.
 */
int unwind_store_set_process(struct unwind_store *store, struct unwind_process *process,
			     const struct unwind_space_mapping *mappings, size_t nr);

/* Removes the process. */
void unwind_store_remove_process(struct unwind_store *store, struct unwind_process *process);
