/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/client/worker_link.h"

#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/base/waiting.h"
#include "symbolize/elf/debug_link.h"
#include "symbolize/worker/sandbox.h"

enum {
	STARTS_MAX = 4,       /* the first worker and three more */
	WINDOW = 32,          /* files sent ahead of acknowledgements */
	DEBUG_CANDIDATES_MAX = 64,
	SPLITS_MAX = 1 << 20, /* a program may have 10,000, which a report with intervals asks for again and again */
	FORGIVEN_MS = 600000, /* a worker that lived so long was no one's victim: replacements are counted anew */
	CPU_SECONDS = 60,     /* until the worker has to have answered: slow machines under emulation still finish */
	LOOK_AT_CPU_MS = 100, /* how often it is looked at what it has used */
	PATIENCE = 3,         /* a request may take this many timeouts as long as files get indexed meanwhile */
};

static int64_t now_ms(void)
{
	return (int64_t)(clock_monotonic_ns() / NSEC_PER_MSEC);
}

int worker_link_open(struct worker_link *link, const struct symbolizer_options *options)
{
	struct worker_options worker_options = {
		.no_demangle = options->no_demangle,
		.ask_debug = options->open_debug,
		.identify_only = options->identify_only,
		.lines = options->lines,
		.cpu_seconds = options->cpu_seconds ?: CPU_SECONDS,
	};

	link->options = *options;
	link->options.cpu_seconds = worker_options.cpu_seconds;
	if (!link->options.timeout_ms)
		link->options.timeout_ms = 10000;
	link->supervisor = SUPERVISOR_NONE;
	link->last_end = WORKER_END_UNKNOWN;
	link->socket = link->pid = -1;
	link->kernel = (struct handed_file){
		.number = SYMBOL_KERNEL, .fd = -1, .state = HANDED_REFUSED, .status = SYMBOL_NO_FILE
	};
	return supervisor_start(&link->supervisor, &worker_options);
}

void worker_link_close(struct worker_link *link)
{
	closep(&link->socket);
	supervisor_stop(&link->supervisor);
	for (size_t i = 0; i < link->files.nr; i++)
		closep(&link->files.data[i].fd);
	closep(&link->kernel.fd);
	unwind_queue_done(&link->unwinds);
	vec_done(&link->files);
	vec_done(&link->aliases);
	vec_done(&link->sent);
	text_pool_done(&link->texts);
}

struct handed_file *worker_link_file(struct worker_link *link, uint32_t number)
{
	if (number == SYMBOL_KERNEL)
		return &link->kernel;
	for (size_t i = 0; i < link->aliases.nr; i++)
		if (link->aliases.data[i].number == number) {
			number = link->aliases.data[i].known;
			break;
		}
	for (size_t i = 0; i < link->files.nr; i++)
		if (link->files.data[i].number == number)
			return &link->files.data[i];
	return NULL;
}

/* ---- the worker's life ---- */

static void refuse(struct handed_file *file, enum symbol_status why)
{
	closep(&file->fd);
	file->state = HANDED_REFUSED;
	file->status = why;
}

static void give_up(struct worker_link *link, enum symbol_status why)
{
	link->gave_up = why;
	unwind_queue_give_up(&link->unwinds, why);
	supervisor_stop(&link->supervisor);
}

/* Whether the worker has closed its end, which it does by ending alone. */
static bool has_ended(const struct worker_link *link)
{
	struct pollfd worker = { .fd = link->socket };

	return poll(&worker, 1, 0) == 1 && worker.revents & POLLHUP;
}

/* The file that was sent first of those that are not acknowledged, or NULL. */
static struct handed_file *first_sent(const struct worker_link *link)
{
	return link->sent.nr ? &link->files.data[link->sent.data[0]] : NULL;
}

/* The worker is of no use any more: returns why. What was sent first is to blame, a file or a table, else `asked` (or NULL). */
static enum symbol_status lose_worker(struct worker_link *link, enum symbol_status why, struct handed_file *asked)
{
	struct handed_file *oldest = first_sent(link), *culprit = oldest ?: asked;
	bool is_table = unwind_queue_oldest(&link->unwinds) < (oldest ? oldest->sequence : UINT64_MAX);
	bool ended = has_ended(link);

