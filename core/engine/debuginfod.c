/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/engine/debuginfod.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/base/why.h"
#include "core/engine/opener.h"

enum {
	ONE_MS = 15000,
	ALL_MS = 60000,
};

extern char **environ;

static int64_t now_ms(void)
{
	return (int64_t)(clock_monotonic_ns() / 1000000);
}

/* Starts the program with its output in a pipe. 0, or a negative errno. */
static int start(const char *build_id, pid_t *ret_child, int *ret_output)
{
	char *words[] = { (char *)"debuginfod-find", (char *)"debuginfo", (char *)build_id, NULL };
	_cleanup_(closep) int output = -1;
	_cleanup_(closep) int input = -1;
	posix_spawn_file_actions_t actions;
	int ends[2], err;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	output = ends[0];
	input = ends[1];
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, input, 1);
	posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	err = posix_spawnp(ret_child, words[0], &actions, NULL, words, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (err)
		return -err;
	*ret_output = take_fd(&output);
	return 0;
}

/* What the program says until its end; false when it takes too long or says too much. */
static bool read_all(int output, int64_t deadline_ms, char *ret_text, size_t room)
{
	size_t nr = 0;

	for (;;) {
		struct pollfd wait = { .fd = output, .events = POLLIN };
		int64_t left = deadline_ms - now_ms();
		ssize_t got;

		if (left <= 0 || nr + 1 >= room)
			return false;
		if (poll(&wait, 1, (int)left) < 0 && errno != EINTR)
			return false;
		if (!wait.revents)
			continue;
		got = read(output, ret_text + nr, room - 1 - nr);
		if (got <= 0) {
			ret_text[nr] = '\0';
			return !got;
		}
		nr += (size_t)got;
	}
}

/* The path is the last line. */
static int open_answer(char *text)
{
	size_t length = strlen(text);
	char *line;

	if (length && text[length - 1] == '\n')
		text[length - 1] = '\0';
	line = strrchr(text, '\n');
	line = line ? line + 1 : text;
	if (*line != '/')
		return -ENOENT;
	return opener_open(&(struct opener_request){ .path = line });
}

/* The status of the program, which is ended when it is still there at the deadline, also one that has said all it has to say. */
static int wait_end(pid_t child, int64_t deadline_ms)
{
	const struct timespec moment = { .tv_nsec = 10000000 };
	int status = -1;
	pid_t ended;

	while ((ended = waitpid(child, &status, WNOHANG)) != child) {
		if (ended < 0 && errno != EINTR)
			return -1;
		if (now_ms() >= deadline_ms)
			kill(child, SIGKILL);
		nanosleep(&moment, NULL);
	}
	return status;
}

static int ask(struct debuginfod *debuginfod, const char *build_id, int64_t deadline_ms)
{
	_cleanup_(closep) int output = -1;
	char text[2 * PATH_MAX];
	bool has_answered;
	pid_t child;
	int status, err = start(build_id, &child, &output);

	debuginfod->is_missing = err != 0;
	if (err)
		return -ENOENT;
	has_answered = read_all(output, deadline_ms, text, sizeof(text));
	status = wait_end(child, has_answered ? deadline_ms : 0);
	return has_answered && !status ? open_answer(text) : -ENOENT;
}

int debuginfod_open(struct debuginfod *debuginfod, const char *build_id, struct buf *why)
{
	const char *servers = getenv("DEBUGINFOD_URLS");
	int64_t start_ms = now_ms(), left_ms = ALL_MS - debuginfod->spent_ms;
	int fd;

	if (!servers || !*servers)
		why_add(why, "debuginfod: not asked, for DEBUGINFOD_URLS is not set");
	else if (left_ms <= 0)
		why_add(why, "debuginfod: not asked any more, for all answers together took too long");
	if (!servers || !*servers || !*build_id || debuginfod->is_missing || left_ms <= 0)
		return -ENOENT;
	fd = ask(debuginfod, build_id, start_ms + (left_ms < ONE_MS ? left_ms : ONE_MS));
	debuginfod->spent_ms += now_ms() - start_ms;
	if (debuginfod->is_missing)
		why_add(why, "debuginfod: not asked, for there is no program debuginfod-find");
	else
		why_opened(why, build_id, "from debuginfod", fd);
	return fd;
}
