/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The current interval of a run, from its first record to its names. */
#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/profile/context.h"
#include "core/profile/lock.h"
#include "core/profile/wait_reasons.h"
#include "core/profile/wall.h"
#include "core/render/filter.h"
#include "core/run/run_state.h"
#include "core/run/words.h"
#include "symbolize/symbolize.h"

bool run_shows_events(const struct run *run)
{
	return run->plan->view.style == VIEW_SNOOP;
}

struct profile_interval *run_current(struct run *run)
{
	return &vec_last(&run->profile.intervals);
}

struct drain_target run_target(struct run *run)
{
	return (struct drain_target){ .profile = &run->profile,
				      .spaces = run->spaces,
				      .unwinding = run->unwinding,
				      .interval = run_current(run) };
}

void run_await_tables(struct run *run)
{
	const struct drain_target target = run_target(run);

	tables_await(&run->tables, run->loaded);
	drain_begin_python(run->drain, &target);
}

void run_say_python(const struct run *run)
{
	_cleanup_(buf_done) struct buf notes = {};

	drain_add_python_notes(run->drain, &notes);
	if (notes.nr && !run->plan->presentation.quiet)
		run_say_lines(buf_text(&notes));
}

/* Time limit of source lines, in ns. While events are collected, new ones wait that long. */
static uint64_t lines_time_ns(const struct run *run)
{
	if (run->ended_ns)
		return UINT64_MAX;
	return run->plan->interval_ns && !run_shows_events(run) ? run->plan->interval_ns / 2 : NSEC_PER_SEC;
}

void run_name_all(struct run *run)
{
	if (!run->identifier) {
		name_frames(&run->profile, run->symbolizer, run->spaces);
		frame_lines_find(&run->lines, &run->profile, run->symbolizer, NULL, lines_time_ns(run));
		return;
	}
	identify_frames(&run->profile, run->symbolizer, run->identifier);
	spaces_name_generated(run->spaces); /* they cannot be named later */
}

void run_close_interval(struct run *run)
{
	struct profile_interval *interval = run_current(run);

	if (run->plan->view.slow)
		wall_settle(&run->profile, interval, &(wall_interval_list){}, &(struct u32_list){});
	interval->end_ns = run->ended_ns ? run->ended_ns : interval->end_ns; /* else the time of the last drain */
	interval->wall_end_ns = clock_now_ns(CLOCK_REALTIME) - (clock_monotonic_ns() - interval->end_ns);
	if (run_shows_events(run)) /* a row without a stack stands for lost events */
		event_stream_end(&run->events, interval, interval->end_ns);
	else
		profile_count_lost_stacks(&run->profile, interval);
	run_name_all(run);
	settle_contexts(&run->profile);
	wait_reasons_settle(&run->profile);
	drain_settle_locks(run->drain, &run->profile);
	lock_settle(&run->profile);
	if (plan_has_states(run->plan))
		wall_hide_tracer(&run->profile);
	profile_count_shown_stacks(&run->profile, interval);
	run->lost |= !profile_is_exact(interval);
}

int run_pick_rows(struct run *run)
{
	const struct profile_interval *interval = run->profile.intervals.nr ? run_current(run) : NULL;
	int err = 0;

	if (run->profile.is_redacted)
		return 0;
	if (run->plan->wall)
		err = wall_idle_settle(&run->profile, interval, &run->plan->idle);
	return err ?: filter_apply(&run->plan->filter, &run->profile);
}
