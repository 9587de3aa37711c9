/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the messages of a worker say, in the words of symbolize.h. The worker may have been taken over: every number is
 * checked, every string copied.
 */
#pragma once

#include "core/base/vec.h"
#include "symbolize/symbolize.h"
#include "symbolize/text_pool.h"
#include "symbolize/worker_protocol.h"

struct found_functions {
	VEC(struct symbol_function) functions;
};

struct found_usdt {
	VEC(struct symbol_usdt) probes;
};

struct found_lines {
	VEC(struct symbol_line) lines;
	struct symbol_line_range *ranges;
};

/* The answers to the first of `nr` queries. Returns how many those are, 0 for nonsense. */
size_t answers_names(const struct message *message, struct text_pool *texts, size_t nr,
		     struct symbol_answer *ret_answers);

/* Adds the functions of one message. 1 when more messages follow, 0, -EPROTO for nonsense, or the worker's errno. */
int answers_functions(const struct message *message, struct text_pool *texts, struct found_functions *found);

/* The same for USDT probes. */
int answers_usdt(const struct message *message, struct text_pool *texts, struct found_usdt *found);

/* Adds the lines of one message about `nr` places, whose ranges are there; the same. */
int answers_lines(const struct message *message, struct text_pool *texts, size_t nr, struct found_lines *found);

/* Up to `room` suggestions; returns how many. */
size_t answers_suggestions(const struct message *message, struct text_pool *texts, const char **ret_names, size_t room);
