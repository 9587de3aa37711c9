/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The live screen of a run (--tui, top). Its own thread draws and reads keys, so that no key waits for the run. */
#pragma once

#include <stdbool.h>

#include "core/plan/plan.h"
#include "core/profile/profile.h"
#include "core/render/browser.h"

struct run_screen;

/* Creates the screen, before the first event. *ret_screen is NULL for a plan without a screen. 0 or a recorded failure. */
int run_screen_new(const struct plan *plan, struct run_screen **ret_screen);

/* Takes over the terminal and starts the thread. 0 or a recorded failure. */
int run_screen_begin(struct run_screen *screen, const struct profile *profile);

/* A descriptor that is readable if run_screen_wish() has something to return; -1 for NULL. */
int run_screen_fd(const struct run_screen *screen);

/*
 * Returns one wish of the user per call. After BROWSER_QUIT the terminal is restored. BROWSER_SAVE: to *ret_path, which is valid until the
 * next call. 0 or a recorded failure: the terminal is lost.
 */
int run_screen_wish(struct run_screen *screen, enum browser_wish *ret_wish, const char **ret_path);

/* Waits until there is a wish. */
void run_screen_await(const struct run_screen *screen);

/* Shows a message until the next key. */
__attribute__((format(printf, 2, 3))) void run_screen_say(struct run_screen *screen, const char *format, ...);

/* Whether to refresh the screen: not while it is paused, and only as often as uses at most 2 % of a CPU. */
bool run_screen_is_due(struct run_screen *screen);

/*
 * Shows what the interval, before any filter, has gained since the last call. Does not change the profile. `began_ns`: the CPU time of this
 * thread (CLOCK_THREAD_CPUTIME_ID) when the work for this call began.
 */
int run_screen_refresh(struct run_screen *screen, const struct profile *profile,
		       const struct profile_interval *interval, uint64_t began_ns);

/* Starts the screen again with a new interval. */
void run_screen_restart(struct run_screen *screen);

/* The run has ended; the screen stays until the user quits. */
void run_screen_set_ended(struct run_screen *screen, const struct profile_interval *interval);

/* Restores the terminal, although the user has not quit. */
void run_screen_leave(struct run_screen *screen);

/* After run_screen_leave(): the path of a save that is not done yet, once; NULL: none. */
const char *run_screen_unsaved(struct run_screen *screen);

/* Whether the screen has caught a signal that ends the run. Only after the terminal was restored. */
bool run_screen_is_signalled(const struct run_screen *screen);

/* Whether the terminal was restored; false for NULL. */
bool run_screen_is_left(const struct run_screen *screen);

void run_screen_free(struct run_screen *screen);
