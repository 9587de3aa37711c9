/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/worker/worker.h"

#include <string.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "symbolize/worker/worker_internal.h"

/* Fills in an answer. Returns false if the draft has no room for its text. */
typedef bool name_function(struct worker *worker, const struct indexed_file *file, const struct wire_query *query,
			   struct wire_answer *ret_answer);

/*
 * Looks up the byte before a return address. If no function is there, the return address may be the first byte of a function that was not
 * called: glibc's __start_context, to which the function of makecontext() returns.
 */
static bool look_up(struct worker *worker, const struct indexed_file *file, const struct wire_query *query,
		    uint64_t offset, struct found_place *ret_place)
{
	if (indexed_file_lookup(file, offset, worker->scratch, ret_place))
		return true;
	return worker_place_of(query) < query->where &&
	       indexed_file_lookup(file, offset + 1, worker->scratch, ret_place) && ret_place->start == offset + 1;
}

static bool name_in_file(struct worker *worker, const struct indexed_file *file, const struct wire_query *query,
			 struct wire_answer *ret_answer)
{
	struct found_place place;
	uint64_t offset;

	if (!worker_offset_of(file, query, &offset) || !look_up(worker, file, query, offset, &place)) {
		ret_answer->status = file->table.symbols.nr ? SYMBOL_NOT_FOUND : SYMBOL_NO_TABLE;
		if (file->table.has_data && !symtab_has_place(&file->table, query->where))
			ret_answer->status = SYMBOL_OUTSIDE;
		return true;
	}
	if (!place.name.nr_bytes) {
		ret_answer->status = SYMBOL_MALFORMED; /* can also mean that the file was truncated */
		return true;
	}
	ret_answer->offset = offset + (query->where - worker_place_of(query)) - place.start;
	ret_answer->nameless = place.nameless;
	return worker_add_name(worker, place.identity, place.name, true, &ret_answer->name);
}

static bool name_in_map(struct worker *worker, const struct indexed_file *file, const struct wire_query *query,
			struct wire_answer *ret_answer)
{
	const struct perf_map_entry *entry = file->map.is_cut ? NULL
							      : perf_map_lookup(&file->map, worker_place_of(query));
	struct name name = entry ? perf_map_name(&file->map, entry, worker->scratch) : (struct name){ "", 0 };

	if (!name.nr_bytes) {
		ret_answer->status = file->map.is_cut ? SYMBOL_CUT : SYMBOL_NOT_FOUND;
		return true;
	}
	ret_answer->offset = query->where - entry->start;
	ret_answer->listed_again = perf_map_is_listed_again(&file->map, worker_place_of(query));
	return worker_add_name(worker, entry, name, true, &ret_answer->name);
}

static bool name_in_kernel(struct worker *worker, const struct indexed_file *kernel, const struct wire_query *query,
			   struct wire_answer *ret_answer)
{
	struct kernel_function function;
	struct name name, module;

	if (!kallsyms_lookup(kernel->kernel, worker_place_of(query), &function)) {
		ret_answer->status = SYMBOL_NOT_FOUND;
		return true;
	}
	name = (struct name){ function.name, strlen(function.name) };
	module = (struct name){ function.module, strlen(function.module) };
	ret_answer->offset = query->where - function.start;
	return worker_add_name(worker, function.name, name, true, &ret_answer->name) &&
	       worker_add_name(worker, function.module, module, true, &ret_answer->module);
}

static bool name_nowhere(struct worker *worker, const struct indexed_file *file, const struct wire_query *query,
			 struct wire_answer *ret_answer)
{
	ret_answer->status = file->status;
	return true;
}

/* Answers as many places as fit into one message. The caller requests the rest again. */
static void answer_names(struct worker *worker, const struct indexed_file *file)
{
	name_function *name = file->status != SYMBOL_OK       ? name_nowhere
			      : file->kernel                  ? name_in_kernel
			      : file->kind == SYMBOL_FILE_MAP ? name_in_map
							      : name_in_file;

	worker_start(worker, MESSAGE_NAMES);
	for (uint32_t i = 0; i < worker->message.header.nr; i++) {
		struct wire_answer answer = {};
		struct wire_query query;

		message_element(&worker->message, i, &query, sizeof(query));
		if (!name(worker, file, &query, &answer) || !draft_element(&worker->draft, &answer, sizeof(answer)))
			break;
	}
	worker_send(worker);
}

