/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of the caller's side share: symbolizer.c (the rest) and symbolizer_lines.c. */
#pragma once

#include "symbolize/client/worker_link.h"

struct symbolizer {
	struct worker_link link; /* first: tests put a worker of their own into it */
	char last_end[64];
};

/*
 * Ends a question whose last message was taken with this result (answers.h): a worker that said nonsense, or too much,
 * is replaced, as is one whose answer we could not take to its end. What symbolizer_find() and its like return.
 */
int symbolizer_end_answer(struct worker_link *link, struct handed_file *file, enum symbol_status status, int taken);

/* -ETIMEDOUT or -EIO for a worker that broke, -ECHILD where there is none, else 0. */
int symbolizer_errno_of(enum symbol_status status);
