/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SIGINT, SIGTERM and SIGHUP end what the tool does; all three mean the same. */
#pragma once

#include <signal.h>
#include <stdbool.h>

/* Those that do: SIGHUP only if nobody ignores it. */
void signals_that_end(sigset_t *ret_mask);

/*
 * For what comes when a run has ended by itself: the first signal is too late to end anything and does nothing more.
 * From the second on they end the program at once. Calls that it interrupts go on, but poll() and its like return
 * EINTR.
 */
void signals_spare_first(void);

/* Someone else has taken the first one, so the next one is not spared. Nothing without signals_spare_first(). */
void signals_first_is_taken(void);

/* Whether the first one is still to come; false also without signals_spare_first(). */
bool signals_first_is_spared(void);