	if (waiting_has_ended()) { /* nobody is to blame, and nobody will wait for another worker */
		closep(&link->socket);
		link->pid = -1;
		give_up(link, SYMBOL_LATE);
		return SYMBOL_LATE;
	}
	closep(&link->socket);
	link->pid = -1;
	for (size_t i = 0; i < link->files.nr; i++) {
		struct handed_file *file = &link->files.data[i];

		if (file->state == HANDED_SENT)
			file->state = HANDED_WAITING;
		else if (file->state == HANDED_INDEXED && file->status == SYMBOL_OK)
			*file = (struct handed_file){
				.number = file->number,
				.fd = -1,
				.state = HANDED_LOST,
				.status = why,
				.kind = file->kind,
				.build_id = file->build_id,
			};
	}
	if (link->kernel.state == HANDED_INDEXED)
		link->kernel.state = HANDED_WAITING;
	link->sent.nr = 0;
	unwind_queue_restart(&link->unwinds, is_table, why);
	if (culprit && !is_table)
		refuse(culprit, why);
	if (now_ms() - link->started_ms >= FORGIVEN_MS)
		link->nr_starts = 1;
	/* The supervisor ends the old one, which may hang, before it starts the next. */
	if (link->nr_starts >= STARTS_MAX || supervisor_ask_worker(&link->supervisor, ended))
		give_up(link, SYMBOL_WORKER_DIED);
	return why;
}

enum symbol_status worker_link_distrust(struct worker_link *link, struct handed_file *file)
{
	return lose_worker(link, SYMBOL_WORKER_DIED, file);
}

bool worker_link_is_up(struct worker_link *link, int timeout_ms)
{
	struct supervisor_answer answer;
	int err;

	if (link->socket >= 0)
		return true;
	if (link->gave_up != SYMBOL_OK)
		return false;
	err = supervisor_get_worker(&link->supervisor, timeout_ms, &answer);
	if (answer.last_end != WORKER_END_UNKNOWN)
		link->last_end = answer.last_end;
	if (!err) {
		link->pid = answer.pid;
		link->socket = answer.socket;
		link->nr_starts++;
		link->granted_ms = 0;
		link->heard_ms = link->started_ms = now_ms();
	} else if (err != -ETIMEDOUT || timeout_ms) {
		link->start_err = err;
		give_up(link, err == -ECANCELED ? SYMBOL_LATE : SYMBOL_NOT_STARTED);
	}
	return !err;
}

/* ---- one step of the conversation ---- */

/* Sends waiting files as far as the window and the socket allow. Not while a question is open: see worker.c. */
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
		draft_start(&link->draft, MESSAGE_FILE, file->number);
		link->draft.header.more = file->kind;
		err = draft_send(&link->draft, link->socket, false, file->fd);
		if (err) {
			link->sent.nr--;
			return err == -EAGAIN ? 0 : err;
		}
		file->state = HANDED_SENT;
		file->sequence = ++link->nr_messages;
	}
	return 0;
}

/* Tables first: events wait for them, names are not needed before the end. */
static int send_all(struct worker_link *link)
{
	if (unwind_queue_oldest(&link->unwinds) == UINT64_MAX)
		link->heard_ms = now_ms();
	return unwind_queue_send(&link->unwinds, link->socket, &link->draft, &link->nr_messages) ?: send_waiting(link);
}

static bool is_build_id(const char *text)
{
	size_t length = strspn(text, "0123456789abcdef");

	return !text[length] && length % 2 == 0 && length < 130;
}

/* The worker acknowledges files in the order in which it got them; anything else is not our worker any more. */
static int take_indexed(struct worker_link *link)
{
	const char *build_id = message_text(&link->message, 0);
	struct handed_file *file = first_sent(link);
	uint32_t status = link->message.header.status;

	if (!file || file->number != link->message.header.file || status > SYMBOL_NO_DESCRIPTORS || !build_id ||
	    !is_build_id(build_id))
		return -EPROTO;
	file->build_id = text_pool_add(&link->texts, build_id);
	file->state = HANDED_INDEXED;
	file->status = (enum symbol_status)status;
	closep(&file->fd);
	link->sent.nr--;
	memmove(link->sent.data, link->sent.data + 1, link->sent.nr * sizeof(*link->sent.data));
	return 0;
}

/* What the worker asks for; false when it makes no sense. */
static bool take_request(const struct worker_link *link, struct symbol_debug_request *ret_request)
{
	const char *build_id = message_text(&link->message, 0);
	const char *name = build_id ? message_text(&link->message, (uint32_t)strlen(build_id) + 1) : NULL;

	if (!name || !is_build_id(build_id) ||
	    (*name && !debug_link_is_plain(name) && !debug_link_is_alternate(name) && !debug_link_is_split(name)) ||
	    !(*name || *build_id))
		return false;
	*ret_request = (struct symbol_debug_request){ build_id, name, link->message.header.status };
	return true;
}

