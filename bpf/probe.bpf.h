/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The way of an event of a probe: what becomes of it is constant while a program runs (st_config.mode). */
#pragma once

#include "bpf/event.bpf.h"

static __always_inline int st_current_is_wanted(void)
{
	struct st_who who = {};

	if (!st_config.filters)
		return 1;
	st_who_is_current(&who);
	return st_wanted(&who);
}

/* All probes begin to count, and end, at the same moment: user space opens and shuts. */
static __always_inline int st_is_shut(const struct st_control *control)
{
	return *(volatile __u64 *)&control->shut != 0;
}

/*
 * One more event of a probe, and nothing else: this is all that counting costs. Events that are left out are counted
 * too: seen = filtered + events.
 */
static __always_inline void st_tally(__u32 probe)
{
	struct st_tally *tally = bpf_map_lookup_elem(&st_tallies, &probe);
	struct st_control *control;
	__u64 turn, begun;
	__u32 zero = 0;

	control = bpf_map_lookup_elem(&st_control, &zero);
	if (!tally || !control || st_is_shut(control))
		return;
	/* From 1 on: turn 0 would be timed on each CPU. */
	turn = 1 + *(volatile __u64 *)&tally->events + *(volatile __u64 *)&tally->filtered;
	begun = st_cost_begin(turn, ST_TALLY_COST_BITS);
	if (st_current_is_wanted())
		ST_ADD(tally->events, 1);
	else
		ST_ADD(tally->filtered, 1);
	st_cost_end(turn, ST_TALLY_COST_BITS, begun, probe);
}

/* An event is recorded, and counted or sent, when the plan wants this task. */
static __always_inline void st_record_wanted(void *ctx, const struct st_way *way, __u8 program, __u64 probe)
{
	struct st_who who = {};

	st_who_is_current(&who);
	if (!st_wanted(&who))
		ST_NOTE(way->stats->filtered, 1);
	else
		st_event(ctx, way, &who, program, probe);
}

static __always_inline void st_recorded(void *ctx, __u8 program, __u64 probe)
{
	struct st_way way = {};
	__u64 turn, begun;

	if (st_way_begin(&way) || st_is_shut(way.control))
		return;
	ST_NOTE(way.stats->seen, 1);
	turn = *(volatile __u64 *)&way.stats->seen;
	begun = st_cost_start(turn);
	st_record_wanted(ctx, &way, program, probe);
	st_cost_stop(turn, begun, (__u32)probe);
}

static __always_inline void st_probe_event(void *ctx, __u8 program, __u64 probe)
{
	if (st_config.mode == EVENTS_BY_PROBE)
		st_tally((__u32)probe);
	else
		st_recorded(ctx, program, probe);
}

/*
 * The number of the probe that fired. Kernels from 5.15 on have it in the attach cookie (commit 7adfc6c9b315 ("bpf: Add
 * bpf_get_attach_cookie() BPF helper to access bpf_cookie value")); before, and for programs that are attached one by
 * one, every probe has a copy of the program with a number of its own.
 */
static __always_inline __u64 st_probe_of(void *ctx)
{
	return st_config.has_cookie ? bpf_get_attach_cookie(ctx) : st_config.probe;
}
