/* SPDX-License-Identifier: GPL-2.0-or-later */
/* core/host/signals.c */
#include "core/host/signals.h"

#include <sys/wait.h>

#include "tests/harness.h"

/* The signal that ends a child in which both are raised one after the other; 0: none. */
static int ended_by(int first, int second)
{
	pid_t child = fork();
	int status = 0;

	if (!child) {
		signals_spare_first();
		raise(first);
		if (signals_first_is_spared())
			_exit(1);
		raise(second);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

TEST(the_second_one_ends_the_program)
{
	assert_int_equal(ended_by(SIGINT, SIGINT), SIGINT);
	assert_int_equal(ended_by(SIGTERM, SIGHUP), SIGHUP);
	assert_int_equal(ended_by(SIGHUP, SIGTERM), SIGTERM);
}

/* What comes while the first is being taken belongs to it: it is the other half of one wish. */
TEST(two_at_once_are_one)
{
	pid_t child = fork();
	int status = 1;

	if (!child) {
		sigset_t mask;

		signals_that_end(&mask);
		sigprocmask(SIG_BLOCK, &mask, NULL);
		signals_spare_first();
		raise(SIGTERM);
		raise(SIGINT);
		raise(SIGHUP);
		sigprocmask(SIG_UNBLOCK, &mask, NULL);
		_exit(signals_first_is_spared());
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

TEST(under_nohup_sighup_is_none_of_them)
{
	sigset_t mask;

	signals_that_end(&mask);
	assert_int_equal(sigismember(&mask, SIGHUP), 1);
	signal(SIGHUP, SIG_IGN);
	signals_that_end(&mask);
	assert_int_equal(sigismember(&mask, SIGHUP), 0);
	assert_int_equal(sigismember(&mask, SIGINT), 1);
	signals_spare_first();
	assert_true(signals_first_is_spared());
	raise(SIGHUP);
	assert_true(signals_first_is_spared());
}

int main(void)
{
	signal(SIGHUP, SIG_DFL); /* the whole suite may run under nohup(1) */
	return run_all_tests();
}