/* Only the file that a question is about may ask for its debug file, and not for ever. */
static int give_debug(struct worker_link *link, struct handed_file *asked)
{
	struct symbol_debug_request request;
	_cleanup_(closep) int fd = -1;
	_cleanup_(freep) struct draft *draft = NULL;

	if (!asked || !link->options.open_debug || asked->number != link->message.header.file ||
	    !take_request(link, &request))
		return -EPROTO;
	if (debug_link_is_split(request.link) ? asked->nr_splits_given++ >= SPLITS_MAX
					      : asked->nr_debug_given++ >= DEBUG_CANDIDATES_MAX)
		return -EPROTO;
	fd = link->options.open_debug(link->options.context, asked->number, &request);
	draft = malloc(sizeof(*draft)); /* link->draft may hold the rest of a question */
	if (!draft)
		return -ENOMEM;
	draft_start(draft, MESSAGE_DEBUG, asked->number);
	draft->header.status = request.candidate;
	return draft_send(draft, link->socket, false, fd);
}

/* A worker that answers may go on: what it used so far is forgiven when half of what it may use is gone. */
static void grant_cpu(struct worker_link *link)
{
	int64_t used_ms;

	if (link->heard_ms - link->looked_ms < LOOK_AT_CPU_MS)
		return;
	link->looked_ms = link->heard_ms;
	used_ms = link->pid > 0 ? sandbox_cpu_ms(link->pid) : 0;
	if (used_ms - link->granted_ms >= (int64_t)link->options.cpu_seconds * 500 &&
	    !supervisor_grant_cpu(&link->supervisor))
		link->granted_ms = used_ms;
}

/* Receives one message. 1: it is of the kind `answer`; 0: it was something else, and is dealt with; or an error. */
static int take_message(struct worker_link *link, struct handed_file *asked, enum message_kind answer)
{
	int err = message_receive(link->socket, false, &link->message, NULL);

	if (err)
		return err;
	link->heard_ms = now_ms();
	grant_cpu(link);
	switch (link->message.header.kind) {
	case MESSAGE_INDEXED:
		return take_indexed(link);
	case MESSAGE_UNWIND_TABLE:
	case MESSAGE_UNWIND_PART:
		return unwind_queue_receive(&link->unwinds, &link->message);
	case MESSAGE_WANT_DEBUG:
		return give_debug(link, asked);
	default:
		return answer != MESSAGE_NONE && link->message.header.kind == answer ? 1 : -EPROTO;
	}
}

static int wait_ready(const struct worker_link *link, short events, int64_t deadline)
{
	int64_t left = deadline - now_ms();

	return left > 0 ? waiting_poll(link->socket, events, left) : -ETIMEDOUT;
}

void worker_link_pump(struct worker_link *link)
{
	int err = 0;

	if (!worker_link_is_up(link, 0))
		return;
	while (!err)
		err = take_message(link, NULL, MESSAGE_NONE);
	if (err == -EAGAIN)
		err = send_all(link);
	if (err)
		lose_worker(link, SYMBOL_WORKER_DIED, NULL);
}

/* ---- waiting ---- */

/* A request's time: it starts anew whenever a file gets indexed, so that a long queue is no hang, but not for ever. */
struct patience {
	int64_t deadline, end;
};

static struct patience patience_new(const struct worker_link *link)
{
	int64_t now = now_ms(), timeout = link->options.timeout_ms;

	return (struct patience){ now + timeout, now + PATIENCE * timeout };
}

static void patience_renew(struct patience *patience, const struct worker_link *link)
{
	int64_t deadline = now_ms() + link->options.timeout_ms;

	patience->deadline = deadline < patience->end ? deadline : patience->end;
}

static enum symbol_status lose_for(struct worker_link *link, int err, struct handed_file *asked)
{
	return lose_worker(link, err == -ETIMEDOUT ? SYMBOL_TIMEOUT : SYMBOL_WORKER_DIED, asked);
}

/* Until the file leaves the queue or the worker is lost. */
static int wait_indexed(struct worker_link *link, const struct handed_file *file)
{
	struct patience patience = patience_new(link);
	int err = 0;

	while (!err && (file->state == HANDED_WAITING || file->state == HANDED_SENT)) {
		err = send_all(link);
		err = err ?: take_message(link, NULL, MESSAGE_NONE);
		if (!err)
			patience_renew(&patience, link);
		else if (err == -EAGAIN)
			err = wait_ready(link, link->sent.nr ? POLLIN : POLLOUT, patience.deadline);
	}
	return err;
}

static enum symbol_status index_file(struct worker_link *link, struct handed_file *file)
{
	if (file->state == HANDED_LOST) {
		file->fd = link->options.open_again ? link->options.open_again(link->options.context, file->number)
						    : -1;
		file->state = file->fd < 0 ? HANDED_REFUSED : HANDED_WAITING;
	}
	while (file->state == HANDED_WAITING || file->state == HANDED_SENT) {
		int err;

		if (!worker_link_is_up(link, START_TIMEOUT_MS))
			return link->gave_up;
		err = wait_indexed(link, file);
		if (err)
			lose_for(link, err, NULL);
	}
	return file->status;
}

