/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/host/signals.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "core/base/called.h"
#include "core/base/waiting.h"

#define ONE_WISH_MS 50
#define STATUS_SIGNAL 128

static struct {
	struct sigaction before[_NSIG];
	char line[128];
	pid_t owner;
	bool runs_command;
} said;

static signals_tell *told; /* NULL: none */

static bool is_ignored(int signal_number)
{
	struct sigaction action = {};

	return !sigaction(signal_number, NULL, &action) && action.sa_handler == SIG_IGN;
}

/* An ignored signal does not end a run, as with nohup(1), except SIGINT: shells ignore it for background commands of scripts. */
void signals_that_end(sigset_t *ret_mask)
{
	static const int others[] = {
		SIGHUP, SIGQUIT, SIGALRM, SIGUSR1, SIGUSR2, SIGVTALRM, SIGPROF, SIGXCPU, SIGIO, SIGPWR, SIGSTKFLT,
	};

	sigemptyset(ret_mask);
	sigaddset(ret_mask, SIGINT);
	sigaddset(ret_mask, SIGTERM);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (!is_ignored(others[i]))
			sigaddset(ret_mask, others[i]);
	for (int realtime = SIGRTMIN; realtime <= SIGRTMAX; realtime++)
		if (!is_ignored(realtime))
			sigaddset(ret_mask, realtime);
}

bool signals_end_is_pending(void)
{
	sigset_t pending, mask;

	signals_that_end(&mask);
	return !sigpending(&pending) && !sigandset(&pending, &pending, &mask) && !sigisemptyset(&pending);
}

bool signals_end_has_come(void)
{
	return signals_end_is_pending() || waiting_left_ns() != UINT64_MAX;
}

static void set_actions(const sigset_t *mask, void (*handler)(int), int flags)
{
	const struct sigaction action = { .sa_handler = handler, .sa_mask = *mask, .sa_flags = flags };

	for (int signal_number = 1; signal_number < _NSIG; signal_number++)
		if (sigismember(mask, signal_number) == 1)
			sigaction(signal_number, &action, NULL);
}

void signals_tell_end(signals_tell *tell)
{
	told = tell;
}

/* Not called in children that have not executed a program yet. */
static void tell_end(int status, bool is_attached)
{
	if (told && getpid() == said.owner)
		told(status, is_attached);
}

void signals_end_program(int signal_number)
{
	sigset_t mask;

	tell_end(STATUS_SIGNAL + signal_number, true);
	signal(signal_number, SIG_DFL);
	kill(getpid(), signal_number);
	sigemptyset(&mask);
	sigaddset(&mask, signal_number);
	pthread_sigmask(SIG_UNBLOCK, &mask, NULL);
}

static void set_end_at_once(const sigset_t *mask)
{
	set_actions(mask, told ? signals_end_program : SIG_DFL, 0);
}

/* Does not write to a terminal that accepts nothing: the handler could block for ever. */
static bool say_line(void)
{
	struct pollfd room = { .fd = STDERR_FILENO, .events = POLLOUT };

	return !poll(&room, 1, 0) || write(STDERR_FILENO, said.line, strlen(said.line)) >= 0;
}

static void say_end(int signal_number)
{
	bool is_ours = getpid() == said.owner;
	int status = is_ours && say_line() && !said.runs_command ? 0 : STATUS_SIGNAL + signal_number;

	tell_end(status, false);
	_exit(status);
}

void signals_say_end(void)
{
	sigset_t mask;

	for (int signal_number = 1; signal_number < _NSIG; signal_number++)
		sigaction(signal_number, NULL, &said.before[signal_number]);
	said.owner = getpid();
	snprintf(said.line, sizeof(said.line),
		 "%s: stopped by a signal before anything was attached: nothing was counted\n", called());
	signals_that_end(&mask);
	set_actions(&mask, say_end, 0);
}

void signals_say_end_of_command(void)
{
	char *what = strrchr(said.line, ':');

	if (what)
		snprintf(what, sizeof(said.line) - (size_t)(what - said.line), ": the command was not started\n");
	said.runs_command = true;
}

void signals_as_before(void)
{
	sigset_t none;

	for (int signal_number = 1; said.owner && signal_number < _NSIG; signal_number++)
		sigaction(signal_number, &said.before[signal_number], NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

void signals_hold(sigset_t *ret_before)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, ret_before);
}

void signals_release(const sigset_t *before)
{
	pthread_sigmask(SIG_SETMASK, before, NULL);
}

/*
 * Takes the first signal; later ones end the program. timeout(1) signals the process and its group, so the same signal comes twice: after a
 * moment SIG_IGN discards the second one.
 */
static void take_first(int signal_number)
{
	int saved_errno = errno;
	sigset_t mask;

	(void)signal_number;
	signals_that_end(&mask);
	poll(NULL, 0, ONE_WISH_MS);
	set_actions(&mask, SIG_IGN, 0);
	set_end_at_once(&mask);
	errno = saved_errno;
}

void signals_spare_first(void)
{
	sigset_t mask;

	signals_that_end(&mask);
	set_actions(&mask, take_first, SA_RESTART);
}

void signals_spare_none(void)
{
	sigset_t mask;

	signals_that_end(&mask);
	set_end_at_once(&mask);
}

void signals_first_is_taken(void)
{
	if (signals_first_is_spared())
		signals_spare_none();
}

bool signals_first_is_spared(void)
{
	struct sigaction action = {};

	return !sigaction(SIGTERM, NULL, &action) && action.sa_handler == take_first;
}
