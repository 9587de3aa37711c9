/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The caller's requests for unwind tables, a part of worker_link.h: sent in order, answered in order, a few at a time.
 *
 * A table comes as a head that tells its sizes and as parts with its bytes, into memory of ours that the worker cannot
 * change later, and is looked at as a whole before anyone gets it. Shared memory would save a copy (of libLLVM's 3.5 MB; taking
 * and checking it costs the caller 1.5 to 2.8 ms), but need seals against a worker that writes after the check, and several
 * system calls more for every table.
 */
#pragma once

#include "symbolize/unwind.h"
#include "symbolize/worker/worker_protocol.h"

enum {
	UNWIND_REQUESTS_MAX = 64, /* each holds a descriptor */
};

struct unwind_request {
	uint32_t number;
	int fd; /* -1 when done */
	enum symbol_status status; /* when done */
	uint64_t sequence; /* of the message, among all that were sent */
	bool was_short; /* a worker was replaced once because it had too little room for it */
	struct unwind_table table;
};

struct unwind_queue {
	VEC(struct unwind_request) requests; /* in the order of asking: those done, those sent, those waiting */
	size_t nr_done, nr_sent;
	struct unwind_table intake; /* the table that is coming in */
	size_t nr_taken, nr_expected; /* its bytes; nothing is coming in while both are 0 */
};

void unwind_queue_done(struct unwind_queue *queue);

/* Takes ownership of fd. -EAGAIN when there are too many, -ENOMEM; then fd is closed. */
int unwind_queue_add(struct unwind_queue *queue, uint32_t number, int fd);

/* Sends what waits, as far as the window and the socket allow, and raises *sequence for each. 0 or the errno of the socket. */
int unwind_queue_send(struct unwind_queue *queue, int socket, struct draft *draft, uint64_t *sequence);

/* Takes MESSAGE_UNWIND_TABLE or _PART. 0, -EPROTO for what makes no sense there, -ENOMEM. */
int unwind_queue_receive(struct unwind_queue *queue, const struct message *message);

/* The sequence number of the first request without its answer, UINT64_MAX without one. */
uint64_t unwind_queue_oldest(const struct unwind_queue *queue);

/* The worker is gone: what it had is sent again, but for the first one if that is to blame. */
void unwind_queue_restart(struct unwind_queue *queue, bool blame, enum symbol_status why);

/* Notes that the first request was too large for the worker. False if it was before, or if there is no request. */
bool unwind_queue_note_short(struct unwind_queue *queue);

/* There will be no worker for now: every request is done. */
void unwind_queue_give_up(struct unwind_queue *queue, enum symbol_status why);

/* Removes the first request if it is done, and hands its table over. */
bool unwind_queue_next(struct unwind_queue *queue, struct symbol_unwind *ret_unwind);
