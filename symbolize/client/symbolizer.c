/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/symbolize.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/base/waiting.h"
#include "symbolize/client/questions.h"
#include "symbolize/client/worker_life.h"
#include "symbolize/client/worker_link.h"
#include "symbolize/elf/names.h"
#include "symbolize/worker/sandbox.h"

enum {
	OWNERS_MAX = 256, /* links; the last one is shared by the owners for whom no link is left */
	LOOK_MS = 100,
};

struct handed_alias {
	uint32_t number, known;
};

/* `links` must be the first member: tests put their own worker into the first link. */
struct symbolizer {
	struct worker_link *links[OWNERS_MAX]; /* [0]: files of the host, and the kernel */
	size_t nr_links;
	struct link_shared shared;
	VEC(struct handed_alias) aliases;
	char last_end[64];
};

static struct worker_link *host_of(const struct symbolizer *symbolizer)
{
	return symbolizer->links[0];
}

static int add_link(struct symbolizer *symbolizer, const struct owner *owner)
{
	struct worker_link *link = calloc(1, sizeof(*link));

	if (!link)
		return -ENOMEM;
	worker_link_open(link, &symbolizer->shared, !symbolizer->nr_links);
	link->owner = *owner;
	symbolizer->links[symbolizer->nr_links++] = link;
	return 0;
}

int symbolizer_new(const struct symbolizer_options *options, struct symbolizer **ret_symbolizer)
{
	struct symbolizer *symbolizer = calloc(1, sizeof(*symbolizer));
	int err = symbolizer ? link_shared_open(&symbolizer->shared, options) : -ENOMEM;

	err = err ?: add_link(symbolizer, &OWNER_HOST);
	if (err) {
		symbolizer_free(symbolizer);
		return fail_start(err, "symbol worker");
	}
	*ret_symbolizer = symbolizer;
	return 0;
}

unsigned int symbolizer_confinement(void)
{
	return sandbox_lacks();
}

bool symbolizer_has_filter(void)
{
	return sandbox_has_filter();
}

void symbolizer_free(struct symbolizer *symbolizer)
{
	if (!symbolizer)
		return;
	for (size_t i = 0; i < symbolizer->nr_links; i++) {
		worker_link_close(symbolizer->links[i]);
		free(symbolizer->links[i]);
	}
	link_shared_close(&symbolizer->shared);
	vec_done(&symbolizer->aliases);
	free(symbolizer);
}

int symbolizer_await(struct symbolizer *symbolizer)
{
	struct worker_link *host = host_of(symbolizer);
	int err = worker_link_is_up(host, START_TIMEOUT_MS) ? 0 : host->start_err ?: -EPIPE;

	return err == -EPIPE ? -EIO : err; /* -EPIPE would mean that the reader of our output has gone */
}

const char *symbolizer_last_end(struct symbolizer *symbolizer)
{
	int end;

	/* the supervisor's answer tells how a worker ended */
	supervisor_settle(&symbolizer->shared.supervisor, START_TIMEOUT_MS);
	end = symbolizer->shared.supervisor.last_end;
	if (end == WORKER_END_UNKNOWN)
		return NULL;
	if (WIFSIGNALED(end))
		snprintf(symbolizer->last_end, sizeof(symbolizer->last_end), "signal %d (%s)", WTERMSIG(end),
			 strsignal(WTERMSIG(end)));
	else
		snprintf(symbolizer->last_end, sizeof(symbolizer->last_end), "exit status %d", WEXITSTATUS(end));
	return symbolizer->last_end;
}

int symbolizer_worker_pid(struct symbolizer *symbolizer)
{
	return worker_link_is_up(host_of(symbolizer), START_TIMEOUT_MS) ? host_of(symbolizer)->pid : -1;
}

int64_t symbolizer_cpu_ms(const struct symbolizer *symbolizer)
{
	int64_t sum = symbolizer->shared.ended_cpu_ms;

	for (size_t i = 0; i < symbolizer->nr_links; i++)
		sum += worker_link_cpu_ms(symbolizer->links[i]);
	return sum;
}

/* Only regular files are sent to a worker: reading a FIFO or a device may never end. */
static bool is_regular(int fd)
{
	struct stat status;

	return fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
}

/* Whether half of our descriptors are in use here: the rest is for BPF objects and perf events. */
static bool holds_too_many(const struct symbolizer *symbolizer)
{
	struct rlimit limit;
	size_t max = getrlimit(RLIMIT_NOFILE, &limit) ? 128 : (size_t)limit.rlim_cur / 2, nr = 0;

	for (size_t i = 0; i < symbolizer->nr_links; i++)
		for (size_t k = 0; k < symbolizer->links[i]->files.nr; k++)
			nr += symbolizer->links[i]->files.data[k].fd >= 0;
	return nr >= max;
}

