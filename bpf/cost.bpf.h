/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What our programs cost, as they see it themselves: a few of their runs are timed, and stand for the others.
 *
 * Which runs is told by a number that grows with them, or by the time: multiplied by 2^64 divided by the golden ratio, it
 * hits its highest 2^-bits with gaps that fit into no rhythm of events. Each 64th run would always be the same one of two
 * functions that call one another in turn.
 */
#pragma once

#include "bpf/scratch.bpf.h"

static __always_inline int st_is_timed(__u64 turn, __u32 bits)
{
	return turn * 0x9e3779b97f4a7c15ULL >> (64 - bits) == 0;
}

/* When a run began that is timed; anything otherwise. */
static __always_inline __u64 st_cost_begin(__u64 turn, __u32 bits)
{
	return st_is_timed(turn, bits) ? bpf_ktime_get_ns() : turn;
}

/* Adds a run to the cost of its probe. One that took very long was not running: programs of uprobes are preempted. */
static __always_inline void st_cost_end(__u64 turn, __u32 bits, __u64 begun, __u32 probe)
{
	struct st_cost *cost;
	__u64 took;

	if (!st_is_timed(turn, bits))
		return;
	took = bpf_ktime_get_ns() - begun;
	cost = bpf_map_lookup_elem(&st_costs, &probe);
	if (!cost || took > ST_COST_MOST_NS)
		return;
	__sync_fetch_and_add(&cost->ns, took);
	__sync_fetch_and_add(&cost->runs, 1);
}

/* The same for a run that takes a stack (cost.bpf.c). */
__u64 st_cost_start(__u64 turn);
int st_cost_stop(__u64 turn, __u64 begun, __u32 probe);
