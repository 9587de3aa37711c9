/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/client/worker_link.h"

#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/base/waiting.h"
#include "symbolize/client/worker_life.h"
#include "symbolize/elf/debug_link.h"
#include "symbolize/worker/sandbox.h"

enum {
	WINDOW = 32,          /* files sent ahead of acknowledgements */
	DEBUG_CANDIDATES_MAX = 64,
	SPLITS_MAX = 1 << 20, /* for a program with 10,000, all requested again in each interval */
	LOOK_AT_CPU_MS = 100, /* distance of checks of a worker's CPU time */
	DROP_MS = 100,
	PATIENCE = 3,         /* limit of a request while files are being indexed, in timeouts */
};

/* Sends waiting files, as far as window and socket allow. Not during a question: symbolize/worker/worker.c. */
static int send_waiting(struct worker_link *link)
{
	for (uint32_t i = 0; i < link->files.nr && link->sent.nr < WINDOW; i++) {
		struct handed_file *file = &link->files.data[i];
		int err;

		if (file->state != HANDED_WAITING)
			continue;
		err = vec_try_push(&link->sent, i);
		if (err)
			return err;
		draft_start(&link->shared->draft, MESSAGE_FILE, file->number);
		link->shared->draft.header.more = file->kind;
		err = draft_send(&link->shared->draft, link->socket, false, file->fd);
		if (err) {
			link->sent.nr--;
			return err == -EAGAIN ? 0 : err;
		}
		file->state = HANDED_SENT;
		file->sequence = ++link->nr_messages;
	}
	return 0;
}

/* Sends tables first: events wait for them, but names are needed only at the end. */
static int send_all(struct worker_link *link)
{
	if (unwind_queue_oldest(&link->unwinds) == UINT64_MAX)
		link->heard_ms = link_now_ms();
	return unwind_queue_send(&link->unwinds, link->socket, &link->shared->draft, &link->nr_messages)
		       ?: send_waiting(link);
}

static bool is_build_id(const char *text)
{
	size_t length = strspn(text, "0123456789abcdef");

	return !text[length] && length % 2 == 0 && length < 130;
}

static bool is_short(uint32_t status)
{
	return status == SYMBOL_NO_MEMORY || status == SYMBOL_NO_DESCRIPTORS;
}

/* -ENOBUFS: another worker should try. */
static int take_table(struct worker_link *link)
{
	const struct message *message = &link->shared->message;

	if (message->header.kind == MESSAGE_UNWIND_TABLE)
		link->nr_read++;
	if (message->header.kind == MESSAGE_UNWIND_TABLE && is_short(message->header.status) &&
	    link_may_be_relieved(link) && unwind_queue_note_short(&link->unwinds))
		return -ENOBUFS;
	return unwind_queue_receive(&link->unwinds, message);
}

/* Takes an acknowledgement. One that is out of order is an error: the worker is not trusted any more. */
static int take_indexed(struct worker_link *link)
{
	const char *build_id = message_text(&link->shared->message, 0);
	struct handed_file *file = link_first_sent(link);
	uint32_t status = link->shared->message.header.status;

	if (!file || file->number != link->shared->message.header.file || status > SYMBOL_NO_DESCRIPTORS || !build_id ||
	    !is_build_id(build_id))
		return -EPROTO;
	link->nr_read++;
	if (is_short(status) && !file->was_short && link_may_be_relieved(link)) {
		file->was_short = true;
		return -ENOBUFS;
	}
	free(file->build_id);
	file->build_id = strdup(build_id);
	file->state = HANDED_INDEXED;
	file->status = (enum symbol_status)status;
	closep(&file->fd);
	link->sent.nr--;
	memmove(link->sent.data, link->sent.data + 1, link->sent.nr * sizeof(*link->sent.data));
	return 0;
}

/* Reads the worker's request for a debug file. False if it is malformed. */
static bool take_request(const struct worker_link *link, struct symbol_debug_request *ret_request)
{
	const char *build_id = message_text(&link->shared->message, 0);
	const char *name = build_id ? message_text(&link->shared->message, (uint32_t)strlen(build_id) + 1) : NULL;

	if (!name || !is_build_id(build_id) ||
	    (*name && !debug_link_is_plain(name) && !debug_link_is_alternate(name) && !debug_link_is_split(name)) ||
	    !(*name || *build_id))
		return false;
	*ret_request = (struct symbol_debug_request){ build_id, name, link->shared->message.header.status };
	return true;
}

