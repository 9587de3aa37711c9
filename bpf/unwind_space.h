/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the address spaces of processes and the tables of their files lie in maps: core/engine/unwind_store.c writes it,
 * bpf/unwind.bpf.c reads it. What a table is made of stands in bpf/unwind_abi.h.
 *
 * All of it lies in slabs of one size, which are made when they are needed: directories and rules, rows, and the mappings
 * of processes. A place is a number over all slabs, in units of 8 bytes (`longs`) or, for rows, of 4 (`words`); what is
 * read by one place never crosses a slab. Nothing that a running program can reach is ever changed: it is written first,
 * then an entry of st_processes leads to it, and what no entry leads to any more is used again only when every program
 * that may have read the old entry has finished.
 */
#pragma once

#ifndef __VMLINUX_H__
#include <linux/types.h>
#endif

#define ST_SLAB_BYTES (1u << 20)
#define ST_SLAB_LONGS (ST_SLAB_BYTES / 8)
#define ST_SLAB_WORDS (ST_SLAB_BYTES / 4)
#define ST_MAX_SLABS 1024 /* slots for them: 8 bytes each; how many are made is --unwind-mem */

struct st_slab {
	union {
		__u64 longs[ST_SLAB_LONGS];
		__u32 words[ST_SLAB_WORDS];
	};
};

#define ST_MAX_SPACE_MAPPINGS 1023 /* of one process: what a 10-step search can tell apart */

/* An executable mapping. Those of one process lie side by side, by address. */
struct st_space_mapping {
	__u64 start, end; /* below 2^63 */
	__u64 to_file; /* address - to_file = offset in the file, whose low 12 bits are those of the table's address */
	__u32 head; /* place (longs) of the directory entry of the first page; the file's rules follow the directory */
	__u32 nr_pages; /* that the directory has from first_page on; 0: nothing but frame pointers */
	__u32 first_page; /* offset in the file >> ST_UNWIND_PAGE_SHIFT */
	__u32 rules; /* place (longs) of rule 0, in the slab of `head`; ST_SPACE_TO_COME: no table yet */
};
#define ST_SPACE_TO_COME 0xffffffffu
#define ST_SPACE_MAPPING_LONGS 5

/* Where the mappings of a process are, by tgid. */
struct st_unwind_process {
	__u64 space; /* ST_SPACE(): one word, so that it is read as a whole */
	__u64 start_time_ns; /* of the process, and its exec id; 0: any, until the first event has told */
	__u64 exec_id;
	__u32 tgid; /* the key again: an entry may be used again for another process while it is read */
	__u32 pad;
};

#define ST_SPACE(place, nr) ((__u64)(nr) << 32 | (__u32)(place)) /* place in longs */
#define ST_SPACE_PLACE(space) ((__u32)(space))
#define ST_SPACE_NR(space) ((__u32)((space) >> 32))

_Static_assert(sizeof(struct st_slab) == ST_SLAB_BYTES, "struct st_slab changed size");
_Static_assert(sizeof(struct st_space_mapping) == 8 * ST_SPACE_MAPPING_LONGS, "struct st_space_mapping changed size");
_Static_assert(sizeof(struct st_unwind_process) == 32, "struct st_unwind_process changed size");
