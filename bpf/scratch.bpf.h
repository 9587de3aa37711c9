/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scratch slots: room for one record for each running program.
 *
 * A record is too large for the BPF stack. One buffer per CPU is not enough, because uprobe programs can be preempted, and perf_event
 * programs interrupt others. So each CPU has several slots. A program claims a slot by adding 1 to its counter and then reading it. Two
 * programs never both read 1; at worst neither does, and both try the next slot. 5.10 refuses atomics that return a value, even in dead
 * code.
 */
#pragma once

#include "bpf/maps.bpf.h"

/* 1: on a CPU, the kernel runs only one program of the session at a time. Such a program takes the first slot without a claim. */
#ifndef ST_ALONE
#define ST_ALONE st_config.alone
#endif

/* Hides a value from the compiler, so that it does not turn a computation into a branch, and uses the register that was compared. */
#define st_opaque(value) asm volatile("" : "+r"(value))

/* 1 if a and b are equal, else 0, without a branch. They must differ only in the lower 63 bits. */
static __always_inline __u64 st_is_equal(__u64 a, __u64 b)
{
	__u64 equal = ((a ^ b) - 1) >> 63;

	st_opaque(equal);
	return equal;
}

static __always_inline struct st_slot *st_slot_at(__u32 index)
{
	return bpf_map_lookup_elem(&st_scratch, &index);
}

/*
 * Claims a free slot of this CPU. Returns its index; negative: none is free. A global function (record.bpf.c), so that the verifier does
 * not know the index: else it would follow the rest of the program once for each.
 */
int st_slot_take(void);

static __always_inline struct st_slot *st_slot_claim(__u32 *ret_index)
{
	*ret_index = ST_ALONE ? 0 : (__u32)st_slot_take();
	return st_slot_at(*ret_index);
}

static __always_inline void st_slot_release(struct st_slot *slot)
{
	if (!ST_ALONE)
		__sync_fetch_and_add(&slot->claims, -1);
}
