/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The live screen of a run (--tui, top). A thread of its own draws it and reads the keys, so that a key never waits for
 * the run: not while it drains the kernel, nor while it looks up names. The run hands over what has come since the last
 * time, as batches.
 */
#pragma once

#include <stdbool.h>

#include "core/plan/plan.h"
#include "core/profile/profile.h"
#include "core/render/browser.h"

struct run_screen;

/* Makes it, before the first event. *ret_screen is NULL for a plan without a screen. 0 or a recorded failure. */
int run_screen_new(const struct plan *plan, struct run_screen **ret_screen);

/* Takes over the terminal and starts the thread. 0 or a recorded failure. */
int run_screen_begin(struct run_screen *screen, const struct profile *profile);

/* A descriptor that is readable if run_screen_wish() has something to report; -1 for NULL. */
int run_screen_fd(const struct run_screen *screen);

/*
 * What the user asks for, one wish at each call. BROWSER_QUIT: the terminal is restored. BROWSER_SAVE: into *ret_path, which is valid until the
 * next call. 0 or a recorded failure: the terminal is lost.
 */
int run_screen_wish(struct run_screen *screen, enum browser_wish *ret_wish, const char **ret_path);

/* Waits until there is a wish. */
void run_screen_await(const struct run_screen *screen);

/* Shows a line of text until the next key. */
__attribute__((format(printf, 2, 3))) void run_screen_say(struct run_screen *screen, const char *format, ...);

/* Whether the screen is to be refreshed: not while it is paused, and so seldom that it uses at most 2 % of a CPU. */
bool run_screen_is_due(struct run_screen *screen);

/*
 * Shows what the interval, to which no filter has been applied yet, has more than at the last call. Does not change the
 * profile. `began_ns` is the time of this thread (CLOCK_THREAD_CPUTIME_ID) when the work for it began.
 */
int run_screen_refresh(struct run_screen *screen, const struct profile *profile,
		       const struct profile_interval *interval, uint64_t began_ns);

/* The screen begins again from zero, with a new interval. */
void run_screen_restart(struct run_screen *screen);

/* The run is over; the screen stays until the user quits. */
void run_screen_set_ended(struct run_screen *screen, const struct profile_interval *interval);

/* Restores the terminal although the user has not quit. */
void run_screen_leave(struct run_screen *screen);

/* After run_screen_leave(): the path of a save that the user asked for, once; NULL: there is none. */
const char *run_screen_unsaved(struct run_screen *screen);

/* Whether a signal that ends the run was caught by the screen. Only after the terminal was restored. */
bool run_screen_is_signalled(const struct run_screen *screen);

/* Whether the terminal was restored; false for NULL. */
bool run_screen_is_left(const struct run_screen *screen);

void run_screen_free(struct run_screen *screen);
