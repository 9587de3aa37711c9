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
#include "core/base/limits.h"
#include "symbolize/client/answers.h"
#include "symbolize/client/symbolizer_private.h"
#include "symbolize/elf/names.h"
#include "symbolize/worker/sandbox.h"

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

	worker_link_is_up(link, START_TIMEOUT_MS); /* with the next one comes how the last one ended */
	if (WIFSIGNALED(link->last_end) && link->last_end != WORKER_END_UNKNOWN)
		snprintf(symbolizer->last_end, sizeof(symbolizer->last_end), "signal %d (%s)", WTERMSIG(link->last_end),
			 strsignal(WTERMSIG(link->last_end)));
	else if (link->last_end != WORKER_END_UNKNOWN)
		snprintf(symbolizer->last_end, sizeof(symbolizer->last_end), "exit status %d",
			 WEXITSTATUS(link->last_end));
	else
		return NULL;
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

static size_t nr_held(const struct worker_link *link)
{
	size_t nr = 0;

	for (size_t i = 0; i < link->files.nr; i++)
		nr += link->files.data[i].fd >= 0;
	return nr;
}

/* Half of the descriptors that we may have: the rest is for BPF objects and perf events. */
static size_t held_max(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_NOFILE, &limit) ? 128 : (size_t)limit.rlim_cur / 2;
}

/* Why a file is not even sent to the worker, or SYMBOL_OK. */
static enum symbol_status refusal_of(const struct worker_link *link, int fd)
{
	if (fd < 0)
		return SYMBOL_NO_FILE;
	if (nr_held(link) >= held_max())
		return SYMBOL_NO_DESCRIPTORS;
	return is_regular(fd) ? SYMBOL_OK : SYMBOL_NOT_ELF;
}

static int hand_over(struct symbolizer *symbolizer, uint32_t file, int fd, enum symbol_file_kind kind)
{
	struct worker_link *link = &symbolizer->link;
	_cleanup_(closep) int given = fd;
	struct handed_file handed = { .number = file, .fd = -1, .state = HANDED_REFUSED, .kind = kind };
	struct handed_file *place = worker_link_file(link, file);
	int err = 0;

	if (place && place->state != HANDED_DROPPED)
		return -EEXIST;
	worker_link_pump(link);
	handed.status = refusal_of(link, given);
	if (!place)
		err = vec_try_push(&link->files, handed);
	if (err)
		return err;
	place = place ?: &vec_last(&link->files);
	*place = handed;
	if (handed.status != SYMBOL_OK)
		return 0;
	place->state = HANDED_WAITING;
	place->fd = take_fd(&given);
	worker_link_pump(link);
	return 0;
}

