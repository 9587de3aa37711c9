/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the address spaces of processes and the tables of their files lie in maps: core/unwind/unwind_store.c writes it,
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
	__u32 rules; /* place (longs) of rule 0, in the slab of `head`; without a table ST_SPACE_TO_COME, ST_SPACE_CUT or 0 */
};
#define ST_SPACE_TO_COME 0xffffffffu /* no table yet */
#define ST_SPACE_CUT 0xfffffffeu /* the last one, in the place of all above that found no room */
#define ST_SPACE_MAPPING_LONGS 5

/* Where the mappings of a process are, by tgid. */
struct st_unwind_process {
	__u64 space; /* ST_SPACE(): one word, so that it is read as a whole */
	__u64 start_time_ns; /* of the process, and its exec id; 0: any, until the first event has told */
	__u64 exec_id;
	__u32 tgid; /* the key again: an entry may be used again for another process while it is read */
	__u32 pad;
};

/*
 * The place (longs) and the number of mappings, and a serial number: a place that is used again is another space. What was found
 * in a space, under all of this word, is therefore true as long as an entry has it. The serial comes round after 134 million
 * changes of mappings.
 */
#define ST_SPACE_PLACE_BITS 27
#define ST_SPACE_NR_BITS 10
#define ST_SPACE(place, nr, serial)                                              \
	((__u64)(serial) << (ST_SPACE_PLACE_BITS + ST_SPACE_NR_BITS) |           \
	 (__u64)((nr) & ((1u << ST_SPACE_NR_BITS) - 1)) << ST_SPACE_PLACE_BITS | \
	 ((place) & ((1u << ST_SPACE_PLACE_BITS) - 1)))
#define ST_SPACE_PLACE(space) ((__u32)(space) & ((1u << ST_SPACE_PLACE_BITS) - 1))
#define ST_SPACE_NR(space) ((__u32)((space) >> ST_SPACE_PLACE_BITS) & ((1u << ST_SPACE_NR_BITS) - 1))

/*
 * The rules that a CPU has found last. The address and the space of each are kept whole, and what is found under them never
 * changes: what is remembered is what a search would find. Only the owner of the first scratch slot reads and writes it, so no
 * entry is ever seen half written; the other slots are those of programs that interrupt another one.
 */
#define ST_RECENT_BITS 10
#define ST_RECENT_RULES (1u << ST_RECENT_BITS)

struct st_recent_rule {
	__u64 address, space, rule; /* the address as it is looked up: that of a call is its last byte */
};

struct st_recent {
	struct st_recent_rule rules[ST_RECENT_RULES];
};

_Static_assert(sizeof(struct st_recent) <= 32768, "the kernel's limit for what each CPU has (PCPU_MIN_UNIT_SIZE)");
_Static_assert(sizeof(struct st_slab) == ST_SLAB_BYTES, "struct st_slab changed size");
_Static_assert(sizeof(struct st_space_mapping) == 8 * ST_SPACE_MAPPING_LONGS, "struct st_space_mapping changed size");
_Static_assert((__u64)ST_MAX_SLABS *ST_SLAB_LONGS <= 1u << ST_SPACE_PLACE_BITS, "places of a space");
_Static_assert(ST_MAX_SPACE_MAPPINGS < 1 << ST_SPACE_NR_BITS, "mappings of a space");
_Static_assert(sizeof(struct st_unwind_process) == 32, "struct st_unwind_process changed size");
