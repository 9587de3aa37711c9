/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the messages of a worker say, in the words of symbolize.h. The worker may have been taken over: every number is
 * checked, every string copied.
 */
#pragma once

#include "core/base/text_pool.h"
#include "core/base/vec.h"
#include "symbolize/symbolize.h"
#include "symbolize/worker/worker_protocol.h"

/*
 * How much text one answer may add. The pool lives as long as the run, in the privileged process: without a limit a
 * hostile file (each tail of its string table can be a name) or a hostile worker could fill the host's memory. The names
 * of the largest programs take a quarter of it.
 */
#define ANSWER_TEXT_MAX (256ull << 20)

/* An answer that comes in several messages; which of the vectors has elements depends on their kind. */
struct found {
	size_t nr_before; /* bytes of the pool when the answer began */
	VEC(struct symbol_function) functions;
	VEC(struct symbol_usdt) probes;
	VEC(struct symbol_line) lines;
	struct symbol_line_range *ranges; /* of the lines: one for each of the places asked about */
	size_t nr_places;
	const char *missing_split; /* as in symbol_lines */
	uint32_t nr_missing_splits;
};

/* Frees the vectors and the ranges. */
void found_done(struct found *found);

/* The answers to the first of `nr` queries. Returns how many those are, 0 for nonsense. */
size_t answers_names(const struct message *message, struct text_pool *texts, size_t nr,
		     struct symbol_answer *ret_answers);

/* The same without names, SYMBOL_NO_MEMORY in place of each: when no more text may be kept. */
size_t answers_none(const struct message *message, size_t nr, struct symbol_answer *ret_answers);

/*
 * Adds what one message says: MESSAGE_FUNCTIONS, MESSAGE_USDT or MESSAGE_SOURCES. 1 when more messages follow, 0, -EPROTO
 * for nonsense, -EMSGSIZE for too many elements or more text than ANSWER_TEXT_MAX, -ENOMEM, or the worker's errno.
 */
int answers_found(const struct message *message, struct text_pool *texts, struct found *found);

/* Up to `room` suggestions; returns how many. */
size_t answers_suggestions(const struct message *message, struct text_pool *texts, const char **ret_names, size_t room);
