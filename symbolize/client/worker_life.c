/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/client/worker_life.h"

#include <poll.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/base/waiting.h"
#include "symbolize/worker/sandbox.h"

enum {
	LOSSES_MAX = 4,       /* from this many lost workers on, the next starts after a pause */
	PAUSE_MS = 5000,      /* the first pause; each later one is twice as long */
	PAUSE_DOUBLINGS = 6,
	NEVER_MS = INT32_MAX,
	OWNER_TIME_MS = 10000, /* initial time for the files of one owner, except the host */
	OWNER_TIME_SHARE = 10, /* this part of the elapsed time is added */
	OWNER_TEXT_MAX = 64 << 20, /* bytes of names and lines for the files of one owner; the host has no limit */
	RUN_TEXT_MAX = 512 << 20,
	FORGIVEN_MS = 600000, /* a worker that lived this long resets the count of losses */
	CPU_SECONDS = 60,     /* CPU time of a worker without an answer: enough for slow emulated machines */
};

int64_t link_now_ms(void)
{
	return (int64_t)(clock_monotonic_ns() / NSEC_PER_MSEC);
}

int link_shared_open(struct link_shared *shared, const struct symbolizer_options *options)
{
	struct worker_options worker_options = {
		.no_demangle = options->no_demangle,
		.ask_debug = options->open_debug,
		.identify_only = options->identify_only,
		.lines = options->lines,
		.data = options->data,
		.cpu_seconds = options->cpu_seconds ?: CPU_SECONDS,
	};
	int err;

	shared->options = *options;
	shared->options.cpu_seconds = worker_options.cpu_seconds;
	if (!shared->options.timeout_ms)
		shared->options.timeout_ms = 10000;
	shared->supervisor = SUPERVISOR_NONE;
	shared->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (shared->epoll < 0)
		return -errno;
	err = supervisor_start(&shared->supervisor, &worker_options);
	if (err)
		closep(&shared->epoll);
	return err;
}

void link_shared_close(struct link_shared *shared)
{
	supervisor_stop(&shared->supervisor);
	closep(&shared->epoll);
	text_pool_done(&shared->texts);
	text_pool_done(&shared->names);
}

void worker_link_open(struct worker_link *link, struct link_shared *shared, bool is_first)
{
	link->shared = shared;
	link->slot = is_first ? 0 : -1;
	link->is_asked = is_first;
	if (is_first)
		shared->slots[0] = link;
	link->socket = link->pid = -1;
	link->left_ms = OWNER_TIME_MS;
	link->spent_ms = link->used_ms = link_now_ms();
	link->kernel = (struct handed_file){
		.number = SYMBOL_KERNEL, .link = link, .fd = -1, .state = HANDED_REFUSED, .status = SYMBOL_NO_FILE
	};
}

void worker_link_close(struct worker_link *link)
{
	closep(&link->socket);
	for (size_t i = 0; i < link->files.nr; i++) {
		closep(&link->files.data[i].fd);
		free(link->files.data[i].build_id);
	}
	closep(&link->kernel.fd);
	unwind_queue_done(&link->unwinds);
	vec_done(&link->files);
	vec_done(&link->sent);
}

struct handed_file *worker_link_file(struct worker_link *link, uint32_t number)
{
	for (size_t i = 0; i < link->files.nr; i++)
		if (link->files.data[i].number == number && link->files.data[i].state != HANDED_DROPPED)
			return &link->files.data[i];
	return NULL;
}

struct handed_file *worker_link_place(struct worker_link *link)
{
	for (size_t i = 0; i < link->files.nr; i++)
		if (link->files.data[i].state == HANDED_DROPPED)
			return &link->files.data[i];
	return vec_try_push(&link->files, (struct handed_file){ .fd = -1, .state = HANDED_DROPPED })
		       ? NULL
		       : &vec_last(&link->files);
}

void link_refuse(struct handed_file *file, enum symbol_status why)
{
	closep(&file->fd);
	file->state = HANDED_REFUSED;
	file->status = why;
}

/* Lets the file wait for the end of a pause; without a descriptor, if it can be opened again. */
static void set_aside(struct worker_link *link, struct handed_file *file)
{
	if (!link->shared->options.open_again) {
		link_refuse(file, link->paused_why);
		return;
	}
	closep(&file->fd);
	file->state = HANDED_LOST;
	file->status = link->paused_why;
}

static void pause_for(struct worker_link *link, enum symbol_status why, int64_t pause_ms)
{
	link->paused_until_ms = link_now_ms() + pause_ms;
	link->paused_why = why;
	unwind_queue_give_up(&link->unwinds, why);
	for (size_t i = 0; i < link->files.nr; i++)
		if (link->files.data[i].state == HANDED_WAITING)
			set_aside(link, &link->files.data[i]);
}

/* Counts the loss of a worker, or a failure to start one. */
static void note_loss(struct worker_link *link, enum symbol_status why)
{
	unsigned int doublings;

	if (link_now_ms() - link->started_ms >= FORGIVEN_MS)
		link->nr_lost = 0;
	link->nr_lost++;
	if (link->nr_lost < LOSSES_MAX && why != SYMBOL_NOT_STARTED)
		return;
	doublings = link->nr_lost > LOSSES_MAX ? link->nr_lost - LOSSES_MAX : 0;
	pause_for(link, why, (int64_t)PAUSE_MS << (doublings < PAUSE_DOUBLINGS ? doublings : PAUSE_DOUBLINGS));
}

