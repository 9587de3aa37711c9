/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The supervisor: a process that starts symbol workers, and ends them when they hang.
 *
 * Why not the caller itself? By the time a worker has to be replaced the caller has mapped BPF rings and given up the
 * privileges to change to another user, or to signal one. The supervisor is forked before all that, gives up everything at
 * once, and its workers are copies of it: without privileges from their first instruction, owned by the same user, so
 * that it may kill them. It reads nothing but one-word requests of the caller.
 *
 * The caller's side of a worker is a socket that the supervisor sends; the two then talk directly (worker_protocol.h).
 */
#pragma once

#include "symbolize/worker/worker_protocol.h"

#define WORKER_END_UNKNOWN (-1)

enum {
	SUPERVISOR_SLOTS = 8, /* a worker each, at most */
};

struct supervisor_answer {
	int pid, socket; /* of the worker; -1: none */
	int err; /* why there is none; 0 */
};

struct supervisor {
	int pid;    /* -1: none */
	int socket;
	unsigned int nr_awaited[SUPERVISOR_SLOTS]; /* answers for each slot that have not come */
	struct supervisor_answer last[SUPERVISOR_SLOTS]; /* the last one that came, until it is taken */
	int last_end; /* how the last worker that ended by itself did, as waitpid() tells it; or WORKER_END_UNKNOWN */
};

#define SUPERVISOR_NONE ((struct supervisor){ .pid = -1, .socket = -1, .last_end = WORKER_END_UNKNOWN })

/* Forks the supervisor, which starts a worker in slot 0 at once. 0 or a negative errno. */
int supervisor_start(struct supervisor *supervisor, const struct worker_options *options);

/* Ends the supervisor and its worker. */
void supervisor_stop(struct supervisor *supervisor);

enum supervisor_request {
	SUPERVISOR_HAS_ENDED = 1 << 0, /* the worker of the slot ends, or has ended */
	SUPERVISOR_STOP_ONLY = 1 << 1, /* no other one is wanted */
};

/* Asks for another worker in place of the one in the slot; bits of enum supervisor_request. 0 or a negative errno. */
int supervisor_ask_worker(struct supervisor *supervisor, unsigned int slot, unsigned int request);

/* The worker has answered and may have its CPU time anew. 0 or a negative errno. */
int supervisor_grant_cpu(const struct supervisor *supervisor, unsigned int slot);

/*
 * Waits for the worker that was asked for; the answer's socket is the receiver's to close. 0; -ETIMEDOUT; the errno of
 * starting it, -EAGAIN where no process may be started; -EPIPE where the supervisor has gone.
 */
int supervisor_get_worker(struct supervisor *supervisor, unsigned int slot, int timeout_ms,
			  struct supervisor_answer *ret_answer);

/* Waits until everything that was asked for has its answer, so that `last_end` is known. 0, -ETIMEDOUT or -EPIPE. */
int supervisor_settle(struct supervisor *supervisor, int timeout_ms);
