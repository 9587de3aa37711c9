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
	ANSWERS_AHEAD = 4 << 20, /* bytes: the worker continues while the caller is busy */
	END_TIMEOUT_MS = 1000, /* a process ends soon after it has closed its socket */
	END_KNOWN = 1 << 16,
	SLOT_SHIFT = 24,
	MEMORY_MB = 512,       /* address space of the worker in slot 0 */
	OWNER_MEMORY_MB = 256, /* of the other workers, unless options.lines */
};

/* The slot of a worker, whose zombie may remain until the next worker replaces it. */
struct slot {
	int pid;     /* -1: none */
	int left[4]; /* killed workers that may still hang in the kernel; 0: none */
};

static _Noreturn void run_worker(int socket, int supervisor_pid, unsigned int slot,
				 const struct worker_options *options)
{
	struct worker_options its = *options;
	unsigned int descriptors = sandbox_descriptors(its.lines ? MANY_DESCRIPTORS : DESCRIPTORS);
	int place = sandbox_keep_as_well(socket);

	its.max_lines_fd = (int)(descriptors - descriptors / 4);
	its.memory_mb = slot && !its.lines ? OWNER_MEMORY_MB : MEMORY_MB;
	prctl(PR_SET_NAME, "stacktool-sym");
	if (place < 0 || sandbox_follow_parent(supervisor_pid) ||
	    sandbox_confine(its.cpu_seconds, descriptors, its.memory_mb))
		_exit(1);
	worker_run(place, &its);
}

/* Starts a worker and sends its socket, or the errno. `more`: the slot, and how the previous worker ended (MESSAGE_STARTED). */
static int start_worker(int socket, struct draft *draft, const struct worker_options *options, uint32_t more)
{
	const int ahead = ANSWERS_AHEAD;
	int ends[2], supervisor_pid = getpid(), pid = -1, err;
	bool is_paired = !socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends);

	if (is_paired) {
		/* The kernel limits this to net.core.wmem_max. With less, the worker waits for the caller. */
		setsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &ahead, sizeof(ahead));
		pid = fork();
	}
	err = pid < 0 ? errno : 0;
	if (pid == 0)
		run_worker(ends[1], supervisor_pid, more >> SLOT_SHIFT, options);
	/* Close it before the caller learns of the worker: an open copy in the supervisor would hide the worker's death from the caller. */
	if (is_paired)
		close(ends[1]);
	draft_start(draft, MESSAGE_STARTED, pid > 0 ? (uint32_t)pid : 0);
	draft->header.status = (uint32_t)err;
	draft->header.more = more;
	draft_send(draft, socket, true, pid > 0 ? ends[0] : -1);
	if (is_paired)
		close(ends[0]);
	return pid;
}

static void send_stopped(int socket, struct draft *draft, uint32_t more)
{
	draft_start(draft, MESSAGE_STARTED, 0);
	draft->header.more = more;
	draft_send(draft, socket, true, -1);
}

/* Waits for a worker that is ending by itself. Returns its status with END_KNOWN, or 0. */
static uint32_t take_end(int pid)
{
	_cleanup_(closep) int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	struct pollfd end = { .fd = fd, .events = POLLIN };
	int status;

	if (fd < 0 || poll(&end, 1, END_TIMEOUT_MS) != 1 || waitpid(pid, &status, WNOHANG) != pid)
		return 0;
	return (uint32_t)status | END_KNOWN;
}

/* Reaps workers that were killed earlier, and adds another one to the list. */
static void leave(struct slot *slot, int pid)
{
	size_t nr = sizeof(slot->left) / sizeof(*slot->left);

	for (size_t i = 0; i < nr; i++) {
		if (slot->left[i] && waitpid(slot->left[i], NULL, WNOHANG))
			slot->left[i] = 0;
		if (!slot->left[i]) {
			slot->left[i] = pid;
			pid = 0;
		}
	}
}

/*
 * Ends the worker of a slot. If it ended by itself, returns its status, else 0. Does not wait for a killed worker, because it may hang in
 * the kernel (a dead network file system).
 */
static uint32_t end_worker(struct slot *slot, bool ends_itself)
{
	uint32_t end = slot->pid > 0 && ends_itself ? take_end(slot->pid) : 0;

	if (slot->pid > 0 && !end) {
		kill(slot->pid, SIGKILL);
		leave(slot, slot->pid);
	}
	slot->pid = -1;
	return end;
}

static void serve(int socket, const struct message *message, struct draft *draft, struct slot *slots,
		  const struct worker_options *options)
{
	uint32_t number = message->header.file % SUPERVISOR_SLOTS, request = message->header.status, more;
	struct slot *slot = &slots[number];

	if (message->header.kind == MESSAGE_GRANT) {
		if (slot->pid > 0)
			sandbox_grant_cpu(slot->pid, options->cpu_seconds);
		return;
	}
	more = end_worker(slot, request & SUPERVISOR_HAS_ENDED) | number << SLOT_SHIFT;
	if (request & SUPERVISOR_STOP_ONLY)
		send_stopped(socket, draft, more);
	else
		slot->pid = start_worker(socket, draft, options, more);
}

