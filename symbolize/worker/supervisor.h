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

struct supervisor {
	int pid;    /* -1: none */
	int socket;
};

#define SUPERVISOR_NONE ((struct supervisor){ -1, -1 })

/* Forks the supervisor, which starts a first worker at once. 0 or a negative errno. */
int supervisor_start(struct supervisor *supervisor, const struct worker_options *options);

/* Ends the supervisor and its worker. */
void supervisor_stop(struct supervisor *supervisor);

/* Asks for another worker in place of the present one; `has_ended`: which ends, or has ended. 0 or a negative errno. */
int supervisor_ask_worker(const struct supervisor *supervisor, bool has_ended);

/* The present worker has answered and may have its CPU time anew. 0 or a negative errno. */
int supervisor_grant_cpu(const struct supervisor *supervisor);

#define WORKER_END_UNKNOWN (-1)

struct supervisor_answer {
	int pid, socket; /* of the worker; the receiver's to close */
	int last_end; /* how the one before ended by itself, as waitpid() tells it; or WORKER_END_UNKNOWN */
};

/*
 * Waits for the worker that was asked for (the first one needs no asking). 0; -ETIMEDOUT; the errno of starting it, -EAGAIN
 * where no process may be started; -EPIPE where the supervisor has gone. `last_end` is set in any case.
 */
int supervisor_get_worker(const struct supervisor *supervisor, int timeout_ms, struct supervisor_answer *ret_answer);
