/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The caller's end of a worker: hands files over, waits for answers with a deadline, and starts again when the worker
 * dies or hangs. Each owner of files has a link and a worker of its own (owners.h), so that a hostile file kills no
 * worker but its owner's.
 *
 * Files go over without waiting, in order, a window of them ahead of the worker's acknowledgements, and the caller
 * keeps each descriptor until the worker has said that it is done with the file. So a worker's end tells which file
 * was to blame, the first one not acknowledged (or the one asked about), and only that one is given up: those after
 * it are sent again. What had been indexed is lost with the worker, but can be opened again (options.open_again). From
 * the fourth worker lost on, the link pauses before the next one: 5 s, then twice as long each time, up to 320 s. It
 * answers SYMBOL_PAUSED meanwhile. The count starts anew after a worker that lived for ten minutes.
 *
 * A worker that runs short of memory or descriptors because of what it read before is replaced, and that is no loss.
 */
#pragma once

#include "core/base/text_pool.h"
#include "core/base/vec.h"
#include "symbolize/client/owners.h"
#include "symbolize/client/unwind_queue.h"
#include "symbolize/symbolize.h"
#include "symbolize/worker/supervisor.h"
#include "symbolize/worker/worker_protocol.h"

enum handed_state {
	HANDED_WAITING, /* not sent yet; we hold its descriptor */
	HANDED_SENT,    /* sent, not acknowledged; we still hold its descriptor */
	HANDED_INDEXED,
	HANDED_LOST,    /* was indexed by a worker that is gone, or came in a pause */
	HANDED_DROPPED, /* taken back: the place is free */
	HANDED_REFUSED, /* cannot be used; the status says why */
};

#define START_TIMEOUT_MS 5000

struct handed_file {
	uint32_t number;
	struct worker_link *link; /* the one that it was handed to */
	int fd; /* -1 when not held */
	enum handed_state state;
	enum symbol_status status;
	unsigned int nr_debug_given; /* candidates for its debug file */
	unsigned int nr_splits_given; /* and for split debug information */
	enum symbol_file_kind kind;
	const char *build_id;
	uint64_t sequence; /* of the message that handed it over, among all that were sent */
	bool was_short; /* a worker was replaced once because it had too little room for this file */
};

/* What all links of a symbolizer share. */
struct link_shared {
	struct symbolizer_options options;
	struct supervisor supervisor;
	struct worker_link *slots[SUPERVISOR_SLOTS]; /* of the supervisor, and who has them; NULL: free */
	int epoll; /* of the sockets of all workers */
	bool has_gone; /* the supervisor: there will be no further worker */
	int64_t ended_cpu_ms; /* of workers that are gone */
	struct text_pool texts;
	struct draft draft;
	struct message message;
};

struct worker_link {
	struct link_shared *shared;
	struct owner owner; /* of its files */
	int slot; /* the supervisor's; -1: none. The first link always has slot 0 */
	bool is_asked; /* the supervisor owes us a worker, or we have it */
	int socket, pid; /* of the present worker; -1: none */
	unsigned int nr_lost; /* workers, since the last one that lived long */
	unsigned int nr_read; /* files and tables that the present worker has read */
	int64_t paused_until_ms; /* no worker is started before */
	enum symbol_status paused_why; /* what is answered meanwhile */
	int64_t started_ms; /* the present one */
	int64_t used_ms; /* when it was last asked something */
	int64_t looked_ms; /* at the CPU time that it has used */
	int64_t granted_ms; /* of which so much is forgiven */
	int64_t left_ms; /* that questions about its files may still be waited for; ours may for ever */
	int64_t spent_ms; /* when that was last reckoned */
	uint64_t nr_text; /* bytes of names that its files have added to the pool */
	int start_err; /* of SYMBOL_NOT_STARTED: a negative errno */
	VEC(struct handed_file) files; /* in the order of symbolizer_add_file() */
	VEC(uint32_t) sent; /* positions in files, in the order of sending, not acknowledged yet */
	uint64_t nr_messages; /* files and requests for tables that were sent */
	int64_t heard_ms; /* when the worker last said something, or got work after it had none */
	struct unwind_queue unwinds;
	struct handed_file kernel;
};

/* Starts the supervisor, whose first worker is in slot 0. 0 or a negative errno. */
int link_shared_open(struct link_shared *shared, const struct symbolizer_options *options);
void link_shared_close(struct link_shared *shared);

/* `is_first`: it has slot 0. `shared` is borrowed until worker_link_close(). */
void worker_link_open(struct worker_link *link, struct link_shared *shared, bool is_first);
void worker_link_close(struct worker_link *link);

/*
 * Waits until a worker runs. False when there is none: `paused_why` says why, unless the time is over. With a time it may
 * end the worker of another link that has not been used for long.
 */
bool worker_link_is_up(struct worker_link *link, int timeout_ms);

/* The CPU time that the present worker has used; 0 where it cannot be had any more. */
int64_t worker_link_cpu_ms(const struct worker_link *link);

/* Sends and receives what is possible without waiting. */
void worker_link_pump(struct worker_link *link);

/* The file of this number that was handed to the link, or NULL. */
struct handed_file *worker_link_file(struct worker_link *link, uint32_t number);

/* A free place for a file, which its caller fills at once; NULL when there is no memory. */
struct handed_file *worker_link_place(struct worker_link *link);

/* Has the worker forget a file, which is not sent a second time. */
void worker_link_drop(struct worker_link *link, struct handed_file *file);

/* Waits until the file is indexed (the kernel's list: sent). SYMBOL_OK or why it is not. */
enum symbol_status worker_link_index(struct worker_link *link, struct handed_file *file);

/*
 * Takes the first request for an unwind table if it is done, without waiting; false when it is not, or there is none. A
 * worker that has said nothing for the time of a request is lost.
 */
bool worker_link_next_unwind(struct worker_link *link, struct symbol_unwind *ret_unwind);

/*
 * Whether there is time left for questions about files of this owner: 10 s, and 1 s more for each 10 s that go by. The host's
 * files have all the time. worker_link_spend() takes what a question has needed since `begun_ms`.
 */
bool worker_link_has_time(struct worker_link *link);
void worker_link_spend(struct worker_link *link, int64_t begun_ms);

/* Whether there is nothing to be told about a file before its owner's pause is over. */
bool worker_link_is_paused(const struct worker_link *link);

/* Puts a file that has just come into its first state: it waits, or in a pause it is opened again later. */
void worker_link_take(struct worker_link *link, struct handed_file *file);

/* Ends a worker that nothing waits for. What it had indexed is opened again when it is asked for. */
void worker_link_stop(struct worker_link *link);

/*
 * For an answer SYMBOL_NO_MEMORY or SYMBOL_NO_DESCRIPTORS about a file: replaces the worker, once for each file, unless it has
 * read nothing else. Whether the question may be asked again.
 */
bool worker_link_relieve(struct worker_link *link, struct handed_file *file);

/*
 * Sends the draft, a question about the file, and waits for a message of the kind, which is then in the message.
 * worker_link_next() waits for a further one. SYMBOL_OK, or why there is no answer.
 */
enum symbol_status worker_link_ask(struct worker_link *link, struct handed_file *file, enum message_kind answer);
enum symbol_status worker_link_next(struct worker_link *link, struct handed_file *file, enum message_kind answer);

/* Sends the draft, a part of a question that goes on. */
enum symbol_status worker_link_send(struct worker_link *link, struct handed_file *file);

/* The worker said something that makes no sense: it is treated as dead, and the file is to blame. */
enum symbol_status worker_link_distrust(struct worker_link *link, struct handed_file *file);
