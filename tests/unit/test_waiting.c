/* SPDX-License-Identifier: GPL-2.0-or-later */
/* core/base/waiting.c */
#include "core/base/waiting.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "tests/harness.h"

/* A child, because the end of all waiting is one. */
static int in_child(int (*test)(void))
{
	pid_t child = fork();
	int status = -1;

	if (!child)
		_exit(test());
	assert_int_equal(waitpid(child, &status, 0), child);
	return status;
}

static void *end_soon(void *unused)
{
	poll(NULL, 0, 50);
	waiting_end_in(0);
	return unused;
}

static int wait_that_another_thread_ends(void)
{
	uint64_t start_ns = clock_monotonic_ns();
	pthread_t thread;
	int ends[2];

	waiting_can_end();
	if (pipe(ends) || pthread_create(&thread, NULL, end_soon, NULL))
		return 1;
	if (waiting_has_ended() || waiting_left_ns() != UINT64_MAX)
		return 2;
	if (waiting_poll(ends[0], POLLIN, 60000) != -ECANCELED)
		return 3;
	pthread_join(thread, NULL);
	if (clock_monotonic_ns() - start_ns > 30 * NSEC_PER_SEC)
		return 4;
	return !waiting_has_ended() || waiting_poll(ends[0], POLLIN, 60000) != -ECANCELED;
}

static int earlier_end_counts(void)
{
	waiting_can_end();
	waiting_end_in(0);
	waiting_end_in(60 * NSEC_PER_SEC);
	return !waiting_has_ended();
}

static int descriptor_or_time(void)
{
	int ends[2];

	waiting_can_end();
	waiting_end_in(60 * NSEC_PER_SEC);
	if (pipe(ends) || waiting_poll(ends[0], POLLIN, 1) != -ETIMEDOUT || write(ends[1], "x", 1) != 1)
		return 1;
	return waiting_poll(ends[0], POLLIN, 60000);
}

TEST(another_thread_ends_a_wait)
{
	assert_int_equal(in_child(wait_that_another_thread_ends), 0);
}

TEST(the_earlier_end_counts)
{
	assert_int_equal(in_child(earlier_end_counts), 0);
}

TEST(until_then_it_is_poll)
{
	assert_int_equal(in_child(descriptor_or_time), 0);
}