bool worker_link_has_time(struct worker_link *link)
{
	int64_t added_ms = (link_now_ms() - link->spent_ms) / OWNER_TIME_SHARE;

	link->left_ms += added_ms;
	link->spent_ms += added_ms * OWNER_TIME_SHARE; /* the remainder counts the next time */
	if (link->left_ms > OWNER_TIME_MS)
		link->left_ms = OWNER_TIME_MS;
	return owner_same(&link->owner, &OWNER_HOST) || link->left_ms > 0;
}

void worker_link_spend(struct worker_link *link, int64_t begun_ms)
{
	link->left_ms -= link_now_ms() - begun_ms;
}

static uint64_t text_of(const struct worker_link *link)
{
	return link->text_since == link->shared->nr_forgotten ? link->nr_text : 0;
}

bool worker_link_is_full(const struct worker_link *link)
{
	const struct link_shared *shared = link->shared;

	return link != shared->slots[0] &&
	       (shared->names.nr_bytes + shared->nr_kept >= RUN_TEXT_MAX || text_of(link) >= OWNER_TEXT_MAX);
}

void worker_link_note_text(struct worker_link *link, size_t before)
{
	link->nr_text = text_of(link) + link->shared->names.nr_bytes - before;
	link->text_since = link->shared->nr_forgotten;
}

bool worker_link_is_paused(const struct worker_link *link)
{
	return link_now_ms() < link->paused_until_ms;
}

void worker_link_take(struct worker_link *link, struct handed_file *file)
{
	file->state = HANDED_WAITING;
	if (worker_link_is_paused(link))
		set_aside(link, file);
}

static void give_up(struct worker_link *link)
{
	link->shared->has_gone = true;
	link->start_err = -EPIPE;
	pause_for(link, SYMBOL_NOT_STARTED, NEVER_MS);
}

/* Requests a worker in our slot; in a pause, only the end of the present one. */
static void ask_supervisor(struct worker_link *link, unsigned int request)
{
	bool is_paused = worker_link_is_paused(link);

	if (is_paused)
		request |= SUPERVISOR_STOP_ONLY;
	if (supervisor_ask_worker(&link->shared->supervisor, (unsigned int)link->slot, request)) {
		give_up(link);
		is_paused = true;
	}
	link->is_asked = !is_paused;
	if (is_paused && link->slot > 0) {
		link->shared->slots[link->slot] = NULL;
		link->slot = -1;
	}
}

/* Whether the worker has closed its socket, which means that it has ended. */
static bool has_ended(const struct worker_link *link)
{
	struct pollfd worker = { .fd = link->socket };

	return poll(&worker, 1, 0) == 1 && worker.revents & POLLHUP;
}

struct handed_file *link_first_sent(const struct worker_link *link)
{
	return link->sent.nr ? &link->files.data[link->sent.data[0]] : NULL;
}

int64_t worker_link_cpu_ms(const struct worker_link *link)
{
	int64_t used_ms = link->pid > 0 ? sandbox_cpu_ms(link->pid) : 0;

	return used_ms > 0 ? used_ms : 0;
}

/* Leaves the present worker: its files will be sent to the next one, or opened again. */
static void leave_worker(struct worker_link *link, enum symbol_status why)
{
	closep(&link->socket);
	link->shared->ended_cpu_ms += worker_link_cpu_ms(link);
	link->pid = -1;
	for (size_t i = 0; i < link->files.nr; i++) {
		struct handed_file *file = &link->files.data[i];

		if (file->state == HANDED_SENT)
			file->state = HANDED_WAITING;
		else if (file->state == HANDED_INDEXED && file->status == SYMBOL_OK)
			*file = (struct handed_file){
				.number = file->number,
				.link = link,
				.fd = -1,
				.state = HANDED_LOST,
				.status = why,
				.kind = file->kind,
				.build_id = file->build_id,
				.was_short = file->was_short,
			};
	}
	if (link->kernel.state == HANDED_INDEXED)
		link->kernel.state = HANDED_WAITING;
	link->sent.nr = 0;
}

enum symbol_status link_lose_worker(struct worker_link *link, enum symbol_status why, struct handed_file *asked)
{
	struct handed_file *oldest = link_first_sent(link), *culprit = oldest ?: asked;
	bool is_table = unwind_queue_oldest(&link->unwinds) < (oldest ? oldest->sequence : UINT64_MAX);
	bool ended = has_ended(link);

	leave_worker(link, why);
	if (waiting_has_ended()) { /* no file is to blame, and no other worker is needed */
		pause_for(link, SYMBOL_LATE, NEVER_MS);
		return SYMBOL_LATE;
	}
	unwind_queue_restart(&link->unwinds, is_table, why);
	if (culprit && !is_table)
		link_refuse(culprit, why);
	note_loss(link, SYMBOL_PAUSED);
	/* The supervisor ends the old worker, which may hang, before it starts the next. */
	ask_supervisor(link, ended ? SUPERVISOR_HAS_ENDED : 0);
	return why;
}

