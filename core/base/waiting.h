/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The end of all waiting. Whoever stops a run wants what there is: from a moment on nothing waits for another process any more. Signals
 * belong to the process, and so does this moment. Until waiting_end_in() is called there is none.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Waits in progress notice an end that is set later, in another thread too. Not for use in signal handlers. */
void waiting_can_end(void);

/* Sets the end so many ns from now, unless it comes earlier already. */
void waiting_end_in(uint64_t ns);

/* Puts the end off by so many ns, in which there was nothing to wait for. Nothing where there is none. */
void waiting_put_off(uint64_t ns);

bool waiting_has_ended(void);

/* The time until the end; UINT64_MAX: there is none. */
uint64_t waiting_left_ns(void);

/*
 * Waits for `events` of poll() on a descriptor, at most `timeout_ms` (negative: without a limit). 0 (also after a signal: the caller
 * tries again), -ETIMEDOUT, -ECANCELED at the end of all waiting, or the negative errno of poll().
 */
int waiting_poll(int fd, short events, int64_t timeout_ms);
