/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One deadline for all waits of this process: a user who stops a run wants the report, so after the deadline nothing waits for another
 * process. waiting_end_in() sets it; before that there is none.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* From now on a deadline that is set later, also by another thread, wakes waits in progress. Not for signal handlers. */
void waiting_can_end(void);

/* Sets the deadline to `ns` from now, unless it is earlier already. */
void waiting_end_in(uint64_t ns);

/* Moves the deadline, if there is one, by `ns`: the time of work that did not wait for another process. */
void waiting_put_off(uint64_t ns);

bool waiting_has_ended(void);

/* Whether waiting_end_in(0) was called: the user wants no wait at all. */
bool waiting_is_unwanted(void);

/* The time until the deadline; UINT64_MAX if there is none. */
uint64_t waiting_left_ns(void);

/*
 * Waits for `events` of poll() on a descriptor, at most `timeout_ms` (negative: without a limit). 0 (also after a signal, so the
 * caller must be able to try again), -ETIMEDOUT, -ECANCELED at the deadline, or the negative errno of poll().
 */
int waiting_poll(int fd, short events, int64_t timeout_ms);
