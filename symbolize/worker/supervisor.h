/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The supervisor: a process that starts symbol workers, and kills them when they hang.
 *
 * The caller cannot do that: when a worker has to be replaced, the caller has mapped BPF rings and given up the
 * privileges to change to another user, or to signal its processes. The supervisor is forked before, and gives up
 * everything at once. Its workers are copies of it: unprivileged from their first instruction, and of the same user, so
 * it may kill them. It reads only one-word requests of the caller.
 *
 * The supervisor sends the caller a socket for each worker; the two then talk directly (worker_protocol.h).
 */
#pragma once

#include "symbolize/worker/worker_protocol.h"

#define WORKER_END_UNKNOWN (-1)

enum {
	SUPERVISOR_SLOTS = 8, /* at most one worker in each */
};

struct supervisor_answer {
	int pid, socket; /* of the worker; -1: none */
	int err; /* why there is none; 0 */
};

struct supervisor {
	int pid;    /* -1: none */
	int socket;
	unsigned int nr_awaited[SUPERVISOR_SLOTS]; /* outstanding answers for each slot */
	struct supervisor_answer last[SUPERVISOR_SLOTS]; /* the last answer, until it is taken */
	int last_end; /* how the last worker that ended by itself did, as from waitpid(); or WORKER_END_UNKNOWN */
};

#define SUPERVISOR_NONE ((struct supervisor){ .pid = -1, .socket = -1, .last_end = WORKER_END_UNKNOWN })

/* Forks the supervisor, which starts a worker in slot 0 at once. 0 or a negative errno. */
int supervisor_start(struct supervisor *supervisor, const struct worker_options *options);

/* Ends the supervisor and its workers. */
void supervisor_stop(struct supervisor *supervisor);

enum supervisor_request {
	SUPERVISOR_HAS_ENDED = 1 << 0, /* the worker of the slot is ending, or has ended */
	SUPERVISOR_STOP_ONLY = 1 << 1, /* do not start another one */
};

/* Asks for a new worker in place of the one in the slot. `request`: bits of enum supervisor_request. 0 or a negative errno. */
int supervisor_ask_worker(struct supervisor *supervisor, unsigned int slot, unsigned int request);

/* The worker has answered: restarts its CPU time. 0 or a negative errno. */
int supervisor_grant_cpu(const struct supervisor *supervisor, unsigned int slot);

/*
 * Waits for the requested worker; the receiver closes the answer's socket. 0; -ETIMEDOUT; the errno of starting it,
 * -EAGAIN if no process can be started; -EPIPE if the supervisor has ended.
 */
int supervisor_get_worker(struct supervisor *supervisor, unsigned int slot, int timeout_ms,
			  struct supervisor_answer *ret_answer);

/* Waits until all requests are answered, so that `last_end` is known. 0, -ETIMEDOUT or -EPIPE. */
int supervisor_settle(struct supervisor *supervisor, int timeout_ms);
