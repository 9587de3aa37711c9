/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The caller's requests for unwind tables, a part of worker_link.h: sent in order, answered in order, a few at a time.
 *
 * A table comes as a head with its sizes, and as parts with its bytes. The parts are copied into our own memory, which
 * the worker cannot change later, and the whole table is checked before it is used. Shared memory would save a copy
 * (for libLLVM's 3.5 MB, receiving and checking takes the caller 1.5 to 2.8 ms). But it would need seals against a
 * worker that writes after the check, and several more system calls for every table.
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
	uint64_t sequence; /* of its message, among all that were sent */
	bool was_short; /* a worker was already replaced because its room was too small for this file */
	struct unwind_table table;
};

struct unwind_queue {
	VEC(struct unwind_request) requests; /* in their order: finished ones, then sent ones, then waiting ones */
	size_t nr_done, nr_sent;
	struct unwind_table intake; /* the table that is being received */
	size_t nr_taken, nr_expected; /* its bytes; both are 0 if nothing is being received */
};

void unwind_queue_done(struct unwind_queue *queue);

/* Takes ownership of fd. If there are too many requests (-EAGAIN) or no memory (-ENOMEM), closes it. */
int unwind_queue_add(struct unwind_queue *queue, uint32_t number, int fd);

/* Sends waiting requests, as far as the window and the socket allow, and increments *sequence for each. 0 or the socket's errno. */
int unwind_queue_send(struct unwind_queue *queue, int socket, struct draft *draft, uint64_t *sequence);

/* Receives MESSAGE_UNWIND_TABLE or _PART. 0, -EPROTO for a malformed message, -ENOMEM. */
int unwind_queue_receive(struct unwind_queue *queue, const struct message *message);

/* The sequence number of the first request without an answer; UINT64_MAX: there is none. */
uint64_t unwind_queue_oldest(const struct unwind_queue *queue);

/* The worker is lost: its requests will be sent again, except the first one if that caused the loss. */
void unwind_queue_restart(struct unwind_queue *queue, bool blame, enum symbol_status why);

/* Notes that the worker's room was too small for the first request. False if that was noted before, or if there is no request. */
bool unwind_queue_note_short(struct unwind_queue *queue);

/* There will be no worker for now: finishes every request. */
void unwind_queue_give_up(struct unwind_queue *queue, enum symbol_status why);

/* Removes the first request if it is done, and returns its table. */
bool unwind_queue_next(struct unwind_queue *queue, struct symbol_unwind *ret_unwind);
