/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The caller's end of the worker: hands files over, waits for answers with a deadline, and starts again when the worker
 * dies or hangs.
 *
 * Files go over without waiting, in order, a window of them ahead of the worker's acknowledgements, and the caller
 * keeps each descriptor until the worker has said that it is done with the file. So a worker's end tells which file
 * was to blame, the first one not acknowledged (or the one asked about), and only that one is given up: those after
 * it are sent again. What had been indexed is lost with the worker, but can be opened again (options.open_again).
 */
#pragma once

#include "core/base/text_pool.h"
#include "core/base/vec.h"
#include "symbolize/client/unwind_queue.h"
#include "symbolize/symbolize.h"
#include "symbolize/worker/supervisor.h"
#include "symbolize/worker/worker_protocol.h"

enum handed_state {
	HANDED_WAITING, /* not sent yet; we hold its descriptor */
	HANDED_SENT,    /* sent, not acknowledged; we still hold its descriptor */
	HANDED_INDEXED,
	HANDED_LOST,    /* was indexed by a worker that is gone */
	HANDED_DROPPED, /* a map that was taken back */
	HANDED_REFUSED, /* cannot be used; the status says why */
};

#define START_TIMEOUT_MS 5000

struct handed_file {
	uint32_t number;
	int fd; /* -1 when not held */
	enum handed_state state;
	enum symbol_status status;
	unsigned int nr_debug_given; /* candidates for its debug file */
	unsigned int nr_splits_given; /* and for split debug information */
	enum symbol_file_kind kind;
	const char *build_id;
	uint64_t sequence; /* of the message that handed it over, among all that were sent */
};

/* A further number of a file. */
struct handed_alias {
	uint32_t number, known;
};

struct worker_link {
	struct symbolizer_options options;
	struct supervisor supervisor;
	int socket, pid; /* of the present worker; -1: none */
	unsigned int nr_starts; /* workers, since the last one that lived long */
	int64_t started_ms; /* the present one */
	int64_t looked_ms; /* at the CPU time that it has used */
	int64_t granted_ms; /* of which so much is forgiven */
	enum symbol_status gave_up; /* why there will be no further worker; SYMBOL_OK while there may be */
	int start_err; /* of SYMBOL_NOT_STARTED: a negative errno */
	int last_end; /* how the last worker that died ended: of waitpid(), or WORKER_END_UNKNOWN */
	VEC(struct handed_file) files; /* in the order of symbolizer_add_file() */
	VEC(struct handed_alias) aliases;
	VEC(uint32_t) sent; /* positions in files, in the order of sending, not acknowledged yet */
	uint64_t nr_messages; /* files and requests for tables that were sent */
	int64_t heard_ms; /* when the worker last said something, or got work after it had none */
	struct unwind_queue unwinds;
	struct handed_file kernel;
	struct text_pool texts;
	struct draft draft;
	struct message message;
};

/* The link has to be the first member: tests put a worker of their own into it. */
struct symbolizer {
	struct worker_link link;
	char last_end[64]; /* what symbolizer_last_end() returned */
};

/* Starts the supervisor. */
int worker_link_open(struct worker_link *link, const struct symbolizer_options *options);
void worker_link_close(struct worker_link *link);

/* Waits until a worker runs; false when there will be none. */
bool worker_link_is_up(struct worker_link *link, int timeout_ms);

/* Sends and receives what is possible without waiting. */
void worker_link_pump(struct worker_link *link);

/* The file of a number, the kernel for SYMBOL_KERNEL, or NULL. */
struct handed_file *worker_link_file(struct worker_link *link, uint32_t number);

/* Has the worker forget a map, which is not sent a second time. */
void worker_link_drop(struct worker_link *link, struct handed_file *file);

/* Waits until the file is indexed (the kernel's list: sent). SYMBOL_OK or why it is not. */
enum symbol_status worker_link_index(struct worker_link *link, struct handed_file *file);

/* Waits until the first request for an unwind table is done, or the time is over; false then, or when there is none. */
bool worker_link_next_unwind(struct worker_link *link, int timeout_ms, struct symbol_unwind *ret_unwind);

/*
 * Sends link->draft, a question about the file, and waits for a message of the kind, which is then in link->message.
 * worker_link_next() waits for a further one. SYMBOL_OK, or why there is no answer.
 */
enum symbol_status worker_link_ask(struct worker_link *link, struct handed_file *file, enum message_kind answer);
enum symbol_status worker_link_next(struct worker_link *link, struct handed_file *file, enum message_kind answer);

/* Sends link->draft, a part of a question that goes on. */
enum symbol_status worker_link_send(struct worker_link *link, struct handed_file *file);

/* The worker said something that makes no sense: it is treated as dead, and the file is to blame. */
enum symbol_status worker_link_distrust(struct worker_link *link, struct handed_file *file);
