/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Questions to the worker of a file, and their answers. */
#pragma once

#include "symbolize/client/answers.h"
#include "symbolize/client/worker_link.h"

struct question {
	enum message_kind kind, answer;
	uint32_t request; /* `status` of the message: worker_protocol.h */
	const char *texts[2]; /* NULL: none */
	const struct symbol_query *queries;
	size_t nr;
	bool has_fd;
	int fd; /* borrowed */
};

/*
 * Sends a question, in as many messages as its places need, and waits for the first message of the answer. If another file caused the
 * loss of the worker, asks the next worker.
 */
enum symbol_status question_ask(struct handed_file *file, const struct question *question);

/* -ETIMEDOUT or -EIO: the worker failed; -ECHILD: no worker runs; -EBUSY: it is paused; -ETIME: the run is over. Else 0. */
int question_errno(enum symbol_status status);

/*
 * Asks, and reads an answer of several messages. A worker that sends a malformed or too large answer is replaced. So is
 * one whose answer could not be read to its end, because the rest would be mistaken for the next answer. 0; -EMSGSIZE for an answer that is
 * too large; -ENOEXEC for a file that cannot be read; -ENOMEM; an errno of the worker; or one of question_errno().
 */
int question_find(struct handed_file *file, const struct question *question, struct found *found);
