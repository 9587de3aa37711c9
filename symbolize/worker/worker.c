/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/worker/worker.h"

#include <string.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "symbolize/worker/worker_internal.h"

void worker_send(struct worker *worker)
{
	if (draft_send(&worker->draft, worker->socket, true, -1))
		_exit(0);
}

/* ---- names ---- */

static struct recent_name *recent_of(struct worker *worker, const void *of)
{
	size_t slots = sizeof(worker->recent) / sizeof(*worker->recent);

	return &worker->recent[((uintptr_t)of >> 4) % slots];
}

bool worker_add_name(struct worker *worker, const void *of, struct name name, bool is_mangled, uint32_t *ret_position)
{
	struct recent_name *recent = recent_of(worker, of);

	if (recent->of != of) {
		uint32_t position;

		if (is_mangled && !worker->options.no_demangle && demangle(name, worker->readable))
			name = (struct name){ worker->readable, strlen(worker->readable) };
		if (!draft_text(&worker->draft, name.text, name.nr_bytes, &position))
			return false;
		*recent = (struct recent_name){ of, position };
	}
	*ret_position = recent->position;
	return true;
}

void worker_forget_names(struct worker *worker)
{
	memset(worker->recent, 0, sizeof(worker->recent));
}

static bool add_name(struct worker *worker, const void *of, struct name name, uint32_t *ret_position)
{
	return worker_add_name(worker, of, name, true, ret_position);
}

uint64_t worker_place_of(const struct wire_query *query)
{
	return query->exact || !query->where ? query->where : query->where - 1;
}

bool worker_offset_of(const struct indexed_file *file, const struct wire_query *query, uint64_t *ret_offset)
{
	const struct code_range *code = query->linked ? symtab_code_at(&file->table, worker_place_of(query)) : NULL;

	if (file->kind == SYMBOL_FILE_MODULE && !code)
		return false; /* there are no offsets that a process could tell */
	*ret_offset = code ? worker_place_of(query) - code->address + code->offset : worker_place_of(query);
	return code || !query->linked;
}

bool worker_address_of(const struct indexed_file *file, const struct wire_query *query, uint64_t *ret_address)
{
	uint64_t offset;

	if (!worker_offset_of(file, query, &offset))
		return false;
	*ret_address = symtab_address(&file->table, offset);
	return symtab_code_at(&file->table, *ret_address);
}

/* Fills one answer; false when the draft's text is full. */
static bool name_in_file(struct worker *worker, struct indexed_file *file, const struct wire_query *query,
			 struct wire_answer *ret_answer)
{
	struct found_place place;
	uint64_t offset;

	if (file->status != SYMBOL_OK) {
		ret_answer->status = file->status;
		return true;
	}
	if (!worker_offset_of(file, query, &offset) || !indexed_file_lookup(file, offset, worker->scratch, &place)) {
		ret_answer->status = file->table.symbols.nr ? SYMBOL_NOT_FOUND : SYMBOL_NO_TABLE;
		return true;
	}
	if (!place.name.nr_bytes) {
		ret_answer->status = SYMBOL_MALFORMED; /* or the file has shrunk since */
		return true;
	}
	ret_answer->offset = offset + (query->where - worker_place_of(query)) - place.start;
	ret_answer->nameless = place.nameless;
	return add_name(worker, place.identity, place.name, &ret_answer->name);
}

static bool name_in_map(struct worker *worker, struct indexed_file *file, const struct wire_query *query,
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
	return add_name(worker, entry, name, &ret_answer->name);
}

typedef bool name_function(struct worker *worker, struct indexed_file *file, const struct wire_query *query,
			   struct wire_answer *ret_answer);

/* Answers as many places as fit into one message; the caller asks again for the rest. */
static void answer_names(struct worker *worker, struct indexed_file *file, name_function *name)
{
	worker_forget_names(worker);
	draft_start(&worker->draft, MESSAGE_NAMES, worker->message.header.file);
	for (uint32_t i = 0; i < worker->message.header.nr; i++) {
		struct wire_answer answer = {};
		struct wire_query query;

		message_element(&worker->message, i, &query, sizeof(query));
		if (!name(worker, file, &query, &answer) || !draft_element(&worker->draft, &answer, sizeof(answer)))
			break;
	}
	worker_send(worker);
}

/* ---- files ---- */

