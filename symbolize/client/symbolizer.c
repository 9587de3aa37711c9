/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/symbolize.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "symbolize/client/answers.h"
#include "symbolize/client/worker_link.h"
#include "symbolize/elf/names.h"
#include "symbolize/worker/sandbox.h"

enum {
	PLACES_MAX = MESSAGE_ELEMENTS_MAX_BYTES / sizeof(struct wire_query), /* of one message */
};

int symbolizer_new(const struct symbolizer_options *options, struct symbolizer **ret_symbolizer)
{
	struct symbolizer *symbolizer = calloc(1, sizeof(*symbolizer));
	int err = symbolizer ? worker_link_open(&symbolizer->link, options) : -ENOMEM;

	if (err) {
		free(symbolizer);
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
	worker_link_close(&symbolizer->link);
	free(symbolizer);
}

int symbolizer_await(struct symbolizer *symbolizer)
{
	int err = worker_link_is_up(&symbolizer->link, START_TIMEOUT_MS) ? 0 : symbolizer->link.start_err ?: -EPIPE;

	return err == -EPIPE ? -EIO : err; /* -EPIPE is for a reader of ours that has gone */
}

const char *symbolizer_last_end(struct symbolizer *symbolizer)
{
	struct worker_link *link = &symbolizer->link;
	int end;

	worker_link_is_up(link, START_TIMEOUT_MS); /* with the next worker comes how the last one ended */
	end = link->last_end;
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
	return worker_link_is_up(&symbolizer->link, START_TIMEOUT_MS) ? symbolizer->link.pid : -1;
}

/* ---- handing over ---- */

/* A FIFO or a device must not even be looked at: reading it may never end. */
static bool is_regular(int fd)
{
	struct stat status;

	return fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
}

/* Whether we hold half of the descriptors that we may have: the rest is for BPF objects and perf events. */
static bool holds_too_many(const struct worker_link *link)
{
	struct rlimit limit;
	size_t max = getrlimit(RLIMIT_NOFILE, &limit) ? 128 : (size_t)limit.rlim_cur / 2, nr = 0;

	for (size_t i = 0; i < link->files.nr; i++)
		nr += link->files.data[i].fd >= 0;
	return nr >= max;
}

/* Why a file is not even sent to the worker, or SYMBOL_OK. */
static enum symbol_status refusal_of(const struct worker_link *link, int fd)
{
	if (fd < 0)
		return SYMBOL_NO_FILE;
	if (holds_too_many(link))
		return SYMBOL_NO_DESCRIPTORS;
	return is_regular(fd) ? SYMBOL_OK : SYMBOL_NOT_ELF;
}

static int hand_over(struct symbolizer *symbolizer, uint32_t file, int fd, enum symbol_file_kind kind)
{
	struct worker_link *link = &symbolizer->link;
	_cleanup_(closep) int given = fd;
	struct handed_file handed = { .number = file, .fd = -1, .state = HANDED_REFUSED, .kind = kind };
	struct handed_file *place = worker_link_file(link, file);

	if (place && place->state != HANDED_DROPPED)
		return -EEXIST;
	worker_link_pump(link);
	handed.status = refusal_of(link, given);
	if (!place) {
		int err = vec_try_push(&link->files, handed);

		if (err)
			return err;
		place = &vec_last(&link->files);
	}
	if (handed.status == SYMBOL_OK) {
		handed.state = HANDED_WAITING;
		handed.fd = take_fd(&given);
	}
	*place = handed;
	worker_link_pump(link);
	return 0;
}

int symbolizer_want_unwind(struct symbolizer *symbolizer, uint32_t number, int fd)
{
	struct worker_link *link = &symbolizer->link;
	int err;

	if (!is_regular(fd))
		closep(&fd); /* the worker says that there is no file */
	err = unwind_queue_add(&link->unwinds, number, fd);
	if (err)
		return err;
	if (link->gave_up != SYMBOL_OK)
		unwind_queue_give_up(&link->unwinds, link->gave_up);
	worker_link_pump(link);
	return 0;
}

bool symbolizer_next_unwind(struct symbolizer *symbolizer, int timeout_ms, struct symbol_unwind *ret_unwind)
{
	return worker_link_next_unwind(&symbolizer->link, timeout_ms, ret_unwind);
}

int symbolizer_socket(const struct symbolizer *symbolizer)
{
	return symbolizer->link.socket;
}

int symbolizer_add_file(struct symbolizer *symbolizer, uint32_t file, int fd)
{
	return hand_over(symbolizer, file, fd, SYMBOL_FILE_PROGRAM);
}

int symbolizer_add_same(struct symbolizer *symbolizer, uint32_t file, uint32_t known)
{
	const struct handed_alias alias = { file, known };

	if (worker_link_file(&symbolizer->link, file))
		return -EEXIST;
	return vec_try_push(&symbolizer->link.aliases, alias);
}

int symbolizer_add_map(struct symbolizer *symbolizer, uint32_t file, int fd)
{
	return hand_over(symbolizer, file, fd, SYMBOL_FILE_MAP);
}

int symbolizer_add_module(struct symbolizer *symbolizer, uint32_t file, int fd)
{
	return hand_over(symbolizer, file, fd, SYMBOL_FILE_MODULE);
}

void symbolizer_drop_map(struct symbolizer *symbolizer, uint32_t file)
{
	struct handed_file *handed = worker_link_file(&symbolizer->link, file);

	if (handed && handed->kind == SYMBOL_FILE_MAP && handed->state != HANDED_DROPPED)
		worker_link_drop(&symbolizer->link, handed);
}

int symbolizer_add_kernel(struct symbolizer *symbolizer, int fd)
{
	struct handed_file *kernel = &symbolizer->link.kernel;

	closep(&kernel->fd);
	*kernel =
		(struct handed_file){ .number = SYMBOL_KERNEL, .fd = fd, .state = HANDED_WAITING, .status = SYMBOL_OK };
	return 0;
}

/* ---- questions ---- */

struct question {
	enum message_kind kind, answer;
	uint32_t request; /* `status` of the message: worker_protocol.h */
	const char *texts[2]; /* NULL: none */
	const struct symbol_query *queries;
	size_t nr;
};

/* Sends a question, in as many messages as its places need, and waits for the first message of the answer. */
static enum symbol_status ask_once(struct worker_link *link, struct handed_file *file, const struct question *question)
{
	enum symbol_status status = SYMBOL_OK;
	struct draft *draft = &link->draft;
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
			return worker_link_ask(link, file, question->answer);
		status = worker_link_send(link, file);
	}
	return status;
}

