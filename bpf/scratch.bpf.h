/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scratch slots: room for one record per running program.
 *
 * A record is too large for the BPF stack, and one buffer per CPU is not enough: uprobe programs are preempted,
 * perf_event programs interrupt others, and on preemptible kernels two programs can share a CPU halfway through. So
 * each CPU has several slots. A slot is claimed by adding one and then reading: two can never both read 1, whatever
 * preempts or nests; at worst both move on. A fetch-and-add would be simpler, but 5.10 refuses atomics that return a
 * value even in dead code.
 */
#pragma once

#include "bpf/maps.bpf.h"

/*
 * Hides a value from the compiler: it makes no branch of what is computed with it, and uses the very register that
 * was compared.
 */
#define st_opaque(value) asm volatile("" : "+r"(value))

static __always_inline struct st_slot *st_slot_at(__u32 index)
{
	return bpf_map_lookup_elem(&st_scratch, &index);
}

/*
 * Claims a free slot of this CPU: its index, or a negative number when none is free. A global function, in
 * record.bpf.c: with the index as a number that is known, the verifier would follow each of them through all that
 * comes after.
 */
int st_slot_take(void);

static __always_inline struct st_slot *st_slot_claim(__u32 *ret_index)
{
	*ret_index = (__u32)st_slot_take();
	return st_slot_at(*ret_index);
}

static __always_inline void st_slot_release(struct st_slot *slot)
{
	if (st_config.alone)
		slot->claims = 0;
	else
		__sync_fetch_and_add(&slot->claims, -1);
}
