/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All time of threads (`wall`): bpf/on_wall.bpf.c follows the threads. This file sets the window, and reads what has not ended at its end.
 *
 * Everything is attached before the window begins. The iterator of tasks (bpf/on_task.bpf.c) makes an entry for each thread that exists
 * then. At the end it compares the entries with the threads: a thread that is in another state or has no entry counts as an impossible
 * transition.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/session/look.h"

struct wall;

/* Begins the window, once everything is attached; at once if `is_held`, because no thread runs yet. Returns 0 or a recorded failure. */
int wall_begin(const struct loaded *loaded, bool is_held, struct wall **ret_wall);
void wall_free(struct wall *wall);

/* Reads the stacks of sleeping threads, which may not switch during the run. Returns 0 or a recorded failure. */
int wall_look(struct wall *wall, const struct look_sources *sources, const struct drain_target *target);

/* Ends the window. To be called before detaching; does nothing after the first call. Returns 0 or a recorded failure. */
int wall_end(struct wall *wall);

/*
 * To be called before wall_end(). If waits were sampled, sleeping threads have left no stack, and this function looks at them again. It
 * takes up to 2 s, and a user who ends the run does not end it. Returns 0 or a recorded failure.
 */
int wall_look_last(struct wall *wall, const struct look_sources *sources, const struct drain_target *target);

/* Makes the rows of the interval after drain_all(), and compares their sum with the lifetimes. Returns 0 or a recorded failure. */
int wall_finish(struct wall *wall, const struct drain_target *target);
