/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All time of threads (`wall`): bpf/on_wall.bpf.c follows them; this gives it the window, and reads what has not ended with it.
 *
 * Everything is attached before the window begins. The iterator of tasks (bpf/on_task.bpf.c) makes an entry for each thread that
 * exists then. At the end it compares the entries with the threads: one that is in another state, or has no entry, is counted as an
 * impossible transition.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/session/look.h"

struct wall;

/* Call it when everything is attached. The window begins at once if `is_held`: no thread runs yet. 0 or a recorded failure. */
int wall_begin(const struct loaded *loaded, bool is_held, struct wall **ret_wall);
void wall_free(struct wall *wall);

/* Reads the stacks of threads that sleep, which may not switch during the run. 0 or a recorded failure. */
int wall_look(struct wall *wall, const struct look_sources *sources, const struct drain_target *target);

/* Ends the window. Call it before detaching; does nothing after the first call. 0 or a recorded failure. */
int wall_end(struct wall *wall);

/*
 * To be called before wall_end(). If waits were sampled, threads that are asleep have left no stack, and are looked at again. A user who
 * ends the run does not end this look, which takes 2 seconds at most. 0 or a recorded failure.
 */
int wall_look_last(struct wall *wall, const struct look_sources *sources, const struct drain_target *target);

/* After drain_all(): makes the rows of the interval, and compares their sum with the lifetimes. 0 or a recorded failure. */
int wall_finish(struct wall *wall, const struct drain_target *target);
