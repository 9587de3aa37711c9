/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One deadline for all waits of this process: after a user has stopped a run, nothing waits for another process longer than this. There is
 * no deadline until waiting_end_in() sets it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Prepares for a deadline that is set during waits, also by another thread: it will wake them. Not for signal handlers. */
void waiting_can_end(void);

/* Sets the deadline to `ns` from now, unless it is earlier. */
void waiting_end_in(uint64_t ns);

/* Moves the deadline, if any, by `ns`, the duration of work that did not wait for another process. */
void waiting_put_off(uint64_t ns);

bool waiting_has_ended(void);

/* Whether waiting_end_in(0) was called: the user wants no wait. */
bool waiting_is_unwanted(void);

/* Time until the deadline; UINT64_MAX: no deadline. */
uint64_t waiting_left_ns(void);

/*
 * Waits for `events` of poll() on a descriptor, at most `timeout_ms` (negative: no limit). Returns 0 (also after a signal, so the caller
 * must be able to retry), -ETIMEDOUT, -ECANCELED at the deadline, or the negative errno of poll().
 */
int waiting_poll(int fd, short events, int64_t timeout_ms);