int symbolizer_want_unwind(struct symbolizer *symbolizer, uint32_t number, int fd)
{
	struct worker_link *link = &symbolizer->link;
	int err;

	if (!is_regular(fd)) {
		closep(&fd);
		fd = -1; /* the worker says that there is no file */
	}
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

/* ---- names ---- */

int symbolizer_errno_of(enum symbol_status status)
{
	switch (status) {
	case SYMBOL_TIMEOUT:
		return -ETIMEDOUT;
	case SYMBOL_WORKER_DIED:
		return -EIO;
	case SYMBOL_NOT_STARTED:
		return -ECHILD;
	default:
		return 0;
	}
}

int symbolizer_end_answer(struct worker_link *link, struct handed_file *file, enum symbol_status status, int taken)
{
	bool is_cut = status == SYMBOL_OK && taken < 0 && taken != -EPROTO && link->message.header.more;

	/* What is left of the answer would be taken for the next one. */
	if (is_cut || taken == -EPROTO || taken == -EMSGSIZE)
		status = worker_link_distrust(link, file);
	if (!is_cut && taken != -EMSGSIZE && status != SYMBOL_OK)
		return symbolizer_errno_of(status) ?: -ENOEXEC;
	return taken;
}

static void draft_queries(struct draft *draft, enum message_kind kind, uint32_t file,
			  const struct symbol_query *queries, size_t nr)
{
	draft_start(draft, kind, file);
	for (size_t i = 0; i < nr && i < QUERIES_MAX; i++) {
		struct wire_query wire = {
			.where = queries[i].where,
			.exact = queries[i].exact,
			.linked = queries[i].linked,
		};

		draft_element(draft, &wire, sizeof(wire));
	}
}

/* One question and answer. Returns how many places it named; 0 with the reason. */
static size_t name_some(struct worker_link *link, struct handed_file *file, const struct symbol_query *queries,
			size_t nr, struct symbol_answer *ret_answers, enum symbol_status *ret_status)
{
	bool is_kernel = file == &link->kernel;
	size_t nr_answers = 0;

	do {
		*ret_status = worker_link_index(link, file);
		if (*ret_status != SYMBOL_OK)
			return 0;
		draft_queries(&link->draft, is_kernel ? MESSAGE_NAME_KERNEL : MESSAGE_NAME, file->number, queries, nr);
		*ret_status = worker_link_ask(link, file, MESSAGE_NAMES);
	} while (*ret_status != SYMBOL_OK && file->state != HANDED_REFUSED); /* another file was to blame */
	if (*ret_status == SYMBOL_OK)
		nr_answers = answers_names(&link->message, &link->texts, nr, ret_answers);
	if (*ret_status == SYMBOL_OK && !nr_answers)
		*ret_status = worker_link_distrust(link, file);
	return nr_answers;
}

static int name_all(struct worker_link *link, struct handed_file *file, const struct symbol_query *queries, size_t nr,
		    struct symbol_answer *ret_answers)
{
	enum symbol_status status = file ? SYMBOL_OK : SYMBOL_NO_FILE;
	size_t done = 0;

	while (status == SYMBOL_OK && done < nr)
		done += name_some(link, file, queries + done, nr - done, ret_answers + done, &status);
	for (; done < nr; done++)
		ret_answers[done] = (struct symbol_answer){ .status = status };
	return symbolizer_errno_of(status);
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

/* Sends a question that is a text, or two. */
static enum symbol_status ask_text(struct worker_link *link, struct handed_file *file, enum message_kind question,
				   uint32_t request, const char *text, const char *second, enum message_kind answer)
{
	enum symbol_status status;
	uint32_t unused;

	do {
		status = worker_link_index(link, file);
		if (status != SYMBOL_OK)
			return status;
		draft_start(&link->draft, question, file->number);
		link->draft.header.status = request;
		if (!draft_text(&link->draft, text, strlen(text), &unused) ||
		    (second && !draft_text(&link->draft, second, strlen(second), &unused)))
			return SYMBOL_NOT_FOUND;
		status = worker_link_ask(link, file, answer);
	} while (status != SYMBOL_OK && file->state != HANDED_REFUSED);
	return status;
}

static int find_all(struct worker_link *link, struct handed_file *file, const char *pattern, bool readable,
		    struct found_functions *found)
{
	enum symbol_status status = ask_text(link, file, MESSAGE_FIND, readable, pattern, NULL, MESSAGE_FUNCTIONS);
	int taken = 0;

	while (status == SYMBOL_OK && (taken = answers_functions(&link->message, &link->texts, found)) == 1)
		status = worker_link_next(link, file, MESSAGE_FUNCTIONS);
	return symbolizer_end_answer(link, file, status, taken);
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
 * Implementations come in the place of their resolver, and before what has a symbol of its own there; the best of
 * several names is the last, as in the symbol table. qsort() is not for the worker: it asks for the memory size.
 */
static void sort_functions(struct found_functions *found)
{
	size_t first = 0;

	while (first < found->functions.nr && found->functions.data[first].kind != FUNCTION_IMPLEMENTATION)
		first++;
	if (first < found->functions.nr)
		qsort(found->functions.data, found->functions.nr, sizeof(*found->functions.data), compare_functions);
}

static int find(struct symbolizer *symbolizer, uint32_t file, const char *pattern, bool readable,
		struct symbol_function **ret_functions, size_t *ret_nr)
{
	struct handed_file *handed = worker_link_file(&symbolizer->link, file);
	struct found_functions found = {};
	int err = handed ? find_all(&symbolizer->link, handed, pattern, readable, &found) : -ENOENT;

	if (err) {
		vec_done(&found.functions);
		return err;
	}
	sort_functions(&found);
	*ret_functions = found.functions.data;
	*ret_nr = found.functions.nr;
	return 0;
}

int symbolizer_find(struct symbolizer *symbolizer, uint32_t file, const char *pattern,
		    struct symbol_function **ret_functions, size_t *ret_nr)
{
	return find(symbolizer, file, pattern, false, ret_functions, ret_nr);
}

int symbolizer_find_readable(struct symbolizer *symbolizer, uint32_t file, const char *pattern,
			     struct symbol_function **ret_functions, size_t *ret_nr)
{
	return find(symbolizer, file, pattern, true, ret_functions, ret_nr);
}

static int find_all_usdt(struct worker_link *link, struct handed_file *file, const char *provider, const char *name,
			 struct found_usdt *found)
{
	enum symbol_status status = ask_text(link, file, MESSAGE_FIND_USDT, 0, provider, name, MESSAGE_USDT);
	int taken = 0;

	while (status == SYMBOL_OK && (taken = answers_usdt(&link->message, &link->texts, found)) == 1)
		status = worker_link_next(link, file, MESSAGE_USDT);
	return symbolizer_end_answer(link, file, status, taken);
}

static int compare_probes(const void *left, const void *right)
{
	const struct symbol_usdt *a = left, *b = right;

	return a->file_offset < b->file_offset ? -1 : a->file_offset > b->file_offset;
}

int symbolizer_find_usdt(struct symbolizer *symbolizer, uint32_t file, const char *provider, const char *name,
			 struct symbol_usdt **ret_probes, size_t *ret_nr)
{
	struct handed_file *handed = worker_link_file(&symbolizer->link, file);
	struct found_usdt found = {};
	int err = handed ? find_all_usdt(&symbolizer->link, handed, provider, name, &found) : -ENOENT;

	if (err) {
		vec_done(&found.probes);
		return err;
	}
	if (found.probes.nr) /* here and not in the worker: qsort() asks the system for its memory size */
		qsort(found.probes.data, found.probes.nr, sizeof(*found.probes.data), compare_probes);
	*ret_probes = found.probes.data;
	*ret_nr = found.probes.nr;
	return 0;
}

size_t symbolizer_suggest(struct symbolizer *symbolizer, uint32_t file, const char *name, const char **ret_names,
			  size_t room)
{
	struct worker_link *link = &symbolizer->link;
	struct handed_file *handed = worker_link_file(link, file);

	if (!handed || ask_text(link, handed, MESSAGE_SUGGEST, 0, name, NULL, MESSAGE_SUGGESTIONS) != SYMBOL_OK)
		return 0;
	return answers_suggestions(&link->message, &link->texts, ret_names, room);
}

size_t symbolizer_explain(struct symbolizer *symbolizer, uint32_t file, const struct symbol_query *query,
			  const char **ret_sentences, size_t room)
{
	struct worker_link *link = &symbolizer->link;
	struct handed_file *handed = worker_link_file(link, file);

	if (!handed || worker_link_index(link, handed) != SYMBOL_OK)
		return 0;
	draft_queries(&link->draft, MESSAGE_EXPLAIN, file, query, 1);
	if (worker_link_ask(link, handed, MESSAGE_SUGGESTIONS) != SYMBOL_OK)
		return 0;
	return answers_suggestions(&link->message, &link->texts, ret_sentences, room);
}

const char *symbolizer_build_id(struct symbolizer *symbolizer, uint32_t file)
{
	struct handed_file *handed = worker_link_file(&symbolizer->link, file);

	if (!handed)
		return "";
	worker_link_index(&symbolizer->link, handed);
	return handed->build_id ?: "";
}
