/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of the worker share: worker.c (the loop and names), worker_find.c (patterns and suggestions), worker_usdt.c. */
#pragma once

#include "symbolize/demangle.h"
#include "symbolize/kallsyms.h"
#include "symbolize/worker.h"
#include "symbolize/worker_files.h"
#include "symbolize/worker_protocol.h"

/* Names that are in the text of the present draft already, by a hash of where they come from. */
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
	enum symbol_status kernel_status;
	struct kallsyms kallsyms;
	struct recent_name recent[256];
	struct asked_places asked;
	struct message message;
	struct draft draft;
	char scratch[NAME_MAX_BYTES];
	char readable[DEMANGLED_MAX_BYTES];
};

/* Sends the draft; ends the worker when nobody is there any more. */
void worker_send(struct worker *worker);

/* The offset in the file that a query means; false for an address that is no code. */
bool worker_offset_of(const struct indexed_file *file, const struct wire_query *query, uint64_t *ret_offset);

/* Answer MESSAGE_FIND, MESSAGE_SUGGEST, MESSAGE_FIND_USDT and MESSAGE_EXPLAIN. */
void worker_find(struct worker *worker, struct indexed_file *file);
void worker_suggest(struct worker *worker, struct indexed_file *file);
void worker_find_usdt(struct worker *worker, struct indexed_file *file);
void worker_explain(struct worker *worker, struct indexed_file *file);

/*
 * Adds a name to the draft's text, once for all that have the same `of`; recent_names are forgotten with each new draft. False
 * when it does not fit.
 */
bool worker_add_name(struct worker *worker, const void *of, struct name name, bool is_mangled, uint32_t *ret_position);
void worker_forget_names(struct worker *worker);

/* The address that a query is about, as the linker gave it; false when it is not in code. */
bool worker_address_of(const struct indexed_file *file, const struct wire_query *query, uint64_t *ret_address);

/* Looks for the debug file of a file that may have one. */
void worker_complete(struct worker *worker, uint32_t number, struct indexed_file *file);

/*
 * Asks for a debug file of `number`, the first one from `candidate` on that may have the build id, or is where the link says. A
 * descriptor, or -1 when there are no more.
 */
int worker_ask_debug(struct worker *worker, uint32_t number, const struct build_id *build_id, const char *link,
		     uint32_t *candidate);

/* Takes the places of MESSAGE_LINES, and answers when they are all there. */
void worker_lines(struct worker *worker);

/* Answers MESSAGE_UNWIND about the file behind the descriptor. */
void worker_unwind(struct worker *worker, int fd);
