/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stores unwind tables and the mappings of processes where the BPF programs read them: in the slabs and st_processes of bpf/unwind_space.h.
 *
 * Slabs of 1 MiB are made as needed, up to a limit, and freed when they are empty. Removed data is overwritten only after every program
 * that may still read it has finished.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbolize/unwind.h"

struct unwind_store;

struct unwind_store_options {
	int slabs, processes; /* descriptors of the maps, borrowed */
	int first_slab; /* a slab that is in slot 0 already, borrowed; -1: none */
	uint64_t max_bytes;   /* of all slabs */
};

struct unwind_store *unwind_store_new(const struct unwind_store_options *options);
void unwind_store_free(struct unwind_store *store);

/* Waits until threads have put all slabs into their slots: only then tables are used. 0, or the errno of a failed slab. */
int unwind_store_settle(struct unwind_store *store);

/*
 * Makes the space of removed data reusable, and frees empty slabs except one. It does not wait: each step is done by a thread, so call it
 * repeatedly. 0, or the errno for a slab that could not be put.
 */
int unwind_store_tidy(struct unwind_store *store);

/* A slab (struct st_slab) by its number, for reading, valid until unwind_store_tidy(). NULL: no such slab, or no memory. */
const void *unwind_store_slab(struct unwind_store *store, uint32_t number);

/* Bytes of all tables and processes, without removed ones. */
uint64_t unwind_store_bytes(const struct unwind_store *store);

#define UNWIND_NO_TABLE UINT32_MAX
#define UNWIND_TABLE_TO_COME (UINT32_MAX - 1) /* not made yet */
#define UNWIND_TABLE_CUT (UINT32_MAX - 2) /* set by unwind_store_fit() */

/*
 * Copies a table into the slabs and returns its number. Programs read it only when a process has it. 0; -ENOSPC: no space within the limit;
 * -E2BIG: larger than a slab; or the errno for a map that could not be made.
 */
int unwind_store_add(struct unwind_store *store, const struct unwind_table *table, uint32_t *ret_number);

/* Removes a table, which no process may have any more. */
void unwind_store_remove(struct unwind_store *store, uint32_t number);

struct unwind_space_mapping {
	uint64_t start, end, file_offset;
	uint64_t to_address; /* added to an offset in the file, it gives the table's address; a multiple of a page */
	uint32_t table; /* number, UNWIND_NO_TABLE or UNWIND_TABLE_TO_COME */
};

/* A piece of a slab, in longs. */
struct unwind_extent {
	uint32_t place, nr;
};

/* Identifies one program run by a process; zero: unknown. */
struct unwind_process {
	uint32_t tgid;
	uint64_t start_time_ns, exec_id;
	struct unwind_extent space; /* set by the store; initially zero */
};

/*
 * Reduces mappings, sorted by address, to at most `max`, and returns their number. Drops those that no walk searches. If there are still
 * too many, joins neighbours without a table, including the gaps: a walk uses frame pointers in all of them. If that is not enough, the
 * last one covers the rest, with UNWIND_TABLE_CUT.
 */
size_t unwind_store_fit(struct unwind_space_mapping *mappings, size_t nr, size_t max);

/* Writes these mappings for walks in user space alone, until unwind_store_remove_space(). 0, and ST_SPACE(), or a negative errno. */
int unwind_store_add_space(struct unwind_store *store, const struct unwind_space_mapping *mappings, size_t nr,
			   struct unwind_extent *ret_extent, uint64_t *ret_space);
void unwind_store_remove_space(struct unwind_store *store, struct unwind_extent extent);

/*
 * Replaces the mappings of the process; they are sorted by address. 0 or a negative errno: then the process keeps its old ones. -E2BIG:
 * more than ST_MAX_SPACE_MAPPINGS (see unwind_store_fit()).
 */
int unwind_store_set_process(struct unwind_store *store, struct unwind_process *process,
			     const struct unwind_space_mapping *mappings, size_t nr);

void unwind_store_remove_process(struct unwind_store *store, struct unwind_process *process);