/* Why a file cannot be sent to the worker, or SYMBOL_OK. */
static enum symbol_status refusal_of(const struct symbolizer *symbolizer, int fd)
{
	if (fd < 0)
		return SYMBOL_NO_FILE;
	if (holds_too_many(symbolizer))
		return SYMBOL_NO_DESCRIPTORS;
	return is_regular(fd) ? SYMBOL_OK : SYMBOL_NOT_ELF;
}

/* Returns the least recently used link that its owner no longer needs, for a new owner; or NULL. */
static struct worker_link *reuse_link(struct symbolizer *symbolizer, const struct owner *owner)
{
	struct worker_link *found = NULL;

	for (size_t i = 1; i < symbolizer->nr_links; i++) {
		struct worker_link *link = symbolizer->links[i];

		if (worker_link_is_unneeded(link) && (!found || link->used_ms < found->used_ms))
			found = link;
	}
	if (found)
		worker_link_reopen(found, owner);
	return found;
}

/* The link for files of the owner of `fd`. If the caller cannot open files again (options.open_again), all count as the host's. */
static struct worker_link *link_of(struct symbolizer *symbolizer, int fd, uint32_t root)
{
	struct worker_link *reused;
	struct owner owner = OWNER_HOST;

	if (symbolizer->shared.options.open_again && fd >= 0)
		owner = owner_of(fd, root);
	for (int i = 0; i < 2; i++) {
		for (size_t k = 0; k < symbolizer->nr_links; k++)
			if (owner_same(&symbolizer->links[k]->owner, &owner))
				return symbolizer->links[k];
		if (symbolizer->nr_links < OWNERS_MAX - 1)
			break;
		reused = i ? NULL : reuse_link(symbolizer, &owner);
		if (reused)
			return reused;
		/* stands for all owners without a link of their own */
		owner = (struct owner){ UINT64_MAX, UINT64_MAX, OWNER_ANYBODY };
	}
	return symbolizer->nr_links < OWNERS_MAX && !add_link(symbolizer, &owner)
		       ? symbolizer->links[symbolizer->nr_links - 1]
		       : host_of(symbolizer);
}

/* NULL: no such file. */
static struct handed_file *file_of(const struct symbolizer *symbolizer, uint32_t number)
{
	struct handed_file *file = NULL;

	if (number == SYMBOL_KERNEL)
		return &host_of(symbolizer)->kernel;
	for (size_t i = 0; i < symbolizer->aliases.nr; i++)
		if (symbolizer->aliases.data[i].number == number) {
			number = symbolizer->aliases.data[i].known;
			break;
		}
	for (size_t i = 0; !file && i < symbolizer->nr_links; i++)
		file = worker_link_file(symbolizer->links[i], number);
	return file;
}

bool symbolizer_is_of_host(const struct symbolizer *symbolizer, uint32_t file)
{
	const struct handed_file *found = file_of(symbolizer, file);

	return found && found->link == host_of(symbolizer);
}

bool symbolizer_is_reading(const struct symbolizer *symbolizer, uint32_t file)
{
	const struct handed_file *found = file_of(symbolizer, file);

	return found && found->state == HANDED_SENT;
}

static int hand_over(struct symbolizer *symbolizer, uint32_t file, int fd, uint32_t root, enum symbol_file_kind kind)
{
	_cleanup_(closep) int given = fd;
	struct handed_file handed = { .number = file, .fd = -1, .state = HANDED_REFUSED, .kind = kind };
	struct handed_file *place;

	if (file_of(symbolizer, file))
		return -EEXIST;
	handed.link = link_of(symbolizer, given, root);
	worker_link_pump(handed.link);
	handed.status = refusal_of(symbolizer, given);
	place = worker_link_place(handed.link);
	if (!place)
		return -ENOMEM;
	*place = handed;
	if (handed.status == SYMBOL_OK) {
		place->fd = take_fd(&given);
		worker_link_take(handed.link, place);
	}
	worker_link_pump(handed.link);
	return 0;
}

int symbolizer_want_unwind(struct symbolizer *symbolizer, uint32_t number, int fd, uint32_t root)
{
	struct worker_link *link = link_of(symbolizer, fd, root);
	int err;

	if (!is_regular(fd))
		closep(&fd); /* the worker then answers that there is no file */
	err = unwind_queue_add(&link->unwinds, number, fd);
	if (err)
		return err;
	if (worker_link_is_paused(link))
		unwind_queue_give_up(&link->unwinds, link->paused_why);
	worker_link_pump(link);
	return 0;
}

