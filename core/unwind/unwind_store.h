/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unwind tables and the mappings of processes where the kernel side reads them: the slabs and st_processes of
 * bpf/unwind_space.h.
 *
 * Slabs of 1 MiB are made when there is no room left, up to a limit, and never go back. What was removed is used again only
 * after every program that may still read it has finished.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbolize/unwind.h"

struct unwind_store;

struct unwind_store_options {
	int slabs, processes; /* descriptors of the maps, borrowed */
	int first_slab;       /* that is in its slot already, borrowed too; or -1 */
	uint64_t max_bytes;   /* of all slabs */
};

struct unwind_store *unwind_store_new(const struct unwind_store_options *options);
void unwind_store_free(struct unwind_store *store);

/*
 * Slabs are put into their slots in the background, and a table in one that is not there yet is not used: this waits for all. 0
 * or the errno of one that could not be put.
 */
int unwind_store_settle(struct unwind_store *store);

#define UNWIND_NO_TABLE UINT32_MAX
#define UNWIND_TABLE_TO_COME (UINT32_MAX - 1) /* none yet */
#define UNWIND_TABLE_CUT (UINT32_MAX - 2)     /* of unwind_store_fit() */

/*
 * Copies a table in and gives its number. It is read by no program before a process has it. -ENOSPC when there is no room for
 * it within the limit, -E2BIG when it would not fit into any slab, or the errno of a map that could not be made.
 */
int unwind_store_add(struct unwind_store *store, const struct unwind_table *table, uint32_t *ret_number);

/* Forgets a table; no process may have it any more. */
void unwind_store_remove(struct unwind_store *store, uint32_t number);

/* An executable mapping of a process. */
struct unwind_space_mapping {
	uint64_t start, end, file_offset;
	uint64_t to_address; /* of the file: what to add to an offset in it; a multiple of a page */
	uint32_t table;      /* number, UNWIND_NO_TABLE or UNWIND_TABLE_TO_COME */
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
 * Makes no more than `max` of these mappings, in the order of their addresses; those that no walk looks for are left out. Where
 * there are more, those without a table that follow each other become one, gaps included: all that a walk does in them is to
 * follow frame pointers. What is still too much is cut: the last one covers it, with UNWIND_TABLE_CUT. Returns how many there
 * are then.
 */
size_t unwind_store_fit(struct unwind_space_mapping *mappings, size_t nr, size_t max);

/*
 * Makes these mappings, in the order of their addresses, those of the process, in the place of what it had. More than
 * ST_MAX_SPACE_MAPPINGS of them are refused with -E2BIG: unwind_store_fit() comes first. 0 or a negative errno: then the process
 * has what it had before.
 */
int unwind_store_set_process(struct unwind_store *store, struct unwind_process *process,
			     const struct unwind_space_mapping *mappings, size_t nr);

/* Nothing is known of the process any more. */
void unwind_store_remove_process(struct unwind_store *store, struct unwind_process *process);
