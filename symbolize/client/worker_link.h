/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The caller's end of a worker: sends files, waits for answers with a deadline, and replaces a worker that dies or hangs. Each owner of
 * files has its own link and worker (owners.h), so that a hostile file can harm only its owner's worker.
 *
 * Files are sent in order without waiting, some ahead of the worker's acknowledgements. The caller keeps each descriptor until the file is
 * acknowledged. So if a worker dies, the culprit is known: the first file without acknowledgement, or the file of the question. Only that
 * file is given up; later ones are sent again. Files that the worker had indexed can be opened again (options.open_again). From the fourth
 * lost worker on, the link pauses before it starts the next: 5 s, then twice as long each time, up to 320 s; meanwhile it answers
 * SYMBOL_PAUSED. A worker that lived for ten minutes resets this count.
 *
 * A worker that is short of memory or descriptors because of earlier files is replaced; that is no loss.
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
	HANDED_WAITING, /* not sent; the descriptor is kept */
	HANDED_SENT,    /* sent, not acknowledged; the descriptor is kept */
	HANDED_INDEXED,
	HANDED_LOST,    /* indexed by a lost worker, or added during a pause */
	HANDED_DROPPED, /* removed; the element is free */
	HANDED_REFUSED, /* unusable; `status` has the reason */
};

#define START_TIMEOUT_MS 5000

struct handed_file {
	uint32_t number;
	struct worker_link *link;
	int fd; /* -1: not kept */
	enum handed_state state;
	enum symbol_status status;
	unsigned int nr_debug_given;
	unsigned int nr_splits_given;
	enum symbol_file_kind kind;
	char *build_id; /* NULL: unknown yet */
	uint64_t sequence; /* number of its message, among all messages */
	bool was_short; /* a worker was replaced because it had too little room for this file */
};

struct link_shared {
	struct symbolizer_options options;
	struct supervisor supervisor;
	struct worker_link *slots[SUPERVISOR_SLOTS]; /* by the supervisor's slot; NULL: free */
	int epoll; /* has the sockets of all workers */
	bool has_gone; /* the supervisor has ended: there are no more workers */
	int64_t ended_cpu_ms;
	struct text_pool texts; /* of functions and probes that were found; kept to the end */
	struct text_pool names; /* of places, and their lines; until symbolizer_forget_names() */
	size_t nr_kept; /* bytes of forgotten names that the caller has kept */
	unsigned int nr_forgotten; /* calls of symbolizer_forget_names() */
	struct draft draft;
	struct message message;
};

struct worker_link {
	struct link_shared *shared;
	struct owner owner;
	int slot; /* of the supervisor; -1: none. The first link always has slot 0 */
	bool is_asked; /* a worker runs or was requested */
	int socket, pid; /* of the present worker; -1: none */
	unsigned int nr_lost; /* lost workers, since the last one that lived ten minutes */
	unsigned int nr_read; /* files and tables that the present worker has read */
	int64_t paused_until_ms; /* no worker is started before */
	enum symbol_status paused_why; /* the answer until then */
	int64_t started_ms;
	int64_t used_ms;
	int64_t looked_ms;
	int64_t granted_ms; /* CPU time at the last reset of its limit */
	int64_t left_ms; /* time left for questions about its files; the host's have no limit */
	int64_t spent_ms; /* when left_ms was last computed */
	uint64_t nr_text; /* bytes of names that its files have added to the pool */
	unsigned int text_since; /* nr_forgotten at that time */
	int start_err; /* negative errno, for SYMBOL_NOT_STARTED */
	VEC(struct handed_file) files; /* in the order of symbolizer_add_file() */
	VEC(uint32_t) sent; /* indexes of files without acknowledgement, in the order of sending */
	uint64_t nr_messages; /* files and requests for tables that were sent */
	int64_t heard_ms; /* when the worker last sent something, or got work while idle */
	struct unwind_queue unwinds;
	struct handed_file kernel;
};

