/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/worker/supervisor.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/base/waiting.h"
#include "symbolize/worker/sandbox.h"
#include "symbolize/worker/worker.h"

enum {
	DESCRIPTORS = 256,
	MANY_DESCRIPTORS = 4096, /* files with debug information stay open */
	ANSWERS_AHEAD = 4 << 20, /* bytes: the worker goes on while the caller does something else */
	END_TIMEOUT_MS = 1000, /* a process that has closed its socket ends soon */
	END_KNOWN = 1 << 16,
};

/* ---- in the supervisor ---- */

static _Noreturn void run_worker(int socket, int supervisor_pid, const struct worker_options *options)
{
	struct worker_options its = *options;
	unsigned int descriptors = sandbox_descriptors(its.lines ? MANY_DESCRIPTORS : DESCRIPTORS);
	int place = sandbox_keep_only(socket);

	its.max_lines_fd = (int)(descriptors - descriptors / 4);
	prctl(PR_SET_NAME, "stacktool-sym");
	if (place < 0 || sandbox_follow_parent(supervisor_pid) || sandbox_confine(its.cpu_seconds, descriptors))
		_exit(1);
	worker_run(place, &its);
}

/* Starts a worker and sends the way to it, or why there is none. `last_end`: how the one before ended (MESSAGE_STARTED). */
static int start_worker(int socket, struct draft *draft, const struct worker_options *options, uint32_t last_end)
{
	const int ahead = ANSWERS_AHEAD;
	int ends[2], supervisor_pid = getpid(), pid = -1, err;
	bool is_paired = !socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends);

	if (is_paired) {
		/* As much as the host allows (net.core.wmem_max); with less the worker waits for the caller. */
		setsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &ahead, sizeof(ahead));
		pid = fork();
	}
	err = pid < 0 ? errno : 0;
	if (pid == 0)
		run_worker(ends[1], supervisor_pid, options);
	/* Before the caller hears of the worker: while its end is open here too, the worker's death does not close it. */
	if (is_paired)
		close(ends[1]);
	draft_start(draft, MESSAGE_STARTED, pid > 0 ? (uint32_t)pid : 0);
	draft->header.status = (uint32_t)err;
	draft->header.more = last_end;
	draft_send(draft, socket, true, pid > 0 ? ends[0] : -1);
	if (is_paired)
		close(ends[0]);
	return pid;
}

/* How a worker that ends by itself did. */
static uint32_t take_end(int pid)
{
	_cleanup_(closep) int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	struct pollfd end = { .fd = fd, .events = POLLIN };
	int status;

	if (fd < 0 || poll(&end, 1, END_TIMEOUT_MS) != 1 || waitpid(pid, &status, WNOHANG) != pid)
		return 0;
	return (uint32_t)status | END_KNOWN;
}

/*
 * Ends a worker. How it ended, if it does so by itself, else 0: nothing waits for one that hangs in the kernel (a dead
 * network file system).
 */
static uint32_t end_worker(int pid, bool ends_itself)
{
	uint32_t end = pid > 0 && ends_itself ? take_end(pid) : 0;

	if (pid > 0 && !end)
		kill(pid, SIGKILL);
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
	return end;
}

/* Waits until another worker is wanted; false when the caller has gone. Meanwhile this worker is granted time. */
static bool is_asked_for_another(int socket, struct message *message, int pid, const struct worker_options *options)
{
	while (message_receive(socket, true, message, NULL) == 0) {
		if (message->header.kind != MESSAGE_GRANT)
			return message->header.kind == MESSAGE_START;
		if (pid > 0)
			sandbox_grant_cpu(pid, options->cpu_seconds);
	}
	return false;
}

static _Noreturn void become_supervisor(int socket, int parent_pid, const struct worker_options *options)
{
	struct message *message = malloc(sizeof(*message));
	struct draft *draft = malloc(sizeof(*draft));
	int place = sandbox_keep_only(socket), pid = -1;

	sandbox_allow_processes();
	prctl(PR_SET_NAME, "stacktool-super");
	if (!message || !draft || place < 0 || sandbox_drop_privileges() || sandbox_follow_parent(parent_pid))
		_exit(1);
	do {
		uint32_t last_end = end_worker(pid, pid > 0 && message->header.status);

		pid = start_worker(place, draft, options, last_end);
	} while (is_asked_for_another(place, message, pid, options));
	end_worker(pid, false);
	_exit(0);
}

/* ---- in the caller ---- */

int supervisor_start(struct supervisor *supervisor, const struct worker_options *options)
{
	int ends[2], parent_pid = getpid(), pid, err;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -errno;
	pid = fork();
	err = pid < 0 ? -errno : 0;
	if (pid == 0)
		become_supervisor(ends[1], parent_pid, options);
	close(ends[1]);
	if (err)
		close(ends[0]);
	else
		*supervisor = (struct supervisor){ .pid = pid, .socket = ends[0] };
	return err;
}

/*
 * The supervisor ends when its socket does, and it never waits for a worker, so this wait is short. One that somebody has stopped, as
 * other processes of its user may, is left behind.
 */
void supervisor_stop(struct supervisor *supervisor)
{
	_cleanup_(closep) int fd = -1;
	struct pollfd end = { .events = POLLIN };

	closep(&supervisor->socket);
	if (supervisor->pid > 0)
		fd = (int)syscall(SYS_pidfd_open, supervisor->pid, 0);
	end.fd = fd;
	if (fd >= 0 && poll(&end, 1, END_TIMEOUT_MS) == 1)
		waitpid(supervisor->pid, NULL, 0);
	*supervisor = SUPERVISOR_NONE;
}

static int ask(const struct supervisor *supervisor, enum message_kind kind, uint32_t status)
{
	_cleanup_(freep) struct draft *draft = malloc(sizeof(*draft));

	if (!draft)
		return -ENOMEM;
	draft_start(draft, kind, 0);
	draft->header.status = status;
	return draft_send(draft, supervisor->socket, false, -1);
}

int supervisor_ask_worker(const struct supervisor *supervisor, bool has_ended)
{
	return ask(supervisor, MESSAGE_START, has_ended);
}

int supervisor_grant_cpu(const struct supervisor *supervisor)
{
	return ask(supervisor, MESSAGE_GRANT, 0);
}

int supervisor_get_worker(const struct supervisor *supervisor, int timeout_ms, struct supervisor_answer *ret_answer)
{
	_cleanup_(freep) struct message *message = malloc(sizeof(*message));
	int err, fd = -1;

	*ret_answer = (struct supervisor_answer){ -1, -1, WORKER_END_UNKNOWN };
	if (!message)
		return -ENOMEM;
	do
		err = waiting_poll(supervisor->socket, POLLIN, timeout_ms)
			      ?: message_receive(supervisor->socket, false, message, &fd);
	while (err == -EAGAIN);
	if (err)
		return err;
	if (message->header.more & END_KNOWN)
		ret_answer->last_end = (int)(message->header.more & ~(uint32_t)END_KNOWN);
	if (fd < 0)
		return message->header.status ? -(int)message->header.status : -EMFILE; /* no room for the descriptor */
	ret_answer->pid = (int)message->header.file;
	ret_answer->socket = fd;
	return 0;
}
