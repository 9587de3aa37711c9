/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of the worker share: its state, and answers (worker_answer.c). */
#pragma once

#include "symbolize/worker/demangle.h"
#include "symbolize/worker/worker_files.h"
#include "symbolize/worker/worker_protocol.h"

/* A name that is in the text of the present draft already. */
struct recent_name {
	const void *of;
	uint32_t position;
};

/* Places whose question has not ended yet. */
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
	struct indexed_file kernel; /* with the status of reading that */
	struct recent_name recent[256]; /* by a hash of `of` */
	struct asked_places asked;
	struct message message; /* the question at hand */
	struct draft draft;
	char scratch[NAME_MAX_BYTES];
	char readable[DEMANGLED_MAX_BYTES];
};

/* ---- answers (worker_answer.c) ---- */

/* Starts an answer about the file of the question. */
void worker_start(struct worker *worker, enum message_kind kind);

/* Sends the draft; ends the worker when the other end is closed. */
void worker_send(struct worker *worker);

/* Sends a draft that is full, and starts a further one of the same answer. */
void worker_send_full(struct worker *worker);

/* Answers with an errno alone. */
void worker_send_failure(struct worker *worker, enum message_kind kind, int err);

/*
 * Adds a name to the draft's text, once for all that have the same `of`, demangled if it is mangled. False when it does
 * not fit.
 */
bool worker_add_name(struct worker *worker, const void *of, struct name name, bool is_mangled, uint32_t *ret_position);

/* Adds a name or a sentence of worker_explain() to the draft of a MESSAGE_SUGGESTIONS. Leaves out what does not fit. */
void worker_add_text(struct worker *worker, struct name text);

/*
 * Asks for a debug file of the file of the question, the first one from `candidate` on that may have the build id, or is
 * where the link says. A descriptor, or -1 when there are no more.
 */
int worker_ask_debug(struct worker *worker, const struct build_id *build_id, const char *link, uint32_t *candidate);

/* Looks for the debug file of the file of the question, if that may have one. */
void worker_complete(struct worker *worker, struct indexed_file *file);

/* ---- places and symbols (worker_answer.c) ---- */

/* The place that a query means: a call is the last byte before its return address. */
uint64_t worker_place_of(const struct wire_query *query);

/*
 * The offset in the file that a query means, and its address, as the linker gave it; false for an address, and for an
 * offset, that is no code.
 */
bool worker_offset_of(const struct indexed_file *file, const struct wire_query *query, uint64_t *ret_offset);
bool worker_address_of(const struct indexed_file *file, const struct wire_query *query, uint64_t *ret_address);

/* A function of a file or of the kernel. */
struct worker_symbol {
	/* mangled; no text: the kernel's list has no function there. Points into `scratch` or the list */
	struct name name;
	uint64_t start; /* in the file; the kernel's: its address */
	unsigned int merit; /* enum symbol_merit */
};

/* How many a file has, and one of them, in the order of the table: those at one start with the best name last. */
size_t worker_nr_symbols(const struct indexed_file *file);
struct worker_symbol worker_symbol(const struct indexed_file *file, size_t i, char scratch[NAME_MAX_BYTES]);

/* ---- answers to one kind of question each, in a file of this name; worker_find.c has the first three ---- */

void worker_find(struct worker *worker, struct indexed_file *file);
void worker_find_usdt(struct worker *worker, struct indexed_file *file);
void worker_suggest(struct worker *worker, struct indexed_file *file);
void worker_explain(struct worker *worker, struct indexed_file *file);

/* Takes the places of MESSAGE_LINES, and answers when they are all there. */
void worker_lines(struct worker *worker);

/* Answers MESSAGE_UNWIND about the file of the descriptor. */
void worker_unwind(struct worker *worker, int fd);
