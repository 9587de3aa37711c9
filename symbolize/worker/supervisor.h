/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The supervisor: a process that starts symbol workers, and kills them when they hang.
 *
 * The caller cannot do that. When a worker must be replaced, the caller has mapped BPF rings and dropped the privileges to change user or
 * to signal processes of another user. The supervisor is forked earlier and drops all privileges at once. Its workers are copies of it:
 * unprivileged from their first instruction, and of the same user, so it may kill them. It reads only one-word requests of the caller.
 *
 * The supervisor sends the caller a socket for each worker. Caller and worker then communicate directly (worker_protocol.h).
 */
#pragma once

#include "symbolize/worker/worker_protocol.h"

#define WORKER_END_UNKNOWN (-1)

enum {
	SUPERVISOR_SLOTS = 8, /* each has at most one worker */
};

struct supervisor_answer {
	int pid, socket; /* of the worker; -1: none */
	int err; /* 0, or the negative errno of starting the worker */
};

struct supervisor {
	int pid;    /* -1: none */
	int socket;
	unsigned int nr_awaited[SUPERVISOR_SLOTS]; /* number of outstanding answers per slot */
	struct supervisor_answer last[SUPERVISOR_SLOTS]; /* the last answer per slot, until the caller takes it */
	int last_end; /* waitpid() status of the last worker that ended by itself, or WORKER_END_UNKNOWN */
};

#define SUPERVISOR_NONE ((struct supervisor){ .pid = -1, .socket = -1, .last_end = WORKER_END_UNKNOWN })

/* Forks the supervisor, which starts a worker in slot 0 at once. Returns 0 or a negative errno. */
int supervisor_start(struct supervisor *supervisor, const struct worker_options *options);

/* Ends the supervisor and its workers. */
void supervisor_stop(struct supervisor *supervisor);

enum supervisor_request {
	SUPERVISOR_HAS_ENDED = 1 << 0, /* the slot's worker has ended, or is ending by itself */
	SUPERVISOR_STOP_ONLY = 1 << 1, /* start no new worker */
};

/* Requests that a new worker replaces the one in the slot. `request`: bits of enum supervisor_request. Returns 0 or a negative errno. */
int supervisor_ask_worker(struct supervisor *supervisor, unsigned int slot, unsigned int request);

/* Restarts the CPU time of a worker that has answered. Returns 0 or a negative errno. */
int supervisor_grant_cpu(const struct supervisor *supervisor, unsigned int slot);

/*
 * Waits for the requested worker. The caller closes the answer's socket. Returns 0, -ETIMEDOUT, the errno of starting the worker (-EAGAIN
 * if no process can be started), or -EPIPE if the supervisor has ended.
 */
int supervisor_get_worker(struct supervisor *supervisor, unsigned int slot, int timeout_ms,
			  struct supervisor_answer *ret_answer);

/* Waits until all requests are answered, so that `last_end` is known. Returns 0, -ETIMEDOUT or -EPIPE. */
int supervisor_settle(struct supervisor *supervisor, int timeout_ms);