/* Takes a finished request. *ret_waits: there is none, but some are unfinished. */
static bool next_unwind(struct symbolizer *symbolizer, struct symbol_unwind *ret_unwind, bool *ret_waits)
{
	*ret_waits = false;
	for (size_t i = 0; i < symbolizer->nr_links; i++) {
		if (worker_link_next_unwind(symbolizer->links[i], ret_unwind))
			return true;
		*ret_waits |= symbolizer->links[i]->unwinds.requests.nr;
	}
	return false;
}

bool symbolizer_next_unwind(struct symbolizer *symbolizer, int timeout_ms, struct symbol_unwind *ret_unwind)
{
	struct pollfd changes[] = { { .fd = symbolizer->shared.epoll, .events = POLLIN },
				    { .fd = symbolizer->shared.supervisor.socket, .events = POLLIN } };
	int64_t left, until = link_now_ms() + timeout_ms;
	bool waits;

	while (!next_unwind(symbolizer, ret_unwind, &waits)) {
		left = until - link_now_ms();
		if (!waits || left <= 0 || waiting_has_ended())
			return false;
		poll(changes, 2, (int)(left < LOOK_MS ? left : LOOK_MS)); /* a worker that hangs sends nothing */
		if (changes[1].revents) /* may be an answer for which no link waits */
			supervisor_settle(&symbolizer->shared.supervisor, 0);
	}
	return true;
}

int symbolizer_socket(const struct symbolizer *symbolizer)
{
	return symbolizer->shared.epoll;
}

int symbolizer_add_file(struct symbolizer *symbolizer, uint32_t file, int fd, uint32_t root)
{
	return hand_over(symbolizer, file, fd, root, SYMBOL_FILE_PROGRAM);
}

int symbolizer_add_same(struct symbolizer *symbolizer, uint32_t file, uint32_t known)
{
	const struct handed_alias alias = { file, known };

	if (file_of(symbolizer, file))
		return -EEXIST;
	return vec_try_push(&symbolizer->aliases, alias);
}

int symbolizer_add_map(struct symbolizer *symbolizer, uint32_t file, int fd, uint32_t root)
{
	return hand_over(symbolizer, file, fd, root, SYMBOL_FILE_MAP);
}

int symbolizer_add_module(struct symbolizer *symbolizer, uint32_t file, int fd)
{
	return hand_over(symbolizer, file, fd, 0, SYMBOL_FILE_MODULE);
}

void symbolizer_drop(struct symbolizer *symbolizer, uint32_t file)
{
	struct handed_file *handed;

	for (size_t i = 0; i < symbolizer->aliases.nr; i++) {
		if (symbolizer->aliases.data[i].number != file)
			continue;
		symbolizer->aliases.data[i] = vec_last(&symbolizer->aliases);
		symbolizer->aliases.nr--;
		return;
	}
	handed = file_of(symbolizer, file);
	if (handed)
		worker_link_drop(handed->link, handed);
}

int symbolizer_add_kernel(struct symbolizer *symbolizer, int fd)
{
	struct handed_file *kernel = &host_of(symbolizer)->kernel;

	closep(&kernel->fd);
	*kernel = (struct handed_file){ .number = SYMBOL_KERNEL,
					.link = host_of(symbolizer),
					.fd = fd,
					.state = HANDED_WAITING,
					.status = SYMBOL_OK };
	return 0;
}

/*
 * Takes the names of the message. *ret_nr: their number; 0: the worker had too little room, and another one may try. Returns SYMBOL_OK, or
 * the status of a malformed message.
 */
static enum symbol_status take_names(struct handed_file *file, size_t nr, struct symbol_answer *ret_answers,
				     size_t *ret_nr)
{
	struct worker_link *link = file->link;
	struct link_shared *shared = link->shared;
	size_t before = shared->names.nr_bytes;
	bool is_full = worker_link_is_full(link);
	size_t nr_named = is_full ? answers_none(&shared->message, nr, ret_answers)
				  : answers_names(&shared->message, &shared->names, nr, ret_answers);
	enum symbol_status first = nr_named ? ret_answers->status : SYMBOL_OK;
	bool is_short = first == SYMBOL_NO_MEMORY || first == SYMBOL_NO_DESCRIPTORS;

	worker_link_note_text(link, before);
	*ret_nr = is_short && !is_full && worker_link_relieve(link, file) ? 0 : nr_named;
	return nr_named ? SYMBOL_OK : worker_link_distrust(link, file);
}

