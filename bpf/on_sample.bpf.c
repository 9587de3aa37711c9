// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The program of timed samples.
 *
 * While another BPF program runs on the CPU, the kernel skips a perf_event program without counting it (bpf_prog_active). So user space
 * compares the samples with the counter of the event. This program distinguishes late samples from skipped ones (grid.h).
 */
#define ST_ALONE 1 /* always true for perf events; as a constant, it lets the compiler remove the other case */
#define ST_COPIES st_config.copies

#include "bpf/grid.h"
#include "bpf/record.bpf.h"
#include "bpf/returns.h"

static __always_inline void st_note_late(struct st_stats *stats)
{
	struct st_grid *grid;
	__u32 zero = 0;

	grid = bpf_map_lookup_elem(&st_grid, &zero);
	if (grid && st_config.sample_period_ns)
		ST_NOTE(stats->late, st_grid_late(grid, bpf_ktime_get_ns(), st_config.sample_period_ns));
}

SEC("?perf_event")
int on_sample(struct bpf_perf_event_data *ctx)
{
	__u64 is_idle = st_is_equal((__u32)bpf_get_current_pid_tgid(), 0);
	struct st_who who = {};
	struct st_way way = {};
	__u64 turn, begun;

	ST_HAND_OVER(ctx, st_python_sample);
	if (st_way_begin(&way))
		return ST_RETURN_PERF_EVENT;
	ST_NOTE(way.stats->seen, 1);
	ST_NOTE(way.stats->idle, is_idle);
	ST_NOTE(way.stats->period_sum, ctx->sample_period);
	turn = *(volatile __u64 *)&way.stats->seen;
	begun = st_cost_start(turn);
	st_note_late(way.stats);
	st_who_is_current(&who);
	if ((is_idle && !st_config.include_idle) || !st_wanted(&who))
		ST_NOTE(way.stats->filtered, 1);
	else
		st_event(ctx, &way, &who, PROGRAM_SAMPLE, 0);
	/* the cost of samples is not limited by filter, so all are counted as wanted */
	st_cost_stop(turn, begun, 0, 1);
	return ST_RETURN_PERF_EVENT;
}