/* The same, again while another file was to blame for the loss of the worker. */
static enum symbol_status ask(struct worker_link *link, struct handed_file *file, const struct question *question)
{
	enum symbol_status status;

	do {
		status = worker_link_index(link, file);
		if (status != SYMBOL_OK)
			break;
		status = ask_once(link, file, question);
	} while (status != SYMBOL_OK && status != SYMBOL_NOT_FOUND && file->state != HANDED_REFUSED);
	return status;
}

/* -ETIMEDOUT or -EIO for a worker that broke, -ECHILD where there is none, -ETIME after the end of all waiting, else 0. */
static int errno_of(enum symbol_status status)
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
	default:
		return 0;
	}
}

/*
 * Asks, and takes an answer of several messages. A worker that sends nonsense or too much is replaced, as is one whose answer
 * we could not take to its end: what is left of it would be taken for the next one.
 */
static int find(struct worker_link *link, struct handed_file *file, const struct question *question,
		struct found *found)
{
	enum symbol_status status = ask(link, file, question);
	bool is_cut;
	int taken = 0;

	found->nr_before = link->texts.nr_bytes;
	while (status == SYMBOL_OK && (taken = answers_found(&link->message, &link->texts, found)) == 1)
		status = worker_link_next(link, file, question->answer);
	is_cut = status == SYMBOL_OK && taken < 0 && taken != -EPROTO && link->message.header.more;
	if (is_cut || taken == -EPROTO || taken == -EMSGSIZE)
		status = worker_link_distrust(link, file);
	if (!is_cut && taken != -EMSGSIZE && status != SYMBOL_OK)
		taken = errno_of(status) ?: -ENOEXEC;
	if (taken)
		found_done(found);
	return taken;
}

/* ---- names ---- */

