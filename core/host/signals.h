/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Signals whose default is the end of the process end what the tool does; all of them mean the same. */
#pragma once

#include <signal.h>
#include <stdbool.h>

/* Those that do: SIGINT and SIGTERM always, the others (SIGHUP, SIGQUIT, SIGUSR1, …) only if nobody ignores them. */
void signals_that_end(sigset_t *ret_mask);

/* One that ends has come and waits, for it is blocked. */
bool signals_end_is_pending(void);

/*
 * For the time before anything is attached: a signal that ends prints one line, and the process ends with status 0. `applet` is
 * borrowed for good.
 */
void signals_say_end(const char *applet);

/* The same, where a command was to be run: it was not, and the status is 128 and the number of the signal. */
void signals_say_end_of_command(void);

/* In a child that becomes another program: as they were before signals_say_end(), and none blocked. */
void signals_as_before(void);

/*
 * Blocks every signal that can be, around a call that attaches or detaches user probes: the kernel does not get a breakpoint out of
 * a process while a fatal signal waits for the caller (get_user_pages_remote() ends with EINTR, and uprobe_unregister() gives
 * up), and it stays there for good. Only SIGKILL is left. Threads are started like that too, or the kernel would give the signal to
 * one of them, and end all. errno stays as it is.
 */
void signals_hold(sigset_t *ret_before);
void signals_release(const sigset_t *before);

/*
 * For what comes when a run has ended by itself: the first signal is too late to end anything and does nothing more.
 * From the second on they end the program at once. Calls that it interrupts go on, but poll() and its like return
 * EINTR.
 */
void signals_spare_first(void);

/* Signals end the program at once. */
void signals_spare_none(void);

/* Someone else has taken the first one, so the next one is not spared. Nothing without signals_spare_first(). */
void signals_first_is_taken(void);

/* Whether the first one is still to come; false also without signals_spare_first(). */
bool signals_first_is_spared(void);