/* Starts the supervisor, with a worker in slot 0. Returns 0 or a negative errno. */
int link_shared_open(struct link_shared *shared, const struct symbolizer_options *options);
void link_shared_close(struct link_shared *shared);

/* `is_first`: has slot 0. `shared` is borrowed until worker_link_close(). */
void worker_link_open(struct worker_link *link, struct link_shared *shared, bool is_first);
void worker_link_close(struct worker_link *link);

/*
 * Whether another owner may take the link: it has no files and no requests for tables, and nothing that its owner would escape (a pause,
 * counted losses, used-up time).
 */
bool worker_link_is_unneeded(struct worker_link *link);

/* Gives the link, which is not the first, to another owner. */
void worker_link_reopen(struct worker_link *link, const struct owner *owner);

/*
 * Waits until a worker runs. False: there is none; `paused_why` has the reason, unless the time is over. If timeout_ms is not 0, it may end
 * the worker of the least recently used link.
 */
bool worker_link_is_up(struct worker_link *link, int timeout_ms);

/* CPU time of the present worker; 0 if unknown. */
int64_t worker_link_cpu_ms(const struct worker_link *link);

/* Sends and receives what is possible without waiting. */
void worker_link_pump(struct worker_link *link);

/* NULL: the link has no such file. */
struct handed_file *worker_link_file(struct worker_link *link, uint32_t number);

/* A free element for a file, which the caller must fill at once; NULL: out of memory. */
struct handed_file *worker_link_place(struct worker_link *link);

void worker_link_drop(struct worker_link *link, struct handed_file *file);

/* Waits until the file is indexed (the kernel's list: sent). Returns SYMBOL_OK, or why it is not. */
enum symbol_status worker_link_index(struct worker_link *link, struct handed_file *file);

/*
 * Takes the first request for an unwind table if it is finished, without waiting. A worker that has sent nothing for the time of a request
 * is lost.
 */
bool worker_link_next_unwind(struct worker_link *link, struct symbol_unwind *ret_unwind);

/*
 * Whether time is left for questions about this owner's files: 10 s, and 1 s more per 10 s. The host has no limit. worker_link_spend()
 * subtracts the time since `begun_ms`.
 */
bool worker_link_has_time(struct worker_link *link);
void worker_link_spend(struct worker_link *link, int64_t begun_ms);

/* Whether the names and lines of the owner, or of all, have reached their limit. Never for the host. */
bool worker_link_is_full(const struct worker_link *link);

/* Counts the growth of the pool of names since it had `before` bytes for the owner. */
void worker_link_note_text(struct worker_link *link, size_t before);

/* Whether questions must wait for the end of a pause. */
bool worker_link_is_paused(const struct worker_link *link);

/* Sets the state of a new file: waiting, or in a pause, to be opened again later. */
void worker_link_take(struct worker_link *link, struct handed_file *file);

/*
 * After SYMBOL_NO_MEMORY or SYMBOL_NO_DESCRIPTORS for a file: replaces the worker, once per file, unless it has read nothing else. Returns
 * whether to ask again.
 */
bool worker_link_relieve(struct worker_link *link, struct handed_file *file);

/*
 * Sends the draft, a question about the file, with a descriptor unless `fd` is -1, and receives a message of kind `answer`.
 * worker_link_next() receives another one. Return SYMBOL_OK, or why there is no answer.
 */
enum symbol_status worker_link_ask(struct worker_link *link, struct handed_file *file, enum message_kind answer,
				   int fd);
enum symbol_status worker_link_next(struct worker_link *link, struct handed_file *file, enum message_kind answer);

/* Sends the draft, a part of a question. */
enum symbol_status worker_link_send(struct worker_link *link, struct handed_file *file);

/* Treats the worker as dead after a malformed answer, with the file as the culprit. */
enum symbol_status worker_link_distrust(struct worker_link *link, struct handed_file *file);
