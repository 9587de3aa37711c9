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
#include "symbolize/worker/sandbox.h"
#include "symbolize/worker/worker_protocol.h"

enum {
	DESCRIPTORS = 256,
	MANY_DESCRIPTORS = 4096, /* files with debug information stay open */
	ANSWERS_AHEAD = 4 << 20, /* bytes that nobody has read yet */
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

/*
 * The worker goes on while the caller does something else, which the tables of a program and its libraries are too large for
 * otherwise. As much as the host allows (net.core.wmem_max); without more it waits.
 */
static void widen(int its)
{
	const int bytes = ANSWERS_AHEAD;

	setsockopt(its, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
}

/* Starts a worker and sends the way to it, or why there is none. `last_end` is of the one before, as the message says it. */
static int start_worker(int socket, struct draft *draft, const struct worker_options *options, uint32_t last_end)
{
	_cleanup_(closep) int ours = -1;
	_cleanup_(closep) int its = -1;
	int ends[2], supervisor_pid = getpid(), pid = -1, err;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0) {
		ours = ends[0];
		its = ends[1];
		widen(its);
		pid = fork();
	}
	err = pid < 0 ? errno : 0;
	if (pid == 0)
		run_worker(its, supervisor_pid, options);
	/* Before the caller hears of the worker: with its end held here too, the worker's death would not close it. */
	closep(&its);
	its = -1;
	draft_start(draft, MESSAGE_STARTED, pid > 0 ? (uint32_t)pid : 0);
	draft->header.status = (uint32_t)err;
	draft->header.more = last_end;
	draft_send(draft, socket, true, pid > 0 ? ours : -1);
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
 * Ends a worker. How it ended, where it does so by itself; else 0: one that hangs in the kernel (a dead network file system) is left
 * behind, nobody waits for it.
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

/* Until another worker is wanted; false when nobody is there any more. Meanwhile this one is granted time. */
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

static _Noreturn void supervisor_run(int socket, const struct worker_options *options)
{
	struct message *message = malloc(sizeof(*message));
	struct draft *draft = malloc(sizeof(*draft));
	uint32_t last_end;
	int pid = -1;

	if (!message || !draft)
		_exit(1);
	do {
		last_end = end_worker(pid, pid > 0 && message->header.status);
		pid = start_worker(socket, draft, options, last_end);
	} while (is_asked_for_another(socket, message, pid, options));
	end_worker(pid, false);
	_exit(0);
}

static _Noreturn void become_supervisor(int socket, int parent_pid, const struct worker_options *options)
{
	int place = sandbox_keep_only(socket);

	sandbox_allow_processes();
	prctl(PR_SET_NAME, "stacktool-super");
	if (place < 0 || sandbox_drop_privileges() || sandbox_follow_parent(parent_pid))
		_exit(1);
	supervisor_run(place, options);
}

/* ---- in the caller ---- */

int supervisor_start(struct supervisor *supervisor, const struct worker_options *options)
{
	_cleanup_(closep) int ours = -1;
	_cleanup_(closep) int its = -1;
	int ends[2], parent_pid = getpid(), pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -errno;
	ours = ends[0];
	its = ends[1];
	pid = fork();
	if (pid < 0)
		return -errno;
	if (pid == 0)
		become_supervisor(its, parent_pid, options);
	*supervisor = (struct supervisor){ .pid = pid, .socket = take_fd(&ours) };
	return 0;
}

/* The supervisor ends when its socket does, and it never waits for a worker, so this wait is short. */
void supervisor_stop(struct supervisor *supervisor)
{
	closep(&supervisor->socket);
	if (supervisor->pid > 0)
		while (waitpid(supervisor->pid, NULL, 0) < 0 && errno == EINTR)
			;
	*supervisor = SUPERVISOR_NONE;
}

static int say(const struct supervisor *supervisor, enum message_kind word, uint32_t status)
{
	_cleanup_(freep) struct draft *draft = malloc(sizeof(*draft));

	if (!draft)
		return -ENOMEM;
	draft_start(draft, word, 0);
	draft->header.status = status;
	return draft_send(draft, supervisor->socket, false, -1);
}

int supervisor_ask_worker(const struct supervisor *supervisor, bool has_ended)
{
	return say(supervisor, MESSAGE_START, has_ended);
}

int supervisor_grant_cpu(const struct supervisor *supervisor)
{
	return say(supervisor, MESSAGE_GRANT, 0);
}

static int wait_readable(int socket, int timeout_ms)
{
	struct pollfd wanted = { .fd = socket, .events = POLLIN };
	int ready;

	do
		ready = poll(&wanted, 1, timeout_ms);
	while (ready < 0 && errno == EINTR);
	return ready > 0 ? 0 : -ETIMEDOUT;
}

int supervisor_get_worker(const struct supervisor *supervisor, int timeout_ms, struct supervisor_answer *ret_answer)
{
	_cleanup_(freep) struct message *message = malloc(sizeof(*message));
	int err, fd = -1;

	*ret_answer = (struct supervisor_answer){ -1, -1, WORKER_END_UNKNOWN };
	if (!message)
		return -ENOMEM;
	err = wait_readable(supervisor->socket, timeout_ms);
	err = err ?: message_receive(supervisor->socket, false, message, &fd);
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