enum symbol_status worker_link_next(struct worker_link *link, struct handed_file *file, enum message_kind answer)
{
	struct patience patience = patience_new(link);
	int taken;

	if (answer == MESSAGE_SOURCES) /* all places of a file are one question */
		patience.deadline = patience.end;
	for (;;) {
		taken = take_message(link, file, answer);
		if (taken == 1)
			return SYMBOL_OK;
		if (!taken) {
			patience_renew(&patience, link);
			continue;
		}
		if (taken == -EAGAIN)
			taken = wait_ready(link, POLLIN, patience.deadline);
		if (taken)
			return lose_for(link, taken, file);
	}
}

/* Sends link->draft, waiting for room in the socket. */
static enum symbol_status send_question(struct worker_link *link, struct handed_file *file, int fd)
{
	struct patience patience = patience_new(link);

	for (;;) {
		int err = draft_send(&link->draft, link->socket, false, fd);

		if (!err)
			return SYMBOL_OK;
		if (err == -EAGAIN)
			err = wait_ready(link, POLLOUT, patience.deadline);
		if (err)
			return lose_for(link, err, file);
	}
}

/* The kernel's list is read by each worker anew; the caller keeps its descriptor. */
static enum symbol_status send_kernel(struct worker_link *link)
{
	struct handed_file *kernel = &link->kernel;
	enum symbol_status status;

	if (kernel->state != HANDED_WAITING)
		return kernel->status;
	if (!worker_link_is_up(link, START_TIMEOUT_MS))
		return link->gave_up;
	draft_start(&link->draft, MESSAGE_KERNEL, 0);
	status = send_question(link, kernel, kernel->fd);
	if (status == SYMBOL_OK)
		kernel->state = HANDED_INDEXED;
	return status;
}

/* One on its way is waited for: nothing is taken out of the queue of acknowledgements. */
void worker_link_drop(struct worker_link *link, struct handed_file *file)
{
	if (file->state == HANDED_SENT)
		worker_link_index(link, file);
	draft_start(&link->draft, MESSAGE_DROP, file->number);
	if (file->state == HANDED_INDEXED && link->socket >= 0)
		send_question(link, file, -1);
	refuse(file, SYMBOL_NO_FILE);
	file->state = HANDED_DROPPED;
}

enum symbol_status worker_link_index(struct worker_link *link, struct handed_file *file)
{
	if (waiting_has_ended() && file->state != HANDED_REFUSED && file->state != HANDED_DROPPED)
		return SYMBOL_LATE;
	worker_link_pump(link); /* no file is to blame for a worker that died while nothing was asked of it */
	return file == &link->kernel ? send_kernel(link) : index_file(link, file);
}

enum symbol_status worker_link_send(struct worker_link *link, struct handed_file *file)
{
	return send_question(link, file, -1);
}

enum symbol_status worker_link_ask(struct worker_link *link, struct handed_file *file, enum message_kind answer)
{
	enum symbol_status status = send_question(link, file, -1);

	return status == SYMBOL_OK ? worker_link_next(link, file, answer) : status;
}

/* ---- tables ---- */

/* One step: sends what waits and takes what came, or waits for more. */
static int step_unwind(struct worker_link *link, int64_t deadline)
{
	int err = send_all(link);

	err = err ?: take_message(link, NULL, MESSAGE_NONE);
	return err == -EAGAIN ? wait_ready(link, POLLIN, deadline) : err;
}

/* Until a worker runs or the time is over; one that starts slowly is not given up for that. */
static bool wait_worker(struct worker_link *link, int64_t left_ms)
{
	struct pollfd supervisor = { .fd = link->supervisor.socket, .events = POLLIN };

	if (worker_link_is_up(link, 0))
		return true;
	if (link->gave_up != SYMBOL_OK || left_ms <= 0)
		return false;
	poll(&supervisor, 1, (int)left_ms);
	return worker_link_is_up(link, 0);
}

/* A worker that says nothing for the time of a request hangs, in whichever call that is noticed. */
bool worker_link_next_unwind(struct worker_link *link, int timeout_ms, struct symbol_unwind *ret_unwind)
{
	int64_t until = now_ms() + timeout_ms;

	worker_link_pump(link);
	while (!unwind_queue_next(&link->unwinds, ret_unwind)) {
		int64_t left = until - now_ms(), hung;
		int err;

		if (!link->unwinds.requests.nr || !wait_worker(link, left))
			return unwind_queue_next(&link->unwinds, ret_unwind);
		hung = link->heard_ms + link->options.timeout_ms;
		err = step_unwind(link, until < hung ? until : hung);
		if (err == -ETIMEDOUT && now_ms() < hung)
			return false;
		if (err)
			lose_for(link, err, NULL);
	}
	return true;
}