void link_replace_worker(struct worker_link *link)
{
	leave_worker(link, SYMBOL_NO_MEMORY);
	unwind_queue_restart(&link->unwinds, false, SYMBOL_OK);
	ask_supervisor(link, 0);
}

bool link_may_be_relieved(const struct worker_link *link)
{
	return link->shared->options.open_again && link->nr_read > 1;
}

bool worker_link_relieve(struct worker_link *link, struct handed_file *file)
{
	if (file->was_short || link->socket < 0 || !link_may_be_relieved(link))
		return false;
	file->was_short = true;
	link_replace_worker(link);
	return true;
}

/* Ends a worker that is not in use. Its files are opened again when they are needed. */
static void stop_worker(struct worker_link *link)
{
	leave_worker(link, SYMBOL_PAUSED);
	unwind_queue_restart(&link->unwinds, false, SYMBOL_OK);
	link->is_asked = false;
	if (supervisor_ask_worker(&link->shared->supervisor, (unsigned int)link->slot, SUPERVISOR_STOP_ONLY))
		give_up(link);
	if (link->slot > 0) {
		link->shared->slots[link->slot] = NULL;
		link->slot = -1;
	}
}

enum symbol_status worker_link_distrust(struct worker_link *link, struct handed_file *file)
{
	return link_lose_worker(link, SYMBOL_WORKER_DIED, file);
}

static bool is_busy(const struct worker_link *link)
{
	return link->socket < 0 || link->sent.nr || link->unwinds.nr_sent;
}

/* Takes a free slot, or that of the least recently used worker; of a busy worker only if `force`. */
static int take_slot(struct worker_link *link, bool force)
{
	struct worker_link **slots = link->shared->slots, *least = NULL;

	for (int i = 1; i < SUPERVISOR_SLOTS && link->slot < 0; i++) {
		if (!slots[i])
			link->slot = i;
		else if ((force || !is_busy(slots[i])) && (!least || slots[i]->used_ms < least->used_ms))
			least = slots[i];
	}
	if (link->slot < 0 && least) {
		link->slot = least->slot;
		stop_worker(least);
	}
	if (link->slot < 0)
		return -EAGAIN;
	slots[link->slot] = link;
	return 0;
}

static int get_worker(struct worker_link *link, int timeout_ms, struct supervisor_answer *ret_answer)
{
	if (!link->is_asked) {
		if (link->slot < 0 && take_slot(link, timeout_ms))
			return -ETIMEDOUT;
		ask_supervisor(link, 0);
		if (!link->is_asked)
			return -EPIPE;
	}
	return supervisor_get_worker(&link->shared->supervisor, (unsigned int)link->slot, timeout_ms, ret_answer);
}

bool worker_link_is_up(struct worker_link *link, int timeout_ms)
{
	struct epoll_event readable = { .events = EPOLLIN };
	struct supervisor_answer answer;
	int err;

	if (link->socket >= 0)
		return true;
	if (link->shared->has_gone && !link->paused_until_ms)
		give_up(link);
	if (worker_link_is_paused(link))
		return false;
	err = get_worker(link, timeout_ms, &answer);
	if (!err) {
		link->pid = answer.pid;
		link->socket = answer.socket;
		link->nr_read = 0;
		link->granted_ms = 0;
		link->heard_ms = link->started_ms = link->used_ms = link_now_ms();
		epoll_ctl(link->shared->epoll, EPOLL_CTL_ADD, link->socket, &readable);
	} else if (err == -ECANCELED) {
		pause_for(link, SYMBOL_LATE, NEVER_MS);
	} else if (err == -EPIPE) {
		give_up(link);
	} else if (err != -ETIMEDOUT || timeout_ms) {
		link->start_err = err;
		note_loss(link, SYMBOL_NOT_STARTED);
		ask_supervisor(link, 0); /* ends a worker that starts late */
	}
	return !err;
}

bool worker_link_is_unneeded(struct worker_link *link)
{
	int64_t now = link_now_ms();
	bool is_forgiven = !link->nr_lost || now - link->started_ms >= FORGIVEN_MS;
	bool has_all_time = link->left_ms + (now - link->spent_ms) / OWNER_TIME_SHARE >= OWNER_TIME_MS;

	for (size_t i = 0; i < link->files.nr; i++)
		if (link->files.data[i].state != HANDED_DROPPED)
			return false;
	if (!is_forgiven || !has_all_time || worker_link_is_paused(link) || link->unwinds.requests.nr)
		return false;
	/* waits for a worker that is starting: other requests must not fill the supervisor's queue */
	return !link->is_asked || worker_link_is_up(link, 0);
}

void worker_link_reopen(struct worker_link *link, const struct owner *owner)
{
	struct link_shared *shared = link->shared;

	if (link->slot >= 0)
		stop_worker(link);
	worker_link_close(link);
	*link = (struct worker_link){ .owner = *owner };
	worker_link_open(link, shared, false);
}
