/* SPDX-License-Identifier: GPL-2.0-or-later */
/* profile --tui: the tree of what has been sampled so far on the terminal, while the sampling goes on and after it. */
#pragma once

#include <stdbool.h>

#include "core/plan/plan.h"
#include "core/profile/profile.h"

struct run_screen;

/* Prepares it, before the first event. NULL for a plan without --tui. 0 or a recorded failure. */
int run_screen_new(const struct plan *plan, struct run_screen **ret_screen);

/* Takes the terminal and shows the tree of nothing. The same errors, as below. */
int run_screen_begin(struct run_screen *screen, const struct profile *profile);

/* A descriptor that is readable when run_screen_take() has something to do; -1 for NULL. */
int run_screen_fd(const struct run_screen *screen);

/* Keys. *ret_end: the user wants the end, and the terminal has been given back. */
int run_screen_take(struct run_screen *screen, bool *ret_end);

/* Shows what the interval has, whose rows may not be picked yet; the profile stays as it is. */
int run_screen_refresh(struct run_screen *screen, const struct profile *profile,
		       const struct profile_interval *interval);

/* Gives the terminal back before the user asks for it. */
void run_screen_leave(struct run_screen *screen);

/* Whether a signal that the screen has taken wants the end. */
bool run_screen_is_signalled(const struct run_screen *screen);

/* Whether the user has left; false for NULL. */
bool run_screen_is_left(const struct run_screen *screen);

/* Nothing more will come: shows the whole until the user leaves. Does nothing when the user has left already. */
int run_screen_end(struct run_screen *screen, const struct profile *profile, const struct profile_interval *interval);

void run_screen_free(struct run_screen *screen);
