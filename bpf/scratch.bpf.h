/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scratch slots: room for one record per running program.
 *
 * A record is too large for the BPF stack, and one buffer per CPU is not enough: uprobe programs are preempted, perf_event
 * programs interrupt others, and on preemptible kernels two programs can share a CPU halfway through. So each CPU has
 * several slots. A slot is claimed by adding one and then reading: two can never both read 1, whatever preempts or nests;
 * at worst both move on. A fetch-and-add would be simpler, but 5.10 refuses atomics that return a value even in dead code.
 */
#pragma once

#include "bpf/maps.bpf.h"

/* Hides a value from the compiler: it makes no branch of what is computed with it, and uses the very register that was compared. */
#define st_opaque(value) asm volatile("" : "+r"(value))

static __always_inline struct st_slot *st_slot_at(__u32 index)
{
	return bpf_map_lookup_elem(&st_scratch, &index);
}

/* One attempt: the slot, when it is now ours. */
static __always_inline struct st_slot *st_slot_try(__u32 index)
{
	struct st_slot *slot = st_slot_at(index);

	if (!slot)
		return 0;
	if (st_config.alone) {
		if (slot->claims)
			return 0;
		slot->claims = 1;
	} else {
		__sync_fetch_and_add(&slot->claims, 1);
		if (*(volatile __u32 *)&slot->claims != 1) {
			__sync_fetch_and_add(&slot->claims, -1);
			return 0;
		}
	}
	slot->index = index;
	return slot;
}

/*
 * Claims a free slot of this CPU and returns it, with its index; NULL when none is free. The index is read from memory again:
 * as a number that is known it would make eight verifier states of all that follows, since newer verifiers look closely at the
 * keys of arrays ("bpf: verifier: Support eliding map lookup nullness"; 6.12 does not, 6.18 does).
 */
static __always_inline struct st_slot *st_slot_claim(__u32 *ret_index)
{
	struct st_slot *slot = 0;

#pragma unroll
	for (__u32 i = 0; i < ST_MAX_SLOTS; i++) {
		slot = st_slot_try(i);
		if (slot)
			break;
	}
	if (!slot)
		return 0;
	*ret_index = *(volatile __u32 *)&slot->index;
	return slot;
}

static __always_inline void st_slot_release(struct st_slot *slot)
{
	if (st_config.alone)
		slot->claims = 0;
	else
		__sync_fetch_and_add(&slot->claims, -1);
}
