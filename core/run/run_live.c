/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A run with a live screen (--tui, top). */
#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/formats/profile_file.h"
#include "core/host/signals.h"
#include "core/run/run_state.h"
#include "core/run/words.h"

static uint64_t time_of_thread(void)
{
	return clock_now_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* Starts a new interval, so that what is saved is what the screen shows. */
static void restart(struct run *run, bool forget)
{
	run_close_interval(run);
	run_next_interval(run, forget);
	run_screen_restart(run->screen);
}

/* If the profile is too large, the screen starts again. */
int run_live_refresh(struct run *run)
{
	const uint64_t began_ns = time_of_thread();
	struct drain_target target = run_target(run);
	const bool forget = !run->plan->save_path && profile_is_large(&run->profile);
	int err = 0;

	if (!forget && !run_screen_is_due(run->screen))
		return 0;
	if (forget)
		err = drain_forget_begin(run->drain);
	err = err ?: drain_swap(run->drain, &target);
	if (err)
		return err;
	run_name_all(run);
	err = run_screen_refresh(run->screen, &run->profile, run_current(run), began_ns);
	if (!err && forget) {
		restart(run, true);
		run_screen_say(run->screen, "started again from zero: there were too many stacks to keep");
	}
	return err;
}

/* Saves a copy of the interval's rows, because the interval continues. */
static int save_copy(struct run *run, const char *path)
{
	const struct profile_interval before = *run_current(run);
	struct profile_interval *interval = run_current(run);
	const bool lost = run->lost;
	int err;

	interval->rows = (typeof(interval->rows)){};
	interval->row_index = (struct hashidx){};
	for (size_t i = 0; i < before.rows.nr; i++)
		vec_push(&interval->rows, before.rows.data[i]);
	run_close_interval(run);
	err = run_pick_rows(run) ?: profile_save(&run->profile, path);
	profile_interval_done(interval);
	*interval = before;
	run->lost = lost;
	return err;
}

static void save(struct run *run, const char *path)
{
	struct drain_target target = run_target(run);
	const struct err_saved before = err_save();
	int err;

	if (run->ended_ns)
		err = profile_save(&run->profile, path);
	else
		err = drain_swap(run->drain, &target) ?: save_copy(run, path);
	if (err)
		run_screen_say(run->screen, "not saved: %s", err_cause());
	else
		run_screen_say(run->screen, "saved as %s", path);
	err_restore(&before);
}

static int start_again(struct run *run)
{
	struct drain_target target = run_target(run);
	int err = drain_swap(run->drain, &target);

	if (!err)
		restart(run, false);
	return err;
}

int run_live_take(struct run *run, bool *ret_ends)
{
	enum browser_wish wish;
	const char *path;
	int err = run_screen_wish(run->screen, &wish, &path);

	*ret_ends = wish == BROWSER_QUIT;
	if (wish == BROWSER_SAVE)
		save(run, path);
	else if (wish == BROWSER_RESTART && !run->ended_ns)
		err = start_again(run);
	if (wish != BROWSER_QUIT || run->ended_ns)
		return err;
	if (run_screen_is_signalled(run->screen))
		collector_note_signal(run->collector);
	ending_note_signal(&run->ending);
	return err;
}

void run_live_save_rest(struct run *run)
{
	const char *path = run_screen_is_left(run->screen) ? run_screen_unsaved(run->screen) : NULL;
	const struct err_saved before = err_save();

	if (!path)
		return;
	if (profile_save(&run->profile, path))
		run_say("not saved: %s", err_cause());
	else
		run_say("saved as %s", path);
	err_restore(&before);
}

int run_live_end(struct run *run)
{
	int err = 0;
	bool ends;

	if (run_screen_is_left(run->screen))
		return 0;
	err = run_screen_refresh(run->screen, &run->profile, run_current(run), time_of_thread());
	run_screen_set_ended(run->screen, run_current(run));
	while (!err && !run_screen_is_left(run->screen)) {
		run_screen_await(run->screen);
		err = run_live_take(run, &ends);
	}
	if (run_screen_is_signalled(run->screen))
		signals_first_is_taken();
	return err;
}
