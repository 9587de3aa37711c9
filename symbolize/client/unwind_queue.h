/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The caller's requests for unwind tables, a part of worker_link.h: sent and answered in order, a few at a time.
 *
 * A table arrives as a head with its sizes, and parts with its bytes. The parts are copied into our own memory, which the worker cannot
 * change, and the whole table is checked before use. Shared memory would save a copy (receiving and checking libLLVM's 3.5 MB takes the
 * caller 1.5 to 2.8 ms), but need seals against a worker that writes after the check, and several more system calls per table.
 */
#pragma once

#include "symbolize/unwind.h"
#include "symbolize/worker/worker_protocol.h"

enum {
	UNWIND_REQUESTS_MAX = 64, /* each holds a descriptor */
};

struct unwind_request {
	uint32_t number;
	int fd; /* -1: finished */
	enum symbol_status status;
	uint64_t sequence; /* number of its message, among all messages */
	bool was_short; /* a worker was replaced because it had too little room for this file */
	struct unwind_table table;
};

struct unwind_queue {
	VEC(struct unwind_request) requests; /* in order: finished, sent, waiting */
	size_t nr_done, nr_sent;
	struct unwind_table intake;
	size_t nr_taken, nr_expected; /* its bytes; both 0: nothing is being received */
};

void unwind_queue_done(struct unwind_queue *queue);

/* Takes ownership of fd, and closes it on failure: -EAGAIN for too many requests, -ENOMEM. */
int unwind_queue_add(struct unwind_queue *queue, uint32_t number, int fd);

/* Sends waiting requests, as far as window and socket allow; increments *sequence for each. Returns 0 or the socket's errno. */
int unwind_queue_send(struct unwind_queue *queue, int socket, struct draft *draft, uint64_t *sequence);

/* Receives MESSAGE_UNWIND_TABLE or _PART. Returns 0, -EPROTO for a malformed message, or -ENOMEM. */
int unwind_queue_receive(struct unwind_queue *queue, const struct message *message);

/* Sequence number of the first unanswered request; UINT64_MAX: none. */
uint64_t unwind_queue_oldest(const struct unwind_queue *queue);

/* The worker is lost: sends its requests again later, except the first one if that caused the loss (`blame`). */
void unwind_queue_restart(struct unwind_queue *queue, bool blame, enum symbol_status why);

/* Notes that the worker had too little room for the first request. False if that was noted before, or without a request. */
bool unwind_queue_note_short(struct unwind_queue *queue);

/* Finishes every request: there is no worker for now. */
void unwind_queue_give_up(struct unwind_queue *queue, enum symbol_status why);

/* Removes the first request if it is finished, and returns its table. */
bool unwind_queue_next(struct unwind_queue *queue, struct symbol_unwind *ret_unwind);