static _Noreturn void become_supervisor(int socket, int parent_pid, const struct worker_options *options)
{
	struct message *message = malloc(sizeof(*message));
	struct draft *draft = malloc(sizeof(*draft));
	struct slot slots[SUPERVISOR_SLOTS] = {};
	int place = sandbox_keep_only(socket);

	sandbox_allow_processes();
	/*
	 * Kernels with CONFIG_SCHED_AUTOGROUP share the CPUs among sessions (sched(7)). In the session of `make -j16` the workers would get
	 * a seventeenth of its share. In a session of their own they get as much as that build.
	 */
	setsid();
	prctl(PR_SET_NAME, "stacktool-super");
	if (!message || !draft || place < 0 || sandbox_drop_privileges() || sandbox_follow_parent(parent_pid) ||
	    sandbox_filter_supervisor())
		_exit(1);
	slots[0].pid = start_worker(place, draft, options, 0);
	while (!message_receive(place, true, message, NULL) &&
	       (message->header.kind == MESSAGE_START || message->header.kind == MESSAGE_GRANT))
		serve(place, message, draft, slots, options);
	for (size_t i = 0; i < SUPERVISOR_SLOTS; i++)
		if (slots[i].pid > 0)
			kill(slots[i].pid, SIGKILL);
	for (size_t i = 0; i < SUPERVISOR_SLOTS; i++)
		if (slots[i].pid > 0)
			take_end(slots[i].pid);
	_exit(0);
}

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
		*supervisor = (struct supervisor){
			.pid = pid, .socket = ends[0], .nr_awaited = { 1 }, .last_end = WORKER_END_UNKNOWN
		};
	return err;
}

/* Drops an answer for the slot that the caller has not taken. */
static void drop_answer(struct supervisor *supervisor, size_t slot)
{
	if (supervisor->last[slot].pid > 0)
		closep(&supervisor->last[slot].socket);
	supervisor->last[slot] = (struct supervisor_answer){ -1, -1, 0 };
}

/*
 * The supervisor ends when its socket is closed and never waits for a worker, so this wait is short. It gives up on a supervisor that
 * another process of its user has stopped.
 */
void supervisor_stop(struct supervisor *supervisor)
{
	_cleanup_(closep) int fd = -1;
	struct pollfd end = { .events = POLLIN };

	closep(&supervisor->socket);
	for (size_t i = 0; i < SUPERVISOR_SLOTS; i++)
		drop_answer(supervisor, i);
	if (supervisor->pid > 0)
		fd = (int)syscall(SYS_pidfd_open, supervisor->pid, 0);
	end.fd = fd;
	if (fd >= 0 && poll(&end, 1, END_TIMEOUT_MS) == 1)
		waitpid(supervisor->pid, NULL, 0);
	*supervisor = SUPERVISOR_NONE;
}

static int ask(const struct supervisor *supervisor, enum message_kind kind, unsigned int slot, uint32_t status)
{
	_cleanup_(freep) struct draft *draft = malloc(sizeof(*draft));

	if (!draft)
		return -ENOMEM;
	draft_start(draft, kind, slot);
	draft->header.status = status;
	return draft_send(draft, supervisor->socket, false, -1);
}

int supervisor_ask_worker(struct supervisor *supervisor, unsigned int slot, unsigned int request)
{
	int err = ask(supervisor, MESSAGE_START, slot, request);

	supervisor->nr_awaited[slot] += !err;
	return err;
}

int supervisor_grant_cpu(const struct supervisor *supervisor, unsigned int slot)
{
	return ask(supervisor, MESSAGE_GRANT, slot, 0);
}

/* Receives one answer, for any slot. */
static int take_answer(struct supervisor *supervisor, int timeout_ms)
{
	_cleanup_(freep) struct message *message = malloc(sizeof(*message));
	struct supervisor_answer *answer;
	int err, fd = -1;
	uint32_t slot;

	if (!message)
		return -ENOMEM;
	do
		err = waiting_poll(supervisor->socket, POLLIN, timeout_ms)
			      ?: message_receive(supervisor->socket, false, message, &fd);
	while (err == -EAGAIN);
	if (err)
		return err;
	if (message->header.more & END_KNOWN)
		supervisor->last_end = (int)(message->header.more & (END_KNOWN - 1));
	slot = (message->header.more >> SLOT_SHIFT) % SUPERVISOR_SLOTS;
	drop_answer(supervisor, slot);
	answer = &supervisor->last[slot];
	answer->pid = (int)message->header.file;
	answer->socket = fd;
	if (fd < 0) /* no worker, or the caller has no free descriptor */
		answer->err = message->header.status ? -(int)message->header.status : -EMFILE;
	if (supervisor->nr_awaited[slot])
		supervisor->nr_awaited[slot]--;
	return 0;
}

int supervisor_get_worker(struct supervisor *supervisor, unsigned int slot, int timeout_ms,
			  struct supervisor_answer *ret_answer)
{
	*ret_answer = (struct supervisor_answer){ -1, -1, 0 };
	while (supervisor->nr_awaited[slot]) {
		int err = take_answer(supervisor, timeout_ms);

		if (err)
			return err;
	}
	*ret_answer = supervisor->last[slot];
	supervisor->last[slot] = (struct supervisor_answer){ -1, -1, 0 };
	return ret_answer->socket < 0 ? ret_answer->err ?: -EPIPE : 0;
}

int supervisor_settle(struct supervisor *supervisor, int timeout_ms)
{
	int err = 0;

	for (size_t i = 0; i < SUPERVISOR_SLOTS; i++)
		while (!err && supervisor->nr_awaited[i])
			err = take_answer(supervisor, timeout_ms);
	return err;
}
