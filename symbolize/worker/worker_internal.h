/* SPDX-License-Identifier: GPL-2.0-or-later */
/* State and functions that the parts of the worker share. */
#pragma once

#include "symbolize/worker/demangle.h"
#include "symbolize/worker/worker_files.h"
#include "symbolize/worker/worker_protocol.h"

/* A name in the text of the current draft. */
struct recent_name {
	const void *of;
	uint32_t position;
};

/* The places received so far of a request in several messages. */
struct asked_places {
	uint32_t file;
	VEC(struct wire_query) queries;
};

struct worker {
	int socket;
	struct worker_options options;
	struct indexed_files files;
	int kernel_fd; /* -1 after the list was read */
	bool kernel_known;
	struct kallsyms kallsyms;
	struct indexed_file kernel; /* `status` is the result of reading the list */
	struct recent_name recent[256]; /* indexed by a hash of `of` */
	struct asked_places asked;
	struct message message; /* the current request */
	struct draft draft;
	char scratch[NAME_MAX_BYTES];
	char readable[DEMANGLED_MAX_BYTES];
};

/* Functions of worker_answer.c. */

/* Begins an answer about the file of the request. */
void worker_start(struct worker *worker, enum message_kind kind);

/* Sends the draft. Ends the worker if the other end is closed. */
void worker_send(struct worker *worker);

/* Sends a full draft, and begins the next message of the same answer. */
void worker_send_full(struct worker *worker);

/* Sends an answer that has only an errno. */
void worker_send_failure(struct worker *worker, enum message_kind kind, int err);

/* Adds a name to the draft's text, demangled if `is_mangled`; equal `of` share one copy. Returns false if it does not fit. */
bool worker_add_name(struct worker *worker, const void *of, struct name name, bool is_mangled, uint32_t *ret_position);

/* Adds a name, or a sentence of worker_explain(), to a draft of MESSAGE_SUGGESTIONS. Omits text that does not fit. */
void worker_add_text(struct worker *worker, struct name text);

/*
 * Requests a debug file for the file of the request: the first candidate from `candidate` on that may have the build id, or is at the link.
 * Returns a descriptor; -1: there are no more.
 */
int worker_ask_debug(struct worker *worker, const struct build_id *build_id, const char *link, uint32_t *candidate);

/* Requests the debug file of the file, unless it has none or was completed before. */
void worker_complete(struct worker *worker, struct indexed_file *file);

/* The address to look up for a query: for a return address, one byte before. */
uint64_t worker_place_of(const struct wire_query *query);

/* Compute the offset in the file, or the link-time address, for a query; return false if no code is there. */
bool worker_offset_of(const struct indexed_file *file, const struct wire_query *query, uint64_t *ret_offset);
bool worker_address_of(const struct indexed_file *file, const struct wire_query *query, uint64_t *ret_address);

struct worker_symbol {
	/* mangled; empty if the kernel's list has no function there; points into `scratch` or the list */
	struct name name;
	uint64_t start; /* file offset; for the kernel, the address */
	unsigned int merit; /* enum symbol_merit */
};

/* The number of symbols of a file, and symbol `i` in table order. Of symbols with the same start, the best name is last. */
size_t worker_nr_symbols(const struct indexed_file *file);
struct worker_symbol worker_symbol(const struct indexed_file *file, size_t i, char scratch[NAME_MAX_BYTES]);

/* Each answers one kind of request. The first three and worker_find_ends() are in worker_find.c, the others in the file of their name. */

void worker_find(struct worker *worker, struct indexed_file *file);
void worker_find_usdt(struct worker *worker, struct indexed_file *file);
void worker_suggest(struct worker *worker, struct indexed_file *file);
void worker_find_ends(struct worker *worker, struct indexed_file *file, int fd);
void worker_explain(struct worker *worker, struct indexed_file *file);

/* Collects the places of MESSAGE_LINES, and answers when the request is complete. */
void worker_lines(struct worker *worker);

/* Answers MESSAGE_UNWIND about the file of the descriptor. */
void worker_unwind(struct worker *worker, int fd);
