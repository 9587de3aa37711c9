/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/client/questions.h"

#include <string.h>

enum {
	PLACES_MAX = MESSAGE_ELEMENTS_MAX_BYTES / sizeof(struct wire_query), /* in one message */
};

static enum symbol_status ask_once(struct handed_file *file, const struct question *question)
{
	struct worker_link *link = file->link;
	enum symbol_status status = SYMBOL_OK;
	struct draft *draft = &link->shared->draft;
	size_t nr_sent = 0;
	uint32_t unused;

	while (status == SYMBOL_OK) {
		draft_start(draft, question->kind, file->number);
		draft->header.status = question->request;
		for (int i = 0; i < 2 && question->texts[i]; i++)
			if (!draft_text(draft, question->texts[i], strlen(question->texts[i]), &unused))
				return SYMBOL_NOT_FOUND;
		for (size_t i = 0; i < PLACES_MAX && nr_sent < question->nr; i++, nr_sent++) {
			const struct symbol_query *query = &question->queries[nr_sent];
			struct wire_query wire = { query->where, query->exact, query->linked };

			draft_element(draft, &wire, sizeof(wire));
		}
		draft->header.more = nr_sent < question->nr;
		if (!draft->header.more)
			return worker_link_ask(link, file, question->answer, question->has_fd ? question->fd : -1);
		status = worker_link_send(link, file);
	}
	return status;
}

enum symbol_status question_ask(struct handed_file *file, const struct question *question)
{
	enum symbol_status status;

	do {
		status = worker_link_index(file->link, file);
		if (status != SYMBOL_OK)
			break;
		status = ask_once(file, question);
	} while (status != SYMBOL_OK && status != SYMBOL_NOT_FOUND && file->state != HANDED_REFUSED);
	return status;
}

int question_errno(enum symbol_status status)
{
	switch (status) {
	case SYMBOL_TIMEOUT:
		return -ETIMEDOUT;
	case SYMBOL_WORKER_DIED:
		return -EIO;
	case SYMBOL_NOT_STARTED:
		return -ECHILD;
	case SYMBOL_LATE:
		return -ETIME;
	case SYMBOL_PAUSED:
		return -EBUSY;
	default:
		return 0;
	}
}

int question_find(struct handed_file *file, const struct question *question, struct found *found)
{
	struct worker_link *link = file->link;
	const struct message *message = &link->shared->message;
	bool stays = question->kind != MESSAGE_LINES;
	struct text_pool *texts = stays ? &link->shared->texts : &link->shared->names;
	enum symbol_status status = question_ask(file, question);
	bool is_cut;
	int taken = 0;

	if (status == SYMBOL_OK && (message->header.status == ENOMEM || message->header.status == EMFILE) &&
	    worker_link_relieve(link, file))
		status = question_ask(file, question);
	found->nr_before = texts->nr_bytes;
	while (status == SYMBOL_OK && (taken = answers_found(message, texts, found)) == 1)
		status = worker_link_next(link, file, question->answer);
	is_cut = status == SYMBOL_OK && taken < 0 && taken != -EPROTO && message->header.more;
	if (is_cut || taken == -EPROTO || taken == -EMSGSIZE)
		status = worker_link_distrust(link, file);
	if (!is_cut && taken != -EMSGSIZE && status != SYMBOL_OK)
		taken = question_errno(status) ?: -ENOEXEC;
	if (taken)
		found_done(found);
	return taken;
}
