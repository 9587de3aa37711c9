/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the walks of all interpreters share: the state in a map, and the words of a record. */
#pragma once

#include "bpf/unwind.bpf.h"

#define ST_PYTHON_STEPS 23 /* in each of two loops: 529 frames and comparisons */

/* NULL if no frames of interpreters are walked: the maps do not exist then. */
static __always_inline struct st_python_walk *st_python_walk_at(__u32 slot_index)
{
	return ST_WALKS ? bpf_map_lookup_elem(&st_python_walks, &slot_index) : 0;
}

static __always_inline int st_python_read(__u64 address, __u64 *ret_word)
{
	*ret_word = 0;
	return address & 7 || (int)bpf_probe_read_user(ret_word, 8, (void *)address) ? -1 : 0;
}

/* Adds two words to the record; the last room is for frames that are missing. 0 or -1. */
static __always_inline int st_python_put(struct st_python_walk *walk, struct st_slot *slot, __u64 first, __u64 second,
					 __u32 room)
{
	__u32 at = walk->at;

	st_opaque(at);
	if (at >= 2 * ST_MAX_FRAMES - room)
		return -1;
	st_opaque(at);
	slot->stack.frames[at] = first;
	slot->stack.frames[at + 1] = second;
	walk->at = at + 2;
	slot->stack.head.nr_python++;
	return 0;
}

/* The walk ends with frames that are missing. Returns -1. */
int st_python_end(__u32 slot_index, __u32 missing);

static __always_inline __u64 st_python_word(const __u64 *words, __u32 offset, __u32 mask)
{
	offset &= mask;
	return *(const volatile __u64 *)((const __u8 *)words + offset);
}