static int name_all(struct worker_link *link, struct handed_file *file, const struct symbol_query *queries, size_t nr,
		    struct symbol_answer *ret_answers)
{
	enum symbol_status status = file ? SYMBOL_OK : SYMBOL_NO_FILE;
	size_t done = 0;

	while (status == SYMBOL_OK && done < nr) {
		struct question question = { MESSAGE_NAME, MESSAGE_NAMES, .queries = queries + done,
					     .nr = nr - done < QUERIES_MAX ? nr - done : QUERIES_MAX };
		size_t nr_named = 0;

		status = ask(link, file, &question);
		if (status == SYMBOL_OK) {
			nr_named = answers_names(&link->message, &link->texts, question.nr, ret_answers + done);
			status = nr_named ? SYMBOL_OK : worker_link_distrust(link, file);
		}
		done += nr_named;
	}
	for (; done < nr; done++)
		ret_answers[done] = (struct symbol_answer){ .status = status };
	return errno_of(status);
}

int symbolizer_name_file(struct symbolizer *symbolizer, uint32_t file, const struct symbol_query *queries, size_t nr,
			 struct symbol_answer *ret_answers)
{
	struct worker_link *link = &symbolizer->link;

	return name_all(link, worker_link_file(link, file), queries, nr, ret_answers);
}

int symbolizer_name_kernel(struct symbolizer *symbolizer, const struct symbol_query *queries, size_t nr,
			   struct symbol_answer *ret_answers)
{
	return name_all(&symbolizer->link, &symbolizer->link.kernel, queries, nr, ret_answers);
}

/* ---- functions by name ---- */

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
 * Implementations come in the place of their resolver, and before what has a symbol of its own there; the best of
 * several names is the last, as in the symbol table. qsort() is not for the worker: it asks for the memory size.
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
	struct handed_file *handed = worker_link_file(&symbolizer->link, file);
	struct found found = {};
	int err = handed ? find(&symbolizer->link, handed, &question, &found) : -ENOENT;

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
	struct handed_file *handed = worker_link_file(&symbolizer->link, file);
	struct found found = {};
	int err = handed ? find(&symbolizer->link, handed, &question, &found) : -ENOENT;

	if (err)
		return err;
	if (found.probes.nr) /* here and not in the worker: qsort() asks the system for its memory size */
		qsort(found.probes.data, found.probes.nr, sizeof(*found.probes.data), compare_probes);
	*ret_probes = found.probes.data;
	*ret_nr = found.probes.nr;
	return 0;
}

/* A question whose answer is up to `room` texts in one message. */
static size_t ask_texts(struct symbolizer *symbolizer, uint32_t file, const struct question *question,
			const char **ret_texts, size_t room)
{
	struct worker_link *link = &symbolizer->link;
	struct handed_file *handed = worker_link_file(link, file);

	return handed && ask(link, handed, question) == SYMBOL_OK
		       ? answers_suggestions(&link->message, &link->texts, ret_texts, room)
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

/* ---- source lines ---- */

int symbolizer_lines(struct symbolizer *symbolizer, uint32_t file, const struct symbol_query *queries, size_t nr,
		     bool inlines, unsigned int timeout_ms, struct symbol_lines *ret_lines)
{
	const struct question question = { MESSAGE_LINES, MESSAGE_SOURCES,
					   timeout_ms << LINES_TIME_SHIFT | (inlines ? LINES_INLINED : 0),
					   .queries = queries, .nr = nr };
	struct handed_file *handed = worker_link_file(&symbolizer->link, file);
	struct found found = { .ranges = calloc(nr + 1, sizeof(*found.ranges)), .nr_places = nr };
	int err = !handed ? -ENOENT : nr > LINES_ASKED_MAX ? -E2BIG : found.ranges ? 0 : -ENOMEM;

	if (err)
		found_done(&found);
	else
		err = find(&symbolizer->link, handed, &question, &found);
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

/* ---- build ids ---- */

const char *symbolizer_build_id(struct symbolizer *symbolizer, uint32_t file)
{
	struct handed_file *handed = worker_link_file(&symbolizer->link, file);

	if (!handed)
		return "";
	worker_link_index(&symbolizer->link, handed);
	return handed->build_id ?: "";
}
