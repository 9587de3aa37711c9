/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state of a run. Private to run.c, run_interval.c and run_live.c. */
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
	struct symbolizer *identifier; /* only with --no-symbolize: gets the files of frames */
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
	struct wall *wall; /* only with plan.wall; NULL: the window has not begun */
	struct u32_list sampled; /* only with plan.looks: records of samples that are rows */
	int no_kernel_symbols; /* errno of opening /proc/kallsyms; 0: it is open */
	struct run_guard guard;
	struct run_progress progress;
	struct ending ending;
	bool is_cut; /* the duration was limited because of the number of probes */
	enum collect_reason reason; /* why it ended; COLLECT_INTERVAL: not ended, or failed */
	uint64_t ended_ns; /* when detaching began, CLOCK_MONOTONIC; 0: not yet */
	bool lost;
	bool cut; /* ended by the guard */
};

/* ---- run_interval.c ---- */

/* Whether each event is printed (stacksnoop). */
bool run_shows_events(const struct run *run);

struct profile_interval *run_current(struct run *run);
struct drain_target run_target(struct run *run);

/* Waits for the tables of the first events, and tells the programs where Python frames are. */
void run_await_tables(struct run *run);

/* Prints why some processes have no Python frames. */
void run_say_python(const struct run *run);

/* Looks up names, or with --no-symbolize what another host needs to look them up. */
void run_name_all(struct run *run);

/* Completes an interval: collects all that needs its processes and files, even if it is not printed. */
void run_close_interval(struct run *run);

/*
 * Separates idle time of `wall`, and removes the rows that the filters exclude. It needs the true names, so it does nothing on a redacted
 * profile. Without rows it only checks the filters. A second call changes nothing. 0 or a recorded failure.
 */
int run_pick_rows(struct run *run);

/* ---- run.c ---- */

/* Begins the next interval. The old ones are only kept for a file. `forget`: also forgets names. */
void run_next_interval(struct run *run, bool forget);

/* ---- run_live.c; they return 0 or a recorded failure ---- */

int run_live_refresh(struct run *run);

/* Handles the user's wishes. *ret_ends: whether the run has to end. */
int run_live_take(struct run *run, bool *ret_ends);

/* After the user has left the screen: saves the profile if the user wanted that and it was not saved yet. */
void run_live_save_rest(struct run *run);

/* After the end: shows the whole interval until the user quits. Does nothing if the user has quit. */
int run_live_end(struct run *run);