static void take_file(struct worker *worker, int fd)
{
	uint32_t number = worker->message.header.file, unused;
	enum symbol_status status = indexed_files_add(&worker->files, number, fd, worker->message.header.more);
	const struct indexed_file *file = indexed_files_get(&worker->files, number);
	char id[BUILD_ID_HEX_SIZE] = "";

	if (file)
		build_id_format(&file->build_id, id);
	draft_start(&worker->draft, MESSAGE_INDEXED, number);
	worker->draft.header.status = status;
	draft_text(&worker->draft, id, strlen(id), &unused);
	worker_send(worker);
}

int worker_ask_debug(struct worker *worker, uint32_t number, const struct build_id *build_id, const char *link,
		     uint32_t *candidate)
{
	struct message *reply = malloc(sizeof(*reply));
	char id[BUILD_ID_HEX_SIZE];
	uint32_t unused;
	int fd;

	if (!reply || !worker->options.ask_debug) {
		free(reply);
		return -1;
	}
	build_id_format(build_id, id);
	draft_start(&worker->draft, MESSAGE_WANT_DEBUG, number);
	worker->draft.header.status = *candidate;
	draft_text(&worker->draft, id, strlen(id), &unused);
	draft_text(&worker->draft, link, strlen(link), &unused);
	worker_send(worker);
	/* The next message is the answer, for the caller waits for ours. */
	if (message_receive(worker->socket, true, reply, &fd) || reply->header.kind != MESSAGE_DEBUG)
		_exit(1);
	*candidate = reply->header.status;
	free(reply);
	return fd;
}

void worker_complete(struct worker *worker, uint32_t number, struct indexed_file *file)
{
	enum {
		TRIES_MAX = 32
	};
	uint32_t candidate = 0;
	bool is_found = false;

	if (file->debug_done)
		return;
	file->debug_done = true;
	file->debug_asked = worker->options.ask_debug;
	for (int i = 0; !is_found && i < TRIES_MAX; i++) {
		_cleanup_(closep) int fd =
			worker_ask_debug(worker, number, &file->build_id, file->link.name, &candidate);

		if (fd < 0)
			break;
		is_found = indexed_file_add_debug(&worker->files, file, fd);
		file->debug_found = is_found;
	}
}

/* ---- the loop ---- */

/* A map names places, and nothing else can be asked of it. */
static void answer_about_map(struct worker *worker, struct indexed_file *map)
{
	if (map->status == SYMBOL_OK)
		map->status = symbol_status_of(perf_map_update(&map->map));
	answer_names(worker, map, map->status == SYMBOL_OK ? name_in_map : name_in_file);
}

/* A question about a file that never came is answered like one about an unreadable file. */
static void answer_about_file(struct worker *worker)
{
	struct indexed_file nothing = { .status = SYMBOL_NO_FILE };
	uint32_t number = worker->message.header.file;
	struct indexed_file *file = indexed_files_get(&worker->files, number);

	if (number == SYMBOL_KERNEL && worker->message.header.kind != MESSAGE_NAME &&
	    worker->message.header.kind != MESSAGE_FIND_USDT) {
		worker_answer_about_kernel(worker);
		return;
	}
	if (file && file->kind == SYMBOL_FILE_MAP && worker->message.header.kind == MESSAGE_NAME) {
		answer_about_map(worker, file);
		return;
	}
	if (file && file->kind == SYMBOL_FILE_MAP)
		file = NULL;
	if (file && worker->message.header.kind != MESSAGE_FIND_USDT) /* debug files have no notes */
		worker_complete(worker, number, file);
	else if (!file)
		file = &nothing;
	switch (worker->message.header.kind) {
	case MESSAGE_NAME:
		if (file != &nothing && file->status == SYMBOL_OK)
			indexed_files_note_asked(&worker->files, file, worker->message.header.nr);
		answer_names(worker, file, name_in_file);
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
	case MESSAGE_EXPLAIN:
		worker_explain(worker, file);
		break;
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
		indexed_files_drop_map(&worker->files, worker->message.header.file);
		break;
	case MESSAGE_UNWIND:
		worker_unwind(worker, given);
		break;
	case MESSAGE_LINES:
		worker_lines(worker);
		break;
	case MESSAGE_KERNEL:
		worker_take_kernel(worker, take_fd(&given));
		break;
	case MESSAGE_NAME_KERNEL:
		answer_names(worker, NULL, worker_name_in_kernel);
		break;
	case MESSAGE_NAME:
	case MESSAGE_FIND:
	case MESSAGE_SUGGEST:
	case MESSAGE_FIND_USDT:
	case MESSAGE_EXPLAIN:
		answer_about_file(worker);
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
	worker->files.max_fd = options->max_lines_fd;
	worker->kernel_fd = -1;
	while (message_receive(socket, true, &worker->message, &fd) == 0)
		handle(worker, fd);
	_exit(0);
}
