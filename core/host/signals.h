/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Signals that end a process by default; each of them ends the run. */
#pragma once

#include <signal.h>
#include <stdbool.h>

/* Returns these signals: SIGINT and SIGTERM always, the others (SIGHUP, SIGQUIT, SIGUSR1, …) unless they are ignored. */
void signals_that_end(sigset_t *ret_mask);

/* Whether one of them is pending (blocked). */
bool signals_end_is_pending(void);

/* The same, or a thread has taken it and set the deadline of core/base/waiting.h. */
bool signals_end_has_come(void);

/* Before anything is attached: from now on such a signal prints one line and ends the process with status 0. */
void signals_say_end(void);

/* After signals_say_end(), for a run with a command: the line says that it was not started, and the status is 128 + signal. */
void signals_say_end_of_command(void);

/*
 * `tell` is called right before a signal ends this process, with the exit status and whether anything was attached. It is called in a
 * signal handler, so it may only make system calls. NULL: none. Set it before signals_spare_first() and signals_spare_none().
 */
typedef void signals_tell(int status, bool is_attached);
void signals_tell_end(signals_tell *tell);

/* Ends the process by the default action of this signal. */
void signals_end_program(int signal_number);

/* For a child that will execute a program: restores what signals_say_end() changed, and unblocks all signals. */
void signals_as_before(void);

/*
 * Blocks all signals except SIGKILL and SIGSTOP around a call that attaches or detaches user probes. While a fatal signal is pending for
 * the caller, the kernel cannot remove a breakpoint (get_user_pages_remote() returns EINTR, and uprobe_unregister() gives up), and the
 * breakpoint stays. Threads are also started with signals blocked, so that the kernel delivers no signal to them. Neither function changes
 * errno.
 */
void signals_hold(sigset_t *ret_before);
void signals_release(const sigset_t *before);

/*
 * For the time after a run has ended by itself: the first signal does nothing, the second ends the program at once. System calls that the
 * first one interrupts are restarted, except poll() and others that signal(7) lists.
 */
void signals_spare_first(void);

/* From now on a signal ends the program at once. */
void signals_spare_none(void);

/* The first signal was taken elsewhere: the next one ends the program. Does nothing without signals_spare_first(). */
void signals_first_is_taken(void);

/* Whether the next signal is spared; false without signals_spare_first(). */
bool signals_first_is_spared(void);
