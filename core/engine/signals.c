/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/engine/signals.h"

#include <errno.h>
#include <poll.h>

#define ONE_WISH_MS 50

/*
 * Under nohup(1) a run goes on. SIGINT ends it in any case: shells ignore that for whatever scripts put in the
 * background.
 */
void signals_that_end(sigset_t *ret_mask)
{
	struct sigaction hangup = {};

	sigemptyset(ret_mask);
	sigaddset(ret_mask, SIGINT);
	sigaddset(ret_mask, SIGTERM);
	if (sigaction(SIGHUP, NULL, &hangup) || hangup.sa_handler != SIG_IGN)
		sigaddset(ret_mask, SIGHUP);
}

static void set_action(const struct sigaction *action, const sigset_t *mask)
{
	for (int signal_number = 1; signal_number <= SIGTERM; signal_number++)
		if (sigismember(mask, signal_number) == 1)
			sigaction(signal_number, action, NULL);
}

/*
 * The next one is not spared. timeout(1) signals the process and its group: that is one wish, of which ignoring for a
 * moment discards the other half.
 */
static void take_first(int signal_number)
{
	const struct sigaction ignored = { .sa_handler = SIG_IGN }, deadly = { .sa_handler = SIG_DFL };
	int saved_errno = errno;
	sigset_t mask;

	(void)signal_number;
	signals_that_end(&mask);
	poll(NULL, 0, ONE_WISH_MS);
	set_action(&ignored, &mask);
	set_action(&deadly, &mask);
	errno = saved_errno;
}

void signals_spare_first(void)
{
	struct sigaction action = { .sa_handler = take_first, .sa_flags = SA_RESTART };

	signals_that_end(&action.sa_mask);
	set_action(&action, &action.sa_mask);
}

void signals_first_is_taken(void)
{
	const struct sigaction deadly = { .sa_handler = SIG_DFL };
	sigset_t mask;

	signals_that_end(&mask);
	if (signals_first_is_spared())
		set_action(&deadly, &mask);
}

bool signals_first_is_spared(void)
{
	struct sigaction action = {};

	return !sigaction(SIGTERM, NULL, &action) && action.sa_handler == take_first;
}
