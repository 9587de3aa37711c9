/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "symbolize/client/answers.h"
#include "symbolize/client/worker_link.h"

struct question {
	enum message_kind kind, answer;
	uint32_t request; /* `status` of the message: symbolize/worker/worker_protocol.h */
	const char *texts[2]; /* NULL: none */
	const struct symbol_query *queries;
	size_t nr;
	bool has_fd;
	int fd; /* borrowed */
};

/*
 * Sends a question, in as many messages as its places need, and waits for the first message of the answer. If the worker is lost because of
 * another file, asks the next worker.
 */
enum symbol_status question_ask(struct handed_file *file, const struct question *question);

/* -ETIMEDOUT or -EIO: the worker failed; -ECHILD: no worker runs; -EBUSY: the worker is paused; -ETIME: the run is over. Otherwise 0. */
int question_errno(enum symbol_status status);

/*
 * Asks, and reads an answer of several messages. Replaces a worker whose answer is malformed or too large, or was not read to its end: the
 * rest would be taken for the next answer. Returns 0, -EMSGSIZE (too large), -ENOEXEC (unreadable file), -ENOMEM, an errno of the worker,
 * or that of question_errno().
 */
int question_find(struct handed_file *file, const struct question *question, struct found *found);