/* Gives a debug file, only for the file of the question, and a limited number of times. */
static int give_debug(struct worker_link *link, struct handed_file *asked)
{
	struct symbol_debug_request request;
	_cleanup_(closep) int fd = -1;
	_cleanup_(freep) struct draft *draft = NULL;

	if (!asked || !link->shared->options.open_debug || asked->number != link->shared->message.header.file ||
	    !take_request(link, &request))
		return -EPROTO;
	if (debug_link_is_split(request.link) ? asked->nr_splits_given++ >= SPLITS_MAX
					      : asked->nr_debug_given++ >= DEBUG_CANDIDATES_MAX)
		return -EPROTO;
	fd = link->shared->options.open_debug(link->shared->options.context, asked->number, &request);
	draft = malloc(sizeof(*draft)); /* link->shared->draft may contain the rest of a question */
	if (!draft)
		return -ENOMEM;
	draft_start(draft, MESSAGE_DEBUG, asked->number);
	draft->header.status = request.candidate;
	return draft_send(draft, link->socket, false, fd);
}

/* Resets the CPU limit of a worker that has sent something, if half of it is used. */
static void grant_cpu(struct worker_link *link)
{
	int64_t used_ms;

	if (link->heard_ms - link->looked_ms < LOOK_AT_CPU_MS)
		return;
	link->looked_ms = link->heard_ms;
	used_ms = link->pid > 0 ? sandbox_cpu_ms(link->pid) : 0;
	if (used_ms - link->granted_ms >= (int64_t)link->shared->options.cpu_seconds * 500 &&
	    !supervisor_grant_cpu(&link->shared->supervisor, (unsigned int)link->slot))
		link->granted_ms = used_ms;
}

/* Receives one message. Returns 1 if its kind is `answer`, 0 if it was of another kind and has been handled, or an error. */
static int take_message(struct worker_link *link, struct handed_file *asked, enum message_kind answer)
{
	int err = message_receive(link->socket, false, &link->shared->message, NULL);

	if (err)
		return err;
	link->heard_ms = link_now_ms();
	grant_cpu(link);
	switch (link->shared->message.header.kind) {
	case MESSAGE_INDEXED:
		return take_indexed(link);
	case MESSAGE_UNWIND_TABLE:
	case MESSAGE_UNWIND_PART:
		return take_table(link);
	case MESSAGE_WANT_DEBUG:
		return give_debug(link, asked);
	default:
		return answer != MESSAGE_NONE && link->shared->message.header.kind == answer ? 1 : -EPROTO;
	}
}

static int wait_ready(const struct worker_link *link, short events, int64_t deadline)
{
	int64_t left = deadline - link_now_ms();

	return left > 0 ? waiting_poll(link->socket, events, left) : -ETIMEDOUT;
}

static bool has_work(const struct worker_link *link)
{
	bool any = link->is_asked || link->unwinds.nr_done < link->unwinds.requests.nr;

	for (size_t i = 0; i < link->files.nr && !any; i++)
		any = link->files.data[i].state == HANDED_WAITING;
	return any;
}

static enum symbol_status lose_for(struct worker_link *link, int err, struct handed_file *asked)
{
	if (err != -ENOBUFS)
		return link_lose_worker(link, err == -ETIMEDOUT ? SYMBOL_TIMEOUT : SYMBOL_WORKER_DIED, asked);
	link_replace_worker(link);
	return SYMBOL_NO_MEMORY;
}

void worker_link_pump(struct worker_link *link)
{
	int err = 0;

	if (!has_work(link) || !worker_link_is_up(link, 0))
		return;
	while (!err)
		err = take_message(link, NULL, MESSAGE_NONE);
	if (err == -EAGAIN)
		err = send_all(link);
	if (err)
		lose_for(link, err, NULL);
}

/* Time limit of a request. It restarts when a file has been indexed, because a long queue is not a hang, but not beyond `end`. */
struct wait_limit {
	int64_t deadline, end;
};

static struct wait_limit wait_limit_new(const struct worker_link *link)
{
	int64_t now = link_now_ms(), timeout = link->shared->options.timeout_ms;

	return (struct wait_limit){ now + timeout, now + PATIENCE * timeout };
}

static void wait_limit_renew(struct wait_limit *limit, const struct worker_link *link)
{
	int64_t deadline = link_now_ms() + link->shared->options.timeout_ms;

	limit->deadline = deadline < limit->end ? deadline : limit->end;
}

/* Waits until the file has left the queue, or the worker is lost. */
static int wait_indexed(struct worker_link *link, const struct handed_file *file)
{
	struct wait_limit limit = wait_limit_new(link);
	int err = 0;

	while (!err && (file->state == HANDED_WAITING || file->state == HANDED_SENT)) {
		err = send_all(link);
		err = err ?: take_message(link, NULL, MESSAGE_NONE);
		if (!err)
			wait_limit_renew(&limit, link);
		else if (err == -EAGAIN)
			err = wait_ready(link, link->sent.nr ? POLLIN : POLLOUT, limit.deadline);
	}
	return err;
}

