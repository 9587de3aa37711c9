/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/files/debuginfod.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/base/waiting.h"
#include "core/base/why.h"
#include "core/files/debuginfod_asker.h"
#include "core/files/opener.h"
#include "core/host/caller.h"

enum {
	ONE_MS = 15000,
	ALL_MS = 60000,
	MORE_MS = 3000, /* for the process to end debuginfod-find and itself */
};

static bool has_servers(void)
{
	const char *servers = getenv("DEBUGINFOD_URLS");

	return servers && *servers;
}

static bool is_readable(int fd, int64_t timeout_ms)
{
	struct pollfd wait = { .fd = fd, .events = POLLIN };

	return poll(&wait, 1, (int)timeout_ms) == 1;
}

void debuginfod_start(struct debuginfod *debuginfod)
{
	_cleanup_(caller_done) struct caller caller = {};
	int ends[2];
	pid_t pid;

	if (!has_servers() || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return;
	caller = caller_find();
	pid = fork();
	if (!pid)
		debuginfod_asker_run(ends[1], &caller);
	close(ends[1]);
	debuginfod->socket = ends[0];
	debuginfod->pid = pid;
	if (pid < 0)
		debuginfod_done(debuginfod);
}

/* The process ends when its socket is closed. If it hangs in the kernel, it is not waited for. */
void debuginfod_done(struct debuginfod *debuginfod)
{
	_cleanup_(closep) int pidfd = -1;

	if (debuginfod->socket)
		close(debuginfod->socket);
	debuginfod->socket = 0;
	if (debuginfod->pid <= 0)
		return;
	pidfd = (int)syscall(SYS_pidfd_open, debuginfod->pid, 0);
	if (is_readable(pidfd, MORE_MS))
		waitpid(debuginfod->pid, NULL, 0);
	debuginfod->pid = 0;
}

/* This process only checks that the descriptor is of a regular file; the symbol worker reads the file. */
static int ask(struct debuginfod *debuginfod, const char *build_id, int64_t time_ms)
{
	struct asker_request request = { .time_ms = (uint32_t)time_ms };
	enum asker_answer answer = ASKER_NONE;
	_cleanup_(closep) int fd = -1;
	int err = strlen(build_id) < sizeof(request.build_id) ? 0 : -ENOENT;

	if (err)
		return err;
	memcpy(request.build_id, build_id, strlen(build_id));
	if (send(debuginfod->socket, &request, sizeof(request), MSG_NOSIGNAL) != (ssize_t)sizeof(request) ||
	    waiting_poll(debuginfod->socket, POLLIN, time_ms + MORE_MS) ||
	    debuginfod_asker_receive(debuginfod->socket, &answer, &fd)) {
		debuginfod_done(debuginfod);
		return -ENOENT;
	}
	debuginfod->is_missing = answer == ASKER_MISSING;
	return answer == ASKER_FILE && opener_is_plain(fd) ? take_fd(&fd) : -ENOENT;
}

int debuginfod_open(struct debuginfod *debuginfod, const char *build_id, struct buf *why)
{
	int64_t start_ms = clock_monotonic_ms(), left_ms = ALL_MS - debuginfod->spent_ms;
	int fd;

	if (!has_servers())
		why_add(why, "debuginfod: not queried: DEBUGINFOD_URLS is not set");
	else if (left_ms <= 0)
		why_add(why, "debuginfod: no longer queried: its answers took too long");
	else if (!debuginfod->socket)
		why_add(why, "debuginfod: not queried: the process that queries it does not run");
	if (!debuginfod->socket || !*build_id || debuginfod->is_missing || left_ms <= 0)
		return -ENOENT;
	fd = ask(debuginfod, build_id, left_ms < ONE_MS ? left_ms : ONE_MS);
	debuginfod->spent_ms += clock_monotonic_ms() - start_ms;
	if (debuginfod->is_missing)
		why_add(why, "debuginfod: not queried: debuginfod-find is not installed");
	else
		why_opened(why, build_id, "from debuginfod", fd);
	return fd;
}
