/* SPDX-License-Identifier: GPL-2.0-or-later */
/* core/host/signals.c */
#include "core/host/signals.h"

#include <sys/wait.h>
#include <unistd.h>

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

/* ---- who is told ---- */

static int told_fd;

static void tell(int status, bool is_attached)
{
	const int told[] = { status, is_attached };

	if (write(told_fd, told, sizeof(told)) != sizeof(told))
		_exit(99);
}

/* What is told in a child that `end` ends with SIGTERM, and its status from waitpid(). */
static void told_by(void (*end)(void), int told[2], int *ret_status)
{
	int ends[2];
	pid_t child;

	assert_int_equal(pipe(ends), 0);
	child = fork();
	if (!child) {
		told_fd = ends[1];
		signals_say_end();
		signals_tell_end(tell);
		end();
		_exit(98);
	}
	close(ends[1]);
	assert_int_equal(waitpid(child, ret_status, 0), child);
	assert_int_equal(read(ends[0], told, 2 * sizeof(*told)), 2 * sizeof(*told));
	close(ends[0]);
}

static void end_before(void)
{
	raise(SIGTERM);
}

static void end_a_command_before(void)
{
	signals_say_end_of_command();
	raise(SIGTERM);
}

static void end_after(void)
{
	signals_spare_first();
	raise(SIGINT);
	raise(SIGTERM);
}

static void end_at_once(void)
{
	signals_spare_none();
	raise(SIGTERM);
}

TEST(an_end_by_a_signal_is_told)
{
	int told[2], status;

	told_by(end_before, told, &status);
	assert_int_equal(told[0], 0);
	assert_false(told[1]);
	assert_int_equal(status, 0);
	told_by(end_a_command_before, told, &status);
	assert_int_equal(told[0], 128 + SIGTERM);
	assert_false(told[1]);
	assert_int_equal(WEXITSTATUS(status), 128 + SIGTERM);
	told_by(end_after, told, &status);
	assert_int_equal(told[0], 128 + SIGTERM);
	assert_true(told[1]);
	assert_int_equal(WTERMSIG(status), SIGTERM);
	told_by(end_at_once, told, &status);
	assert_int_equal(told[0], 128 + SIGTERM);
	assert_int_equal(WTERMSIG(status), SIGTERM);
}

int main(void)
{
	signal(SIGHUP, SIG_DFL); /* the whole suite may run under nohup(1) */
	return run_all_tests();
}
