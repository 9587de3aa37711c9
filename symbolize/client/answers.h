/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks and copies the answers of a worker. A compromised worker may send anything: every number is checked, every string is copied. */
#pragma once

#include "core/base/text_pool.h"
#include "core/base/vec.h"
#include "symbolize/symbolize.h"
#include "symbolize/worker/worker_protocol.h"

/*
 * Limit of text in one answer. The pool is in the privileged process and lives as long as the run. Without a limit, a hostile file (each
 * tail of its string table can be a name) or worker could use up the host's memory. The names of the largest programs take a quarter of it.
 */
#define ANSWER_TEXT_MAX (256ull << 20)

/* An answer in several messages. Their kind decides which vector has elements. */
struct found {
	size_t nr_before; /* size of the pool when the answer began */
	VEC(struct symbol_function) functions;
	VEC(struct symbol_usdt) probes;
	VEC(struct symbol_end) ends;
	VEC(struct symbol_line) lines;
	struct symbol_line_range *ranges; /* for each place of the question, its lines */
	size_t nr_places;
	const char *missing_split; /* as in symbol_lines */
	uint32_t nr_missing_splits;
};

void found_done(struct found *found);

/* Takes the answers to the first of `nr` queries. Returns their number; 0: the message is malformed. */
size_t answers_names(const struct message *message, struct text_pool *texts, size_t nr,
		     struct symbol_answer *ret_answers);

/* The same, but SYMBOL_NO_MEMORY instead of names: no more text may be kept. */
size_t answers_none(const struct message *message, size_t nr, struct symbol_answer *ret_answers);

/*
 * Adds the contents of a message: MESSAGE_FUNCTIONS, MESSAGE_USDT, MESSAGE_ENDS or MESSAGE_SOURCES. Returns 1 if more messages follow, 0
 * after the last, -EPROTO for a malformed message, -EMSGSIZE for too many elements or too much text (ANSWER_TEXT_MAX), -ENOMEM, or the
 * worker's errno.
 */
int answers_found(const struct message *message, struct text_pool *texts, struct found *found);

/* Copies up to `room` suggestions. Returns how many. */
size_t answers_suggestions(const struct message *message, struct text_pool *texts, const char **ret_names, size_t room);
