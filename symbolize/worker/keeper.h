/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The keeper: a process that starts symbol workers, and ends them when they hang.
 *
 * Why not the caller itself? By the time a worker has to be replaced the caller has mapped BPF rings and given up the
 * privileges to change to another user, or to signal one. The keeper is forked before all that, gives up everything at
 * once, and its workers are copies of it: without privileges from their first instruction, owned by the same user, so
 * that it may kill them. It reads nothing but one-word requests of the caller.
 *
 * The caller's side of a worker is a socket that the keeper sends; the two then talk directly (worker_protocol.h).
 */
#pragma once

#include <stdbool.h>

#include "symbolize/worker/worker.h"

struct keeper {
	int pid;    /* -1: none */
	int socket;
};

#define KEEPER_NONE ((struct keeper){ -1, -1 })

/* Forks the keeper, which starts a first worker at once. 0 or a negative errno. */
int keeper_start(struct keeper *keeper, const struct worker_options *options);

/* Ends the keeper and its worker. */
void keeper_stop(struct keeper *keeper);

/* Asks for another worker in place of the present one; `has_ended`: which ends, or has ended. 0 or a negative errno. */
int keeper_ask_worker(const struct keeper *keeper, bool has_ended);

/* The present worker has answered and may have its CPU time anew. 0 or a negative errno. */
int keeper_grant_cpu(const struct keeper *keeper);

#define WORKER_END_UNKNOWN (-1)

struct keeper_answer {
	int pid, socket; /* of the worker; the receiver's to close */
	int last_end; /* how the one before ended by itself, as waitpid() tells it; or WORKER_END_UNKNOWN */
};

/*
 * Waits for the worker that was asked for (the first one needs no asking). 0; -ETIMEDOUT; the errno of starting it, -EAGAIN
 * where no process may be started; -EPIPE where the keeper has gone. `last_end` is set in any case.
 */
int keeper_get_worker(const struct keeper *keeper, int timeout_ms, struct keeper_answer *ret_answer);
