/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the parts of the worker share: worker.c (the loop and names), worker_find.c (patterns and suggestions) and the
 * rest.
 */
#pragma once

#include "core/base/match.h"
#include "symbolize/kernel/kallsyms.h"
#include "symbolize/worker/demangle.h"
#include "symbolize/worker/worker.h"
#include "symbolize/worker/worker_files.h"
#include "symbolize/worker/worker_protocol.h"

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

/* Names that are near a word, the best first. */
enum {
	SUGGESTIONS_MAX = 8
};

struct suggestion {
	unsigned int distance;
	uint32_t symbol;
};

struct suggestions {
	struct suggestion best[SUGGESTIONS_MAX];
	size_t nr;
};

/* Sends the draft; ends the worker when nobody is there any more. */
void worker_send(struct worker *worker);

/* The place that a query means: a call is the last byte before its return address. */
uint64_t worker_place_of(const struct wire_query *query);

/* The offset in the file that a query means; false for an address that is no code. */
bool worker_offset_of(const struct indexed_file *file, const struct wire_query *query, uint64_t *ret_offset);

/* Answer MESSAGE_FIND, MESSAGE_SUGGEST, MESSAGE_FIND_USDT and MESSAGE_EXPLAIN. */
void worker_find(struct worker *worker, struct indexed_file *file);
void worker_suggest(struct worker *worker, struct indexed_file *file);
void worker_find_usdt(struct worker *worker, struct indexed_file *file);
void worker_explain(struct worker *worker, struct indexed_file *file);

/* MESSAGE_KERNEL, which takes ownership of the descriptor; the same questions about the kernel, and its names. */
void worker_take_kernel(struct worker *worker, int fd);
void worker_answer_about_kernel(struct worker *worker);
bool worker_name_in_kernel(struct worker *worker, struct indexed_file *none, const struct wire_query *query,
			   struct wire_answer *ret_answer);

/* ---- for both ---- */

/* Whether a name matches, as it stands or demangled. */
bool worker_matches(struct worker *worker, const struct match *match, struct name name);

/* Adds to the draft, MESSAGE_FUNCTIONS; sends that first when it is full. */
void worker_add_function(struct worker *worker, struct wire_function function, struct name name);

/* Answers with an errno alone. */
void worker_send_failure(struct worker *worker, enum message_kind kind, int err);

/* Keeps a name among the suggestions if it is near enough to the word. */
void worker_consider(struct suggestions *suggestions, const char *word, struct name name, uint32_t symbol);

/* Adds to the draft, MESSAGE_SUGGESTIONS: a text, or a sentence of worker_explain(). What does not fit is left out. */
void worker_add_text(struct worker *worker, struct name text);
__attribute__((format(printf, 2, 3))) void worker_tell(struct worker *worker, const char *format, ...);

/*
 * Adds a name to the draft's text, once for all that have the same `of`; recent_names are forgotten with each new
 * draft. False when it does not fit.
 */
bool worker_add_name(struct worker *worker, const void *of, struct name name, bool is_mangled, uint32_t *ret_position);
void worker_forget_names(struct worker *worker);

/* The address that a query is about, as the linker gave it; false when it is not in code. */
bool worker_address_of(const struct indexed_file *file, const struct wire_query *query, uint64_t *ret_address);

/* Looks for the debug file of a file that may have one. */
void worker_complete(struct worker *worker, uint32_t number, struct indexed_file *file);

/*
 * Asks for a debug file of `number`, the first one from `candidate` on that may have the build id, or is where the link
 * says. A descriptor, or -1 when there are no more.
 */
int worker_ask_debug(struct worker *worker, uint32_t number, const struct build_id *build_id, const char *link,
		     uint32_t *candidate);

/* Takes the places of MESSAGE_LINES, and answers when they are all there. */
void worker_lines(struct worker *worker);

/* Answers MESSAGE_UNWIND about the file behind the descriptor. */
void worker_unwind(struct worker *worker, int fd);
