/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state of a run, and its steps that both run.c and run_live.c take. Private to them. */
#pragma once

#include "core/host/command.h"
#include "core/naming/frame_lines.h"
#include "core/naming/naming.h"
#include "core/resolve/resolve.h"
#include "core/run/ending.h"
#include "core/run/events.h"
#include "core/run/guard.h"
#include "core/run/output.h"
#include "core/run/progress.h"
#include "core/run/screen.h"
#include "core/run/tables.h"
#include "core/session/attachment.h"
#include "core/session/collect.h"
#include "core/session/drain.h"
#include "core/session/loaded.h"
#include "core/session/wall.h"
#include "core/spaces/spaces.h"

struct run {
	const struct applet *applet;
	const struct plan *plan;
	struct attach_plan attach;
	struct naming naming, identifying;
	struct debuginfod debuginfod;
	struct symbolizer *symbolizer;
	struct frame_lines lines;
	struct symbolizer *identifier; /* only with --no-symbolize: gets the files of frames instead */
	struct loaded *loaded;
	struct attachment *attachment;
	struct drain *drain;
	struct spaces *spaces;
	struct unwinding *unwinding; /* NULL: no unwind tables */
	struct tables tables;
	bool is_busy; /* several other threads ran when the run was prepared */
	struct collector *collector;
	struct process_watch *watch;
	struct command *command; /* NULL: none */
	struct profile profile;
	struct output output;
	struct run_screen *screen; /* NULL without --tui */
	struct event_stream events; /* only with EVENTS_EACH */
	struct wall *wall; /* only with plan.wall; NULL: its window has not begun */
	struct u32_list sampled; /* only with plan.looks: records of samples that are rows */
	int no_kernel_symbols; /* errno of opening /proc/kallsyms; 0: they are available */
	struct run_guard guard;
	struct run_progress progress;
	struct ending ending;
	bool is_cut; /* we have limited the duration, not the user */
	enum collect_reason reason; /* why it ended; COLLECT_INTERVAL: not yet, or by a failure */
	uint64_t ended_ns; /* when detaching began, CLOCK_MONOTONIC; 0 not yet */
	bool lost;
	bool cut; /* by the guard */
};

/* ---- run_interval.c ---- */

/* Each event is printed by itself (stacksnoop). */
bool run_shows_events(const struct run *run);

struct profile_interval *run_current(struct run *run);
struct drain_target run_target(struct run *run);

/* Waits for the tables of the first events, and tells the programs where Python frames are. */
void run_await_tables(struct run *run);

/* Prints why some processes have no Python frames. */
void run_say_python(const struct run *run);

/* Looks up names, or what another host needs to look them up. */
void run_name_all(struct run *run);

/* Collects everything about an interval that needs its processes and files, even if it is not printed. */
void run_close_interval(struct run *run);

/*
 * Sets idle time of `wall` aside, and removes the rows that the user did not select. This needs the true names, so nothing is done once
 * they are redacted. Without rows it only checks the expressions. A second call changes nothing. 0 or a recorded failure.
 */
int run_pick_rows(struct run *run);

/* ---- run.c ---- */

/* Intervals are kept only for a file, because a run of days would otherwise keep every stack. */
void run_next_interval(struct run *run, bool forget);

/* ---- run_live.c: on the terminal ---- */

/* What has come since the last time. 0 or a recorded failure, as for those below. */
int run_live_refresh(struct run *run);

/* Handles the keys that were pressed. *ret_ends: whether the run is to end. */
int run_live_take(struct run *run, bool *ret_ends);

/* At the end of a run whose screen was left: what the user asked to save, and was not saved before, is saved now. */
void run_live_save_rest(struct run *run);

/* The run is over: shows all of the interval until the user quits. Does nothing if the user has quit already. */
int run_live_end(struct run *run);
