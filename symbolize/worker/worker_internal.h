/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the parts of the worker: its state, and answers (worker_answer.c). */
#pragma once

#include "symbolize/worker/demangle.h"
#include "symbolize/worker/worker_files.h"
#include "symbolize/worker/worker_protocol.h"

/* A name that is already in the text of the present draft. */
struct recent_name {
	const void *of;
	uint32_t position;
};

/* The places of a question that is not complete yet. */
struct asked_places {
	uint32_t file;
	VEC(struct wire_query) queries;
};

struct worker {
	int socket;
	struct worker_options options;
	struct indexed_files files;
	int kernel_fd; /* until it has been read */
	bool kernel_known;
	struct kallsyms kallsyms;
	struct indexed_file kernel; /* its status is that of reading the list */
	struct recent_name recent[256]; /* by a hash of `of` */
	struct asked_places asked;
	struct message message; /* the present question */
	struct draft draft;
	char scratch[NAME_MAX_BYTES];
	char readable[DEMANGLED_MAX_BYTES];
};

/* ---- answers (worker_answer.c) ---- */

/* Begins an answer about the file of the question. */
void worker_start(struct worker *worker, enum message_kind kind);

/* Sends the draft; ends the worker if the other end is closed. */
void worker_send(struct worker *worker);

/* Sends a full draft, and begins another one of the same answer. */
void worker_send_full(struct worker *worker);

/* Answers with an errno only. */
void worker_send_failure(struct worker *worker, enum message_kind kind, int err);

/*
 * Adds a name to the draft's text, demangled if it is mangled, and only once for equal `of`. False if it does not fit.
 */
bool worker_add_name(struct worker *worker, const void *of, struct name name, bool is_mangled, uint32_t *ret_position);

/* Adds a name, or a sentence of worker_explain(), to a draft of MESSAGE_SUGGESTIONS. Omits it if it does not fit. */
void worker_add_text(struct worker *worker, struct name text);

/*
 * Requests a debug file for the file of the question: the first one from `candidate` on that may have the build id, or
 * that is at the link. A descriptor; -1: there are no more.
 */
int worker_ask_debug(struct worker *worker, const struct build_id *build_id, const char *link, uint32_t *candidate);

/* Requests the debug file of the file of the question, if it may have one. */
void worker_complete(struct worker *worker, struct indexed_file *file);

/* ---- places and symbols (worker_answer.c) ---- */

/* The address to look up for a query: for a return address, the last byte of the call. */
uint64_t worker_place_of(const struct wire_query *query);

/* The offset in the file for a query, and its link-time address; false if that is not code. */
bool worker_offset_of(const struct indexed_file *file, const struct wire_query *query, uint64_t *ret_offset);
bool worker_address_of(const struct indexed_file *file, const struct wire_query *query, uint64_t *ret_address);

/* A function of a file or of the kernel. */
struct worker_symbol {
	/* mangled; without text if the kernel's list has no function there. Points into `scratch` or the list */
	struct name name;
	uint64_t start; /* in the file; for the kernel: its address */
	unsigned int merit; /* enum symbol_merit */
};

/*
 * The number of symbols of a file, and one of them, in the order of the table: of those at one start, the one with the
 * best name is last.
 */
size_t worker_nr_symbols(const struct indexed_file *file);
struct worker_symbol worker_symbol(const struct indexed_file *file, size_t i, char scratch[NAME_MAX_BYTES]);

/* ---- answers to one kind of question each, in a file of this name; worker_find.c has the first four ---- */

void worker_find(struct worker *worker, struct indexed_file *file);
void worker_find_usdt(struct worker *worker, struct indexed_file *file);
void worker_suggest(struct worker *worker, struct indexed_file *file);
void worker_find_ends(struct worker *worker, struct indexed_file *file, int fd);
void worker_explain(struct worker *worker, struct indexed_file *file);

/* Adds the places of MESSAGE_LINES, and answers when the question is complete. */
void worker_lines(struct worker *worker);

/* Answers MESSAGE_UNWIND about the file of the descriptor. */
void worker_unwind(struct worker *worker, int fd);
