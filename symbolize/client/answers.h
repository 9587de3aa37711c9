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
 * What an answer adds to the texts that are kept. A pool lives as long as the run, in the process that has the
 * privileges: a file (its string table may be one text, with each of its ends a name) or a worker that was taken over
 * would else fill the memory of the host. The names of the largest programs are a quarter of it.
 */
#define ANSWER_TEXT_MAX (256ull << 20)

struct answer_size {
	bool is_begun;
	size_t nr_before; /* bytes of the pool */
};

struct found_functions {
	struct answer_size size;
	VEC(struct symbol_function) functions;
};

struct found_usdt {
	struct answer_size size;
	VEC(struct symbol_usdt) probes;
};

struct found_lines {
	struct answer_size size;
	VEC(struct symbol_line) lines;
	struct symbol_line_range *ranges;
	const char *missing_split; /* as in symbol_lines */
	uint32_t nr_missing_splits;
};

/* The answers to the first of `nr` queries. Returns how many those are, 0 for nonsense. */
size_t answers_names(const struct message *message, struct text_pool *texts, size_t nr,
		     struct symbol_answer *ret_answers);

/*
 * Adds the functions of one message. 1 when more messages follow, 0, -EPROTO for nonsense, -EMSGSIZE when they are too
 * many or their texts more than ANSWER_TEXT_MAX, or the worker's errno.
 */
int answers_functions(const struct message *message, struct text_pool *texts, struct found_functions *found);

/* The same for USDT probes. */
int answers_usdt(const struct message *message, struct text_pool *texts, struct found_usdt *found);

/* Adds the lines of one message about `nr` places, whose ranges are there; the same. */
int answers_lines(const struct message *message, struct text_pool *texts, size_t nr, struct found_lines *found);

/* Up to `room` suggestions; returns how many. */
size_t answers_suggestions(const struct message *message, struct text_pool *texts, const char **ret_names, size_t room);
