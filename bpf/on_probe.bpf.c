// SPDX-License-Identifier: GPL-2.0-or-later
/* The programs of probes. Each passes its program_kind, which decides whether frame 0 is an exact address. */
#include "bpf/probe.bpf.h"

/* EVENTS_BY_PROBE: counts an event. seen = filtered + events. */
static __always_inline void st_tally(__u32 probe)
{
	struct st_tally *tally = bpf_map_lookup_elem(&st_tallies, &probe);
	struct st_control *control;
	struct st_who who = {};
	__u64 turn, begun;
	__u32 zero = 0;
	int wanted;

	control = bpf_map_lookup_elem(&st_control, &zero);
	if (!tally || !control || st_is_shut(control))
		return;
	/* Starts at 1: turn 0 is always timed, on each CPU. */
	turn = 1 + *(volatile __u64 *)&tally->events + *(volatile __u64 *)&tally->filtered;
	begun = st_cost_begin(turn, ST_TALLY_COST_BITS);
	if (st_config.filters)
		st_who_is_current(&who);
	wanted = st_wanted(&who);
	if (wanted)
		ST_ADD(tally->events, 1);
	else
		ST_ADD(tally->filtered, 1);
	st_cost_end(turn, ST_TALLY_COST_BITS, begun, probe, wanted);
}

static __always_inline void st_recorded(void *ctx, __u8 program, __u64 probe)
{
	struct st_who who = {};
	struct st_way way = {};
	__u64 turn, begun;
	int wanted;

	if (st_way_begin(&way) || st_is_shut(way.control))
		return;
	ST_NOTE(way.stats->seen, 1);
	turn = *(volatile __u64 *)&way.stats->seen;
	begun = st_cost_start(turn);
	st_who_is_current(&who);
	wanted = st_wanted(&who);
	if (wanted)
		st_event(ctx, &way, &who, program, probe);
	else
		ST_NOTE(way.stats->filtered, 1);
	st_cost_stop(turn, begun, (__u32)probe, (__u32)wanted);
}

static __always_inline void st_probe_event(void *ctx, __u8 program, __u64 probe)
{
	if (st_config.mode == EVENTS_BY_PROBE)
		st_tally((__u32)probe);
	else
		st_recorded(ctx, program, probe);
}

SEC("?tp")
int on_tracepoint(void *ctx)
{
	st_probe_event(ctx, PROGRAM_TRACEPOINT, st_probe_of(ctx));
	return ST_RETURN_TRACEPOINT;
}

SEC("?uprobe")
int on_uprobe(void *ctx)
{
	st_no_private_stack(ctx);
	st_probe_event(ctx, PROGRAM_UPROBE, st_probe_of(ctx));
	return ST_RETURN_UPROBE;
}

SEC("?uprobe.multi")
int on_uprobe_multi(void *ctx)
{
	st_no_private_stack(ctx);
	st_probe_event(ctx, PROGRAM_UPROBE, st_probe_of(ctx));
	return ST_RETURN_UPROBE_MULTI;
}

SEC("?kprobe")
int on_kprobe(void *ctx)
{
	st_probe_event(ctx, PROGRAM_KPROBE, st_probe_of(ctx));
	return ST_RETURN_KPROBE;
}

SEC("?kprobe.multi")
int on_kprobe_multi(void *ctx)
{
	st_probe_event(ctx, PROGRAM_KPROBE, st_probe_of(ctx));
	return ST_RETURN_KPROBE_MULTI;
}

SEC("?fentry")
int on_fentry(void *ctx)
{
	st_probe_event(ctx, PROGRAM_FENTRY, st_config.probe);
	return ST_RETURN_FENTRY;
}

SEC("?raw_tp")
int on_raw_tracepoint(void *ctx)
{
	st_probe_event(ctx, PROGRAM_RAW_TRACEPOINT, st_config.probe);
	return ST_RETURN_RAW_TRACEPOINT;
}

/*
 * t:syscalls:sys_enter_NAME and sys_exit_NAME, as raw tracepoints: before 6.12, the classic ones pass the user's registers and so have no
 * kernel stack. st_syscalls has the probed calls. System calls of 32-bit code have other numbers and are not counted.
 */
static __always_inline void st_system_call(void *ctx, __u64 key)
{
	__u32 *probe = bpf_map_lookup_elem(&st_syscalls, &key);

	if (probe && !st_is_32bit_call())
		st_probe_event(ctx, PROGRAM_RAW_TRACEPOINT, *probe);
}

SEC("?raw_tp")
int on_sys_enter(struct bpf_raw_tracepoint_args *ctx)
{
	st_system_call(ctx, (__u32)ctx->args[1]);
	return ST_RETURN_RAW_TRACEPOINT;
}

SEC("?raw_tp")
int on_sys_exit(struct bpf_raw_tracepoint_args *ctx)
{
	st_system_call(ctx, ST_SYSCALL_EXIT | st_ended_call((void *)ctx->args[0]));
	return ST_RETURN_RAW_TRACEPOINT;
}

/* For bpf_prog_test_run(): an event without a probe. */
SEC("?raw_tp")
int on_test(void *ctx)
{
	st_probe_event(ctx, PROGRAM_TEST, 0);
	return ST_RETURN_RAW_TRACEPOINT;
}