static int name_all(struct handed_file *file, const struct symbol_query *queries, size_t nr,
		    struct symbol_answer *ret_answers)
{
	enum symbol_status status = !file                              ? SYMBOL_NO_FILE
				    : worker_link_has_time(file->link) ? SYMBOL_OK
								       : SYMBOL_TIMEOUT;
	int64_t begun_ms = link_now_ms();
	size_t done = 0;

	while (status == SYMBOL_OK && done < nr) {
		struct question question = { MESSAGE_NAME, MESSAGE_NAMES, .queries = queries + done,
					     .nr = nr - done < QUERIES_MAX ? nr - done : QUERIES_MAX };
		size_t nr_named = 0;

		status = question_ask(file, &question);
		if (status == SYMBOL_OK)
			status = take_names(file, question.nr, ret_answers + done, &nr_named);
		done += nr_named;
	}
	for (; done < nr; done++)
		ret_answers[done] = (struct symbol_answer){ .status = status };
	if (file)
		worker_link_spend(file->link, begun_ms);
	return question_errno(status);
}

int symbolizer_name_file(struct symbolizer *symbolizer, uint32_t file, const struct symbol_query *queries, size_t nr,
			 struct symbol_answer *ret_answers)
{
	return name_all(file_of(symbolizer, file), queries, nr, ret_answers);
}

int symbolizer_name_kernel(struct symbolizer *symbolizer, const struct symbol_query *queries, size_t nr,
			   struct symbol_answer *ret_answers)
{
	return name_all(file_of(symbolizer, SYMBOL_KERNEL), queries, nr, ret_answers);
}

void symbolizer_forget_names(struct symbolizer *symbolizer, size_t nr_kept)
{
	text_pool_done(&symbolizer->shared.names);
	symbolizer->shared.nr_kept = nr_kept;
	symbolizer->shared.nr_forgotten++;
}

static int compare_functions(const void *left, const void *right)
{
	const struct symbol_function *a = left, *b = right;

	if (a->file_offset != b->file_offset)
		return a->file_offset < b->file_offset ? -1 : 1;
	if ((a->kind == FUNCTION_IMPLEMENTATION) != (b->kind == FUNCTION_IMPLEMENTATION))
		return a->kind == FUNCTION_IMPLEMENTATION ? -1 : 1;
	return name_compare((struct name){ a->name, strlen(a->name) }, (struct name){ b->name, strlen(b->name) });
}

/*
 * An implementation replaces its resolver, and precedes a symbol at the same address. The best of several names comes last, as in the
 * symbol table. Not in the worker, where qsort() is forbidden (it calls sysinfo()).
 */
static void sort_functions(struct found *found)
{
	size_t first = 0;

	while (first < found->functions.nr && found->functions.data[first].kind != FUNCTION_IMPLEMENTATION)
		first++;
	if (first < found->functions.nr)
		qsort(found->functions.data, found->functions.nr, sizeof(*found->functions.data), compare_functions);
}

static int find_functions(struct symbolizer *symbolizer, uint32_t file, const char *pattern, bool readable,
			  struct symbol_function **ret_functions, size_t *ret_nr)
{
	const struct question question = { MESSAGE_FIND, MESSAGE_FUNCTIONS, readable, { pattern } };
	struct handed_file *handed = file_of(symbolizer, file);
	struct found found = {};
	int err = handed ? question_find(handed, &question, &found) : -ENOENT;

	if (err)
		return err;
	sort_functions(&found);
	*ret_functions = found.functions.data;
	*ret_nr = found.functions.nr;
	return 0;
}

int symbolizer_find(struct symbolizer *symbolizer, uint32_t file, const char *pattern,
		    struct symbol_function **ret_functions, size_t *ret_nr)
{
	return find_functions(symbolizer, file, pattern, false, ret_functions, ret_nr);
}

int symbolizer_find_readable(struct symbolizer *symbolizer, uint32_t file, const char *pattern,
			     struct symbol_function **ret_functions, size_t *ret_nr)
{
	return find_functions(symbolizer, file, pattern, true, ret_functions, ret_nr);
}

static int compare_probes(const void *left, const void *right)
{
	const struct symbol_usdt *a = left, *b = right;

	return a->file_offset < b->file_offset ? -1 : a->file_offset > b->file_offset;
}

int symbolizer_find_usdt(struct symbolizer *symbolizer, uint32_t file, const char *provider, const char *name,
			 struct symbol_usdt **ret_probes, size_t *ret_nr)
{
	const struct question question = { MESSAGE_FIND_USDT, MESSAGE_USDT, .texts = { provider, name } };
	struct handed_file *handed = file_of(symbolizer, file);
	struct found found = {};
	int err = handed ? question_find(handed, &question, &found) : -ENOENT;

