/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The caller's end of a worker: sends files, waits for answers with a deadline, and replaces a worker that dies or
 * hangs. Each owner of files has a link and a worker of its own (owners.h), so that a hostile file can kill only its
 * owner's worker.
 *
 * Files are sent in order without waiting, some ahead of the worker's acknowledgements. The caller keeps each
 * descriptor until the worker has acknowledged the file. So when a worker dies, the culprit is known: the first file
 * without acknowledgement, or the file of the question. Only that file is given up; the later ones are sent again. What
 * the worker had indexed is lost, but can be opened again (options.open_again). From the fourth lost worker on, the
 * link pauses before it starts the next: 5 s, then twice as long each time, up to 320 s. Meanwhile it answers
 * SYMBOL_PAUSED. After a worker that lived for ten minutes, the count restarts.
 *
 * If a worker runs short of memory or descriptors because of files that it read before, it is replaced, which is no
 * loss.
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
	HANDED_LOST,    /* was indexed by a worker that is lost, or was added in a pause */
	HANDED_DROPPED, /* taken back: the slot is free */
	HANDED_REFUSED, /* cannot be used; `status` has the reason */
};

#define START_TIMEOUT_MS 5000

struct handed_file {
	uint32_t number;
	struct worker_link *link; /* to which it was added */
	int fd; /* -1: not held */
	enum handed_state state;
	enum symbol_status status;
	unsigned int nr_debug_given; /* candidates for its debug file */
	unsigned int nr_splits_given; /* candidates for split debug information */
	enum symbol_file_kind kind;
	char *build_id; /* NULL: not known yet */
	uint64_t sequence; /* of its message, among all that were sent */
	bool was_short; /* a worker was already replaced because its room was too small for this file */
};

/* Shared by all links of a symbolizer. */
struct link_shared {
	struct symbolizer_options options;
	struct supervisor supervisor;
	struct worker_link *slots[SUPERVISOR_SLOTS]; /* links by the supervisor's slot; NULL: free */
	int epoll; /* of the sockets of all workers */
	bool has_gone; /* the supervisor has ended: there will be no further worker */
	int64_t ended_cpu_ms; /* of workers that have ended */
	struct text_pool texts; /* of functions and probes that were searched; never freed */
	struct text_pool names; /* of places, and their lines, until symbolizer_forget_names() */
	size_t nr_kept; /* bytes of forgotten names that the caller still has */
	unsigned int nr_forgotten; /* calls of symbolizer_forget_names() */
	struct draft draft;
	struct message message;
};

struct worker_link {
	struct link_shared *shared;
	struct owner owner; /* of its files */
	int slot; /* the supervisor's; -1: none. The first link always has slot 0 */
	bool is_asked; /* a worker runs, or was requested from the supervisor */
	int socket, pid; /* of the present worker; -1: none */
	unsigned int nr_lost; /* lost workers, since the last one that lived long */
	unsigned int nr_read; /* files and tables that the present worker has read */
	int64_t paused_until_ms; /* no worker is started before this time */
	enum symbol_status paused_why; /* the answer until then */
	int64_t started_ms; /* start of the present worker */
	int64_t used_ms; /* time of the last question */
	int64_t looked_ms; /* when the CPU time was last checked */
	int64_t granted_ms; /* CPU time up to the last grant */
	int64_t left_ms; /* time left for questions about its files; without limit for the host's */
	int64_t spent_ms; /* when left_ms was last computed */
	uint64_t nr_text; /* bytes of names that its files have added to the pool */
	unsigned int text_since; /* nr_forgotten at that time */
	int start_err; /* for SYMBOL_NOT_STARTED: a negative errno */
	VEC(struct handed_file) files; /* in the order of symbolizer_add_file() */
	VEC(uint32_t) sent; /* indexes of files without an acknowledgement, in the order of sending */
	uint64_t nr_messages; /* files and requests for tables that were sent */
	int64_t heard_ms; /* when the worker last sent something, or got work after it had none */
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
 * Whether another owner may have the link: no files, no requested tables, and nothing that its owner could escape by it, no
 * pause, no lost workers that still count, no time that was used up.
 */
bool worker_link_is_unneeded(struct worker_link *link);

/* Gives the link to another owner. It is not the first link. */
void worker_link_reopen(struct worker_link *link, const struct owner *owner);

/*
 * Waits until a worker runs. False when there is none: `paused_why` says why, unless the time is over. With a time it may
 * end the worker of another link that has not been used for long.
 */
bool worker_link_is_up(struct worker_link *link, int timeout_ms);

/* The CPU time of the present worker; 0 if it cannot be read any more. */
int64_t worker_link_cpu_ms(const struct worker_link *link);

/* Sends and receives as much as possible without waiting. */
void worker_link_pump(struct worker_link *link);

/* The file with this number that was added to the link, or NULL. */
struct handed_file *worker_link_file(struct worker_link *link, uint32_t number);

/* A free slot for a file, which the caller must fill at once; NULL: out of memory. */
struct handed_file *worker_link_place(struct worker_link *link);

/* Makes the worker forget a file, which is not sent again. */
void worker_link_drop(struct worker_link *link, struct handed_file *file);

/* Waits until the file is indexed (the kernel's list: sent). SYMBOL_OK, or why it is not. */
enum symbol_status worker_link_index(struct worker_link *link, struct handed_file *file);

/*
 * Takes the first request for an unwind table if it is done, without waiting; false if it is not, or if there is none.
 * A worker that has sent nothing for the time of a request is lost.
 */
bool worker_link_next_unwind(struct worker_link *link, struct symbol_unwind *ret_unwind);

/*
 * Whether there is time left for questions about files of this owner: 10 s, and 1 s more for each 10 s that go by. The
 * host's files have no limit. worker_link_spend() subtracts the time that a question took since `begun_ms`.
 */
bool worker_link_has_time(struct worker_link *link);
void worker_link_spend(struct worker_link *link, int64_t begun_ms);

/* Whether the names and lines of the owner, or of all, have used up their bytes. Never for the host's files. */
bool worker_link_is_full(const struct worker_link *link);

/* Counts what the pool of names has got since it had `before` bytes as the owner's. */
void worker_link_note_text(struct worker_link *link, size_t before);

/* Whether questions about files cannot be answered before the end of a pause. */
bool worker_link_is_paused(const struct worker_link *link);

/* Sets the state of a new file: it waits, or, in a pause, will be opened again later. */
void worker_link_take(struct worker_link *link, struct handed_file *file);

/*
 * After an answer SYMBOL_NO_MEMORY or SYMBOL_NO_DESCRIPTORS about a file: replaces the worker, once for each file,
 * unless it has read nothing else. Returns whether to ask again.
 */
bool worker_link_relieve(struct worker_link *link, struct handed_file *file);

/*
 * Sends the draft, a question about the file, with a descriptor unless `fd` is -1, and receives a message of this kind.
 * worker_link_next() waits for another one. SYMBOL_OK, or why there is no answer.
 */
enum symbol_status worker_link_ask(struct worker_link *link, struct handed_file *file, enum message_kind answer,
				   int fd);
enum symbol_status worker_link_next(struct worker_link *link, struct handed_file *file, enum message_kind answer);

/* Sends the draft, a part of a question that continues. */
enum symbol_status worker_link_send(struct worker_link *link, struct handed_file *file);

/* The worker has sent a malformed answer: it is treated as dead, and the file as the culprit. */
enum symbol_status worker_link_distrust(struct worker_link *link, struct handed_file *file);
