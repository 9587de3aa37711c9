// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The program of timed samples.
 *
 * While another BPF program runs on the CPU, the kernel skips a perf_event program without counting it (bpf_prog_active). So user space
 * compares the samples with the counter of the event. This program distinguishes late samples from skipped ones. The timer of a clock
 * event expires on a fixed grid. A sample off the grid came late, and the periods before it have no samples. A sample on the grid
 * after a gap follows skipped ones.
 */
#include "bpf/record.bpf.h"
#include "bpf/returns.h"

static __always_inline void st_note_late(struct st_stats *stats)
{
	__u64 period = st_config.sample_period_ns, now, slack, elapsed, nr;
	struct st_grid *grid;
	__u32 zero = 0;

	grid = bpf_map_lookup_elem(&st_grid, &zero);
	if (!period || !grid)
		return;
	now = bpf_ktime_get_ns();
	if (!grid->first_ns) {
		grid->first_ns = now;
		return;
	}
	slack = period / 8;
	elapsed = now - grid->first_ns + slack;
	nr = elapsed / period;
	if (nr > grid->last + 1 && elapsed - nr * period > 2 * slack)
		ST_NOTE(stats->late, nr - grid->last - 1);
	grid->last = nr;
}

SEC("?perf_event")
int on_sample(struct bpf_perf_event_data *ctx)
{
	int is_idle = !(__u32)bpf_get_current_pid_tgid();
	struct st_who who = {};
	struct st_way way = {};
	__u64 turn, begun;

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
	st_cost_stop(turn, begun, 0);
	return ST_RETURN_PERF_EVENT;
}