static enum symbol_status index_file(struct worker_link *link, struct handed_file *file)
{
	if (worker_link_is_paused(link) && file->state != HANDED_REFUSED && file->state != HANDED_INDEXED)
		return link->paused_why;
	link->used_ms = link_now_ms();
	if (file->state == HANDED_LOST) {
		file->fd = link->shared->options.open_again
				   ? link->shared->options.open_again(link->shared->options.context, file->number)
				   : -1;
		file->state = file->fd < 0 ? HANDED_REFUSED : HANDED_WAITING;
	}
	while (file->state == HANDED_WAITING || file->state == HANDED_SENT) {
		int err;

		if (!worker_link_is_up(link, START_TIMEOUT_MS))
			return link->paused_why;
		err = wait_indexed(link, file);
		if (err)
			lose_for(link, err, NULL);
		if (file->state == HANDED_LOST)
			return link->paused_why;
	}
	return file->status;
}

enum symbol_status worker_link_next(struct worker_link *link, struct handed_file *file, enum message_kind answer)
{
	struct wait_limit limit = wait_limit_new(link);
	int taken;

	if (answer == MESSAGE_SOURCES) /* the question covers all places of a file */
		limit.deadline = limit.end;
	for (;;) {
		taken = take_message(link, file, answer);
		if (taken == 1)
			return SYMBOL_OK;
		if (!taken) {
			wait_limit_renew(&limit, link);
			continue;
		}
		if (taken == -EAGAIN)
			taken = wait_ready(link, POLLIN, limit.deadline);
		if (taken)
			return lose_for(link, taken, file);
	}
}

/* Sends link->shared->draft; waits for room in the socket. */
static enum symbol_status send_question(struct worker_link *link, struct handed_file *file, int fd)
{
	struct wait_limit limit = wait_limit_new(link);

	for (;;) {
		int err = draft_send(&link->shared->draft, link->socket, false, fd);

		if (!err)
			return SYMBOL_OK;
		if (err == -EAGAIN)
			err = wait_ready(link, POLLOUT, limit.deadline);
		if (err)
			return lose_for(link, err, file);
	}
}

/* Keeps the descriptor: each worker reads the kernel's list anew. */
static enum symbol_status send_kernel(struct worker_link *link)
{
	struct handed_file *kernel = &link->kernel;
	enum symbol_status status;

	if (kernel->state != HANDED_WAITING)
		return kernel->status;
	if (!worker_link_is_up(link, START_TIMEOUT_MS))
		return link->paused_why;
	draft_start(&link->shared->draft, MESSAGE_KERNEL, 0);
	status = send_question(link, kernel, kernel->fd);
	if (status == SYMBOL_OK)
		kernel->state = HANDED_INDEXED;
	return status;
}

/* Waits only briefly: -ETIMEDOUT if the worker does not read. */
static int send_drop(struct worker_link *link, uint32_t number)
{
	int64_t deadline = link_now_ms() + DROP_MS;
	int err;

	draft_start(&link->shared->draft, MESSAGE_DROP, number);
	do
		err = draft_send(&link->shared->draft, link->socket, false, -1);
	while (err == -EAGAIN && !(err = wait_ready(link, POLLOUT, deadline)));
	return err;
}

/* Waits for the acknowledgement of a sent file: the queue of acknowledgements has no gaps. */
void worker_link_drop(struct worker_link *link, struct handed_file *file)
{
	if (file->state == HANDED_SENT)
		worker_link_index(link, file);
	if (file->state == HANDED_SENT) /* the run has ended, so nothing waits for acknowledgements */
		return;
	if (file->state == HANDED_INDEXED && link->socket >= 0 && send_drop(link, file->number) == -ETIMEDOUT)
		link_replace_worker(link); /* the new worker does not have the file */
	link_refuse(file, SYMBOL_NO_FILE);
	free(file->build_id);
	file->build_id = NULL;
	file->state = HANDED_DROPPED;
}

enum symbol_status worker_link_index(struct worker_link *link, struct handed_file *file)
{
	if (waiting_has_ended() && file->state != HANDED_REFUSED && file->state != HANDED_DROPPED)
		return SYMBOL_LATE;
	worker_link_pump(link); /* first notices a dead worker, so that this file is not blamed */
	return file == &link->kernel ? send_kernel(link) : index_file(link, file);
}

enum symbol_status worker_link_send(struct worker_link *link, struct handed_file *file)
{
	return send_question(link, file, -1);
}

enum symbol_status worker_link_ask(struct worker_link *link, struct handed_file *file, enum message_kind answer, int fd)
{
	enum symbol_status status = send_question(link, file, fd);

	return status == SYMBOL_OK ? worker_link_next(link, file, answer) : status;
}

/* A worker that has sent nothing for the time of a request hangs. */
bool worker_link_next_unwind(struct worker_link *link, struct symbol_unwind *ret_unwind)
{
	worker_link_pump(link);
	if (link->socket >= 0 && link->unwinds.nr_sent &&
	    link_now_ms() >= link->heard_ms + link->shared->options.timeout_ms)
		lose_for(link, -ETIMEDOUT, NULL);
	return unwind_queue_next(&link->unwinds, ret_unwind);
}
