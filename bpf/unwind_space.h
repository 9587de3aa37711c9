/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The layout of address spaces and unwind tables in maps: core/unwind/unwind_store.c writes them, bpf/unwind_step.h reads them.
 * bpf/unwind_abi.h has the format of a table.
 *
 * Directories with rules, rows, and the mappings of processes are in slabs of one size, created on demand. A place is an index over all
 * slabs, in units of 8 bytes (`longs`) or, for rows, of 4 bytes (`words`). Each of those items is within one slab. Memory that a running
 * program can reach never changes: it is written before an entry of st_processes refers to it. It is used again only when no entry refers
 * to it and all programs that may have read an old entry have finished.
 */
#pragma once

#include <linux/types.h>

#define ST_SLAB_BYTES (1u << 20)
#define ST_SLAB_LONGS (ST_SLAB_BYTES / 8)
#define ST_SLAB_WORDS (ST_SLAB_BYTES / 4)
#define ST_MAX_SLABS 1024 /* at most; --unwind-mem limits how many are created */

struct st_slab {
	union {
		__u64 longs[ST_SLAB_LONGS];
		__u32 words[ST_SLAB_WORDS];
	};
};

#define ST_MAX_SPACE_MAPPINGS 1023 /* of one process: a search of 10 steps finds as many */

/* An executable mapping. The mappings of a process are adjacent and sorted by address. */
struct st_space_mapping {
	__u64 start, end; /* below 2^63 */
	__u64 to_file; /* address - to_file = offset in the file */
	__u32 head; /* place (longs) of the directory entry of first_page; the file's rules follow the directory */
	__u32 nr_pages; /* directory entries from first_page on; 0: there is no table */
	__u32 first_page; /* offset in the file >> ST_UNWIND_PAGE_SHIFT */
	__u32 rules; /* place (longs) of rule 0, in the slab of `head`; without a table, ST_SPACE_TO_COME, ST_SPACE_CUT or 0 */
};
#define ST_SPACE_TO_COME 0xffffffffu /* the table will follow */
#define ST_SPACE_CUT 0xfffffffeu /* the last mapping stands for all higher ones, which did not fit */
#define ST_SPACE_MAPPING_LONGS 5

/* The mappings of a process, by tgid. */
struct st_unwind_process {
	__u64 space; /* ST_SPACE(); one word, so that it is never read half written */
	__u64 start_time_ns; /* of the process; 0: unknown until the first event sets it, like exec_id */
	__u64 exec_id;
	__u32 tgid; /* the key again: the kernel may reuse an entry for another process while it is read */
	__u32 pad;
};

/*
 * A space: the place (longs) and number of the mappings, and a serial number, which differs when a place is used again. So results of a
 * search can be cached under this word. The serial repeats after 134 million changes of mappings.
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
 * A cache of the rules that a CPU has found last, by address and space. An entry stays right, because the rule for an address in a space
 * never changes. Only the owner of the first scratch slot reads and writes it, so an entry is never seen half written. (Programs that
 * interrupt another one have the other slots.)
 */
#define ST_RECENT_BITS 10
#define ST_RECENT_RULES (1u << ST_RECENT_BITS)

struct st_recent_rule {
	__u64 address, space, rule; /* for a return address, `address` is that of the call's last byte */
};

struct st_recent {
	struct st_recent_rule rules[ST_RECENT_RULES];
};

_Static_assert(sizeof(struct st_recent) <= 32768, "the kernel's limit on per-CPU values (PCPU_MIN_UNIT_SIZE)");
_Static_assert(sizeof(struct st_slab) == ST_SLAB_BYTES, "struct st_slab changed size");
_Static_assert(sizeof(struct st_space_mapping) == 8 * ST_SPACE_MAPPING_LONGS, "struct st_space_mapping changed size");
_Static_assert((__u64)ST_MAX_SLABS *ST_SLAB_LONGS <= 1u << ST_SPACE_PLACE_BITS, "places of a space");
_Static_assert(ST_MAX_SPACE_MAPPINGS < 1 << ST_SPACE_NR_BITS, "mappings of a space");
_Static_assert(sizeof(struct st_unwind_process) == 32, "struct st_unwind_process changed size");