	if (err)
		return err;
	if (found.probes.nr) /* see sort_functions() */
		qsort(found.probes.data, found.probes.nr, sizeof(*found.probes.data), compare_probes);
	*ret_probes = found.probes.data;
	*ret_nr = found.probes.nr;
	return 0;
}

int symbolizer_find_ends(struct symbolizer *symbolizer, uint32_t file, int fd, uint64_t offset, uint64_t size,
			 struct symbol_end **ret_ends, size_t *ret_nr)
{
	const struct symbol_query query = { .where = offset, .exact = true };
	const struct question question = {
		MESSAGE_FIND_ENDS, MESSAGE_ENDS, size < UINT32_MAX ? (uint32_t)size : UINT32_MAX,
		.queries = &query, .nr = 1,      .has_fd = true,
		.fd = fd
	};
	struct handed_file *handed = file_of(symbolizer, file);
	struct found found = {};
	int err = handed ? question_find(handed, &question, &found) : -ENOENT;

	*ret_ends = err ? NULL : found.ends.data;
	*ret_nr = err ? 0 : found.ends.nr;
	return err;
}

/* Asks a question whose answer is at most `room` texts in one message. */
static size_t ask_texts(struct symbolizer *symbolizer, uint32_t file, const struct question *question,
			const char **ret_texts, size_t room)
{
	struct link_shared *shared = &symbolizer->shared;
	struct handed_file *handed = file_of(symbolizer, file);

	return handed && question_ask(handed, question) == SYMBOL_OK
		       ? answers_suggestions(&shared->message, &shared->texts, ret_texts, room)
		       : 0;
}

size_t symbolizer_suggest(struct symbolizer *symbolizer, uint32_t file, const char *name, const char **ret_names,
			  size_t room)
{
	const struct question question = { MESSAGE_SUGGEST, MESSAGE_SUGGESTIONS, .texts = { name } };

	return ask_texts(symbolizer, file, &question, ret_names, room);
}

size_t symbolizer_explain(struct symbolizer *symbolizer, uint32_t file, const struct symbol_query *query,
			  const char **ret_sentences, size_t room)
{
	const struct question question = { MESSAGE_EXPLAIN, MESSAGE_SUGGESTIONS, .queries = query, .nr = 1 };

	return ask_texts(symbolizer, file, &question, ret_sentences, room);
}

int symbolizer_lines(struct symbolizer *symbolizer, uint32_t file, const struct symbol_query *queries, size_t nr,
		     bool inlines, unsigned int timeout_ms, struct symbol_lines *ret_lines)
{
	const struct question question = { MESSAGE_LINES, MESSAGE_SOURCES,
					   timeout_ms << LINES_TIME_SHIFT | (inlines ? LINES_INLINED : 0),
					   .queries = queries, .nr = nr };
	struct handed_file *handed = file_of(symbolizer, file);
	struct found found = { .ranges = calloc(nr + 1, sizeof(*found.ranges)), .nr_places = nr };
	size_t before = symbolizer->shared.names.nr_bytes;
	int err = !handed                                              ? -ENOENT
		  : nr > LINES_ASKED_MAX                               ? -E2BIG
		  : !found.ranges || worker_link_is_full(handed->link) ? -ENOMEM
								       : 0;

	if (err)
		found_done(&found);
	else
		err = question_find(handed, &question, &found);
	if (handed)
		worker_link_note_text(handed->link, before);
	*ret_lines = (struct symbol_lines){ found.lines.data, found.lines.nr, found.ranges, found.missing_split,
					    found.nr_missing_splits };
	return err;
}

void symbol_lines_done(struct symbol_lines *lines)
{
	free(lines->lines);
	free(lines->ranges);
	*lines = (struct symbol_lines){};
}

size_t symbolizer_owner(struct symbolizer *symbolizer, uint32_t file)
{
	const struct handed_file *handed = file_of(symbolizer, file);
	size_t i = 0;

	while (handed && symbolizer->links[i] != handed->link)
		i++;
	return i;
}

const char *symbolizer_build_id(struct symbolizer *symbolizer, uint32_t file)
{
	struct handed_file *handed = file_of(symbolizer, file);
	int64_t begun_ms = link_now_ms();

	if (!handed)
		return "";
	if (worker_link_has_time(handed->link)) {
		worker_link_index(handed->link, handed);
		worker_link_spend(handed->link, begun_ms);
	}
	return handed->build_id ?: "";
}
