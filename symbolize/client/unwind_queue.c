/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/client/unwind_queue.h"

#include <string.h>

#include "core/base/cleanup.h"

enum {
	/* Requests sent ahead of their answers: about as many as a program maps files while the caller is busy. */
	WINDOW = 32,
};

void unwind_queue_done(struct unwind_queue *queue)
{
	for (size_t i = 0; i < queue->requests.nr; i++) {
		closep(&queue->requests.data[i].fd);
		unwind_table_done(&queue->requests.data[i].table);
	}
	vec_done(&queue->requests);
	unwind_table_done(&queue->intake);
}

int unwind_queue_add(struct unwind_queue *queue, uint32_t number, int fd)
{
	struct unwind_request request = { .number = number, .fd = fd };
	int err = queue->requests.nr < UNWIND_REQUESTS_MAX ? vec_try_push(&queue->requests, request) : -EAGAIN;

	if (err)
		closep(&fd);
	return err;
}

static void finish(struct unwind_queue *queue, enum symbol_status status)
{
	struct unwind_request *request = &queue->requests.data[queue->nr_done++];

	closep(&request->fd);
	request->status = status;
	if (queue->nr_sent)
		queue->nr_sent--;
}

static struct unwind_request *first_sent(const struct unwind_queue *queue)
{
	return queue->nr_sent ? &queue->requests.data[queue->nr_done] : NULL;
}

int unwind_queue_send(struct unwind_queue *queue, int socket, struct draft *draft, uint64_t *sequence)
{
	while (queue->nr_sent < WINDOW && queue->nr_done + queue->nr_sent < queue->requests.nr) {
		struct unwind_request *request = &queue->requests.data[queue->nr_done + queue->nr_sent];
		int err;

		draft_start(draft, MESSAGE_UNWIND, request->number);
		err = draft_send(draft, socket, false, request->fd);
		if (err)
			return err == -EAGAIN ? 0 : err;
		request->sequence = ++*sequence;
		queue->nr_sent++;
	}
	return 0;
}

uint64_t unwind_queue_oldest(const struct unwind_queue *queue)
{
	const struct unwind_request *request = first_sent(queue);

	return request ? request->sequence : UINT64_MAX;
}

static void drop_intake(struct unwind_queue *queue)
{
	unwind_table_done(&queue->intake);
	queue->nr_taken = queue->nr_expected = 0;
}

void unwind_queue_restart(struct unwind_queue *queue, bool blame, enum symbol_status why)
{
	drop_intake(queue);
	if (blame && queue->nr_sent)
		finish(queue, why);
	queue->nr_sent = 0;
}

bool unwind_queue_note_short(struct unwind_queue *queue)
{
	struct unwind_request *request = first_sent(queue);

	if (!request || request->was_short)
		return false;
	return request->was_short = true;
}

void unwind_queue_give_up(struct unwind_queue *queue, enum symbol_status why)
{
	drop_intake(queue);
	while (queue->nr_done < queue->requests.nr)
		finish(queue, why);
}

bool unwind_queue_next(struct unwind_queue *queue, struct symbol_unwind *ret_unwind)
{
	struct unwind_request *request = queue->requests.data;

	if (!queue->nr_done)
		return false;
	*ret_unwind = (struct symbol_unwind){ request->number, request->status, request->table };
	queue->nr_done--;
	queue->requests.nr--;
	memmove(request, request + 1, queue->requests.nr * sizeof(*request));
	return true;
}

/* Reserves memory for the sizes that the worker claims; unused memory costs nothing. */
static int make_room(struct unwind_table *table, const struct wire_unwind *wire)
{
	int err;

	if (wire->nr_pages > UNWIND_PAGES_MAX || wire->nr_rows > UNWIND_ROWS_MAX || !wire->nr_rules ||
	    wire->nr_rules > UNWIND_TABLE_RULES_MAX)
		return -EPROTO;
	table->first_page = wire->first_page;
	table->nr_segments = wire->nr_segments;
	memcpy(table->segments, wire->segments, sizeof(table->segments));
	table->interpreter = wire->interpreter;
	table->facts = (struct unwind_facts){ wire->nr_functions, wire->nr_bad };
	err = vec_try_reserve(&table->pages, wire->nr_pages);
	err = err ?: vec_try_reserve(&table->rows, wire->nr_rows);
	err = err ?: vec_try_reserve(&table->rules, wire->nr_rules);
	table->pages.nr = wire->nr_pages;
	table->rows.nr = wire->nr_rows;
	table->rules.nr = wire->nr_rules;
	return err;
}

/* The text of a message ends with a NUL. */
static int take_needs(struct unwind_table *table, const struct message *message)
{
	const char *text = message_text(message, 0);

	return text ? vec_try_append(&table->needs, text, message->header.nr_text) : 0;
}

static int take_head(struct unwind_queue *queue, const struct message *message)
{
	struct unwind_request *request = first_sent(queue);
	struct wire_unwind wire;
	int err;

	if (!request || queue->nr_expected || message->header.file != request->number ||
	    message->header.status > SYMBOL_NO_DESCRIPTORS ||
	    (message->header.status == SYMBOL_OK) != (message->header.nr == 1))
		return -EPROTO;
	if (message->header.status != SYMBOL_OK) {
		finish(queue, (enum symbol_status)message->header.status);
		return take_needs(&request->table, message);
	}
	message_element(message, 0, &wire, sizeof(wire));
	err = make_room(&queue->intake, &wire);
	err = err ?: take_needs(&queue->intake, message);
	if (err)
		drop_intake(queue);
	else
		queue->nr_expected = unwind_table_bytes(&queue->intake);
	return err;
}

/* Copies the next bytes of the three arrays, which arrive one after the other; `nr_taken` have arrived. */
static void copy_part(struct unwind_queue *queue, const unsigned char *bytes, size_t nr)
{
	struct unwind_table *table = &queue->intake;
	const struct {
		void *data;
		size_t nr;
	} arrays[] = {
		{ table->pages.data, table->pages.nr * sizeof(*table->pages.data) },
		{ table->rows.data, table->rows.nr * sizeof(*table->rows.data) },
		{ table->rules.data, table->rules.nr * sizeof(*table->rules.data) },
	};
	size_t start = 0;

	for (size_t i = 0; i < sizeof(arrays) / sizeof(*arrays) && nr; i++) {
		size_t end = start + arrays[i].nr;

		if (queue->nr_taken < end) {
			size_t step = nr < end - queue->nr_taken ? nr : end - queue->nr_taken;

			memcpy((char *)arrays[i].data + (queue->nr_taken - start), bytes, step);
			queue->nr_taken += step;
			bytes += step;
			nr -= step;
		}
		start = end;
	}
}

static int take_part(struct unwind_queue *queue, const struct message *message)
{
	size_t nr = message->header.nr * sizeof(uint32_t);
	struct unwind_request *request = first_sent(queue);

	if (!request || !nr || nr > queue->nr_expected - queue->nr_taken)
		return -EPROTO;
	copy_part(queue, message->body, nr);
	if (queue->nr_taken < queue->nr_expected)
		return 0;
	if (!unwind_table_is_valid(&queue->intake))
		return -EPROTO;
	request->table = queue->intake;
	queue->intake = (struct unwind_table){};
	drop_intake(queue);
	finish(queue, SYMBOL_OK);
	return 0;
}

int unwind_queue_receive(struct unwind_queue *queue, const struct message *message)
{
	return message->header.kind == MESSAGE_UNWIND_TABLE ? take_head(queue, message) : take_part(queue, message);
}