static void take_file(struct worker *worker, int fd)
{
	uint32_t number = worker->message.header.file, unused;
	enum symbol_status status = indexed_files_add(&worker->files, number, fd, worker->message.header.more);
	const struct indexed_file *file = indexed_files_get(&worker->files, number);
	char id[BUILD_ID_HEX_SIZE] = "";

	if (file)
		build_id_format(&file->build_id, id);
	worker_start(worker, MESSAGE_INDEXED);
	worker->draft.header.status = status;
	draft_text(&worker->draft, id, strlen(id), &unused);
	worker_send(worker);
}

/* The kernel's symbols, which are read at the first request. */
static struct indexed_file *kernel_of(struct worker *worker)
{
	struct indexed_file *kernel = &worker->kernel;
	int err;

	if (worker->kernel_known)
		return kernel;
	worker->kernel_known = true;
	*kernel = (struct indexed_file){ .status = SYMBOL_NO_FILE, .debug_done = true, .kernel = &worker->kallsyms };
	if (worker->kernel_fd < 0)
		return kernel;
	err = kallsyms_read(&worker->kallsyms, worker->kernel_fd);
	closep(&worker->kernel_fd);
	kernel->status = err == -EPERM || (!err && worker->kallsyms.hidden) ? SYMBOL_HIDDEN : symbol_status_of(err);
	return kernel;
}

/* Returns the file of a request; NULL if the number is unknown, or the file cannot answer requests of this kind. */
static struct indexed_file *file_of(struct worker *worker, enum message_kind kind)
{
	uint32_t number = worker->message.header.file;
	struct indexed_file *file;

	if (number == SYMBOL_KERNEL)
		return kind == MESSAGE_FIND_USDT || kind == MESSAGE_FIND_ENDS ? NULL : kernel_of(worker);
	file = indexed_files_get(&worker->files, number);
	return file && file->kind == SYMBOL_FILE_MAP && kind != MESSAGE_NAME ? NULL : file;
}

/* Answers a request about a missing file like one about an unreadable file. */
static void answer_about_file(struct worker *worker, int fd)
{
	enum message_kind kind = worker->message.header.kind;
	struct indexed_file nothing = { .status = SYMBOL_NO_FILE, .debug_done = true };
	struct indexed_file *file = file_of(worker, kind) ?: &nothing;

	if (kind != MESSAGE_FIND_USDT) /* USDT notes are not in debug files */
		worker_complete(worker, file);
	switch (kind) {
	case MESSAGE_NAME:
		if (file->status == SYMBOL_OK && file->kind == SYMBOL_FILE_MAP)
			file->status = symbol_status_of(perf_map_update(&file->map));
		else if (file->status == SYMBOL_OK && !file->kernel)
			indexed_files_note_asked(&worker->files, file, worker->message.header.nr);
		answer_names(worker, file);
		break;
	case MESSAGE_FIND:
		worker_find(worker, file);
		break;
	case MESSAGE_SUGGEST:
		worker_suggest(worker, file);
		break;
	case MESSAGE_FIND_USDT:
		worker_find_usdt(worker, file);
		break;
	case MESSAGE_FIND_ENDS:
		worker_find_ends(worker, file, fd);
		break;
	default:
		worker_explain(worker, file);
	}
}

/* Takes ownership of fd. */
static void handle(struct worker *worker, int fd)
{
	_cleanup_(closep) int given = fd;

	switch (worker->message.header.kind) {
	case MESSAGE_FILE:
		take_file(worker, given);
		break;
	case MESSAGE_DROP:
		indexed_files_drop(&worker->files, worker->message.header.file);
		break;
	case MESSAGE_UNWIND:
		worker_unwind(worker, given);
		break;
	case MESSAGE_LINES:
		worker_lines(worker);
		break;
	case MESSAGE_KERNEL:
		closep(&worker->kernel_fd);
		worker->kernel_fd = take_fd(&given);
		break;
	case MESSAGE_NAME:
	case MESSAGE_FIND:
	case MESSAGE_SUGGEST:
	case MESSAGE_FIND_USDT:
	case MESSAGE_FIND_ENDS:
	case MESSAGE_EXPLAIN:
		answer_about_file(worker, given);
		break;
	default:
		_exit(1);
	}
}

_Noreturn void worker_run(int socket, const struct worker_options *options)
{
	struct worker *worker = calloc(1, sizeof(*worker));
	int fd;

	if (!worker)
		_exit(1);
	worker->socket = socket;
	worker->options = *options;
	worker->files.identify_only = options->identify_only;
	worker->files.keep_lines = options->lines;
	worker->files.data = options->data;
	worker->files.max_fd = options->max_lines_fd;
	worker->kernel_fd = -1;
	while (message_receive(socket, true, &worker->message, &fd) == 0)
		handle(worker, fd);
	_exit(0);
}
