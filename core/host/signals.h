/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Signals that end a process by default: all of them end what the tool does. */
#pragma once

#include <signal.h>
#include <stdbool.h>

/* Those signals: SIGINT and SIGTERM always, the others (SIGHUP, SIGQUIT, SIGUSR1, …) unless they are ignored. */
void signals_that_end(sigset_t *ret_mask);

/* Whether one of them has arrived while it was blocked. */
bool signals_end_is_pending(void);

/* Before anything is attached: such a signal prints one line and ends the process with status 0. */
void signals_say_end(const char *applet);

/* The same for a run with a command, which was not started: the status is 128 and the number of the signal. */
void signals_say_end_of_command(void);

/* In a child that becomes another program: restores what signals_say_end() changed, and unblocks all signals. */
void signals_as_before(void);

/*
 * Blocks all signals but SIGKILL and SIGSTOP around a call that attaches or detaches user probes: while a fatal signal is pending for
 * the caller, the kernel cannot remove a breakpoint (get_user_pages_remote() ends with EINTR, and uprobe_unregister() gives up),
 * which then stays for good. Threads are started with it too: otherwise the kernel could deliver the signal to one of them. Both
 * leave errno as it is.
 */
void signals_hold(sigset_t *ret_before);
void signals_release(const sigset_t *before);

/*
 * For the time after a run has ended by itself: the first signal does nothing, the second ends the program at once. Calls that
 * the first interrupts go on, but poll() and its like return EINTR.
 */
void signals_spare_first(void);

/* Signals end the program at once. */
void signals_spare_none(void);

/* The first one was taken elsewhere: the next one ends the program. Does nothing without signals_spare_first(). */
void signals_first_is_taken(void);

/* Whether the first one is still to come; false also without signals_spare_first(). */
bool signals_first_is_spared(void);
