/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The word to the user about a step that lasts: after a second, once, and not for a short step. */

#include "core/run/slow_step.h"
#include "tests/harness.h"

struct listener {
	int ear, before;
};

static struct listener listen_to_stderr(void)
{
	struct listener listener;
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	listener.ear = ends[0];
	listener.before = dup(STDERR_FILENO);
	dup2(ends[1], STDERR_FILENO);
	close(ends[1]);
	return listener;
}

/* What is left in the pipe, to its end. */
static size_t hear_out(struct listener *listener, char *text, size_t room)
{
	size_t length = 0;
	ssize_t got;

	dup2(listener->before, STDERR_FILENO);
	close(listener->before);
	while ((got = read(listener->ear, text + length, room - 1 - length)) > 0)
		length += (size_t)got;
	text[length] = '\0';
	close(listener->ear);
	return length;
}

TEST(a_long_step_is_told_once)
{
	struct listener listener = listen_to_stderr();
	struct slow_step slow;
	char text[256], rest[256];
	ssize_t got;

	slow_step_begin(&slow, "attaching 146 probes …");
	got = read(listener.ear, text, sizeof(text) - 1); /* the step lasts until the word has come */
	slow_step_end(&slow);
	assert_int_equal(hear_out(&listener, rest, sizeof(rest)), 0);
	assert_true(got > 0);
	text[got] = '\0';
	assert_string_equal(text, "attaching 146 probes …\n");
}

TEST(a_short_step_is_not)
{
	struct listener listener = listen_to_stderr();
	struct slow_step slow;
	char text[256];

	slow_step_begin(&slow, "attaching 1 probe …");
	slow_step_end(&slow);
	assert_int_equal(hear_out(&listener, text, sizeof(text)), 0);
}
