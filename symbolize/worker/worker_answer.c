/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "symbolize/worker/worker_internal.h"

void worker_start(struct worker *worker, enum message_kind kind)
{
	memset(worker->recent, 0, sizeof(worker->recent));
	draft_start(&worker->draft, kind, worker->message.header.file);
}

void worker_send(struct worker *worker)
{
	if (draft_send(&worker->draft, worker->socket, true, -1))
		_exit(0);
}

void worker_send_full(struct worker *worker)
{
	worker->draft.header.more = true;
	worker_send(worker);
	worker_start(worker, worker->draft.header.kind);
}

void worker_send_failure(struct worker *worker, enum message_kind kind, int err)
{
	worker_start(worker, kind);
	worker->draft.header.status = (uint32_t)-err;
	worker_send(worker);
}

bool worker_add_name(struct worker *worker, const void *of, struct name name, bool is_mangled, uint32_t *ret_position)
{
	size_t slots = sizeof(worker->recent) / sizeof(*worker->recent);
	struct recent_name *recent = &worker->recent[((uintptr_t)of >> 4) % slots];

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

void worker_add_text(struct worker *worker, struct name text)
{
	struct wire_text wire;

	if (draft_text(&worker->draft, text.text, text.nr_bytes, &wire.text))
		draft_element(&worker->draft, &wire, sizeof(wire));
}

int worker_ask_debug(struct worker *worker, const struct build_id *build_id, const char *link, uint32_t *candidate)
{
	_cleanup_(freep) struct message *reply = worker->options.ask_debug ? malloc(sizeof(*reply)) : NULL;
	char id[BUILD_ID_HEX_SIZE];
	uint32_t unused;
	int fd;

	if (!reply)
		return -1;
	build_id_format(build_id, id);
	worker_start(worker, MESSAGE_WANT_DEBUG);
	worker->draft.header.status = *candidate;
	draft_text(&worker->draft, id, strlen(id), &unused);
	draft_text(&worker->draft, link, strlen(link), &unused);
	worker_send(worker);
	/* The next message is the answer: the caller sends nothing else before it. */
	if (message_receive(worker->socket, true, reply, &fd) || reply->header.kind != MESSAGE_DEBUG)
		_exit(1);
	*candidate = reply->header.status;
	return fd;
}

void worker_complete(struct worker *worker, struct indexed_file *file)
{
	enum {
		TRIES_MAX = 32
	};
	uint32_t candidate = 0;

	if (file->debug_done)
		return;
	file->debug_done = true;
	file->debug_asked = worker->options.ask_debug;
	for (int i = 0; !file->debug_found && i < TRIES_MAX; i++) {
		_cleanup_(closep) int fd = worker_ask_debug(worker, &file->build_id, file->link.name, &candidate);

		if (fd < 0)
			break;
		file->debug_found = indexed_file_add_debug(&worker->files, file, fd);
	}
}

uint64_t worker_place_of(const struct wire_query *query)
{
	return query->exact || !query->where ? query->where : query->where - 1;
}

bool worker_offset_of(const struct indexed_file *file, const struct wire_query *query, uint64_t *ret_offset)
{
	const struct code_range *code = query->linked ? symtab_code_at(&file->table, worker_place_of(query)) : NULL;

	if (file->kind == SYMBOL_FILE_MODULE && !code)
		return false; /* no process maps the object file, so no file offset is valid */
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

size_t worker_nr_symbols(const struct indexed_file *file)
{
	return file->kernel ? file->kernel->symbols.nr : file->table.symbols.nr;
}

struct worker_symbol worker_symbol(const struct indexed_file *file, size_t i, char scratch[NAME_MAX_BYTES])
{
	const struct symtab_symbol *symbol = file->kernel ? NULL : &file->table.symbols.data[i];
	const struct kernel_symbol *listed = file->kernel ? &file->kernel->symbols.data[i] : NULL;
	const char *name = listed && listed->name ? kallsyms_name(file->kernel, listed) : NULL;

	if (listed)
		return (struct worker_symbol){ { name, name ? strlen(name) : 0 }, listed->address, listed->merit };
	return (struct worker_symbol){ symtab_name(&file->table, symbol, scratch), symtab_start(&file->table, symbol),
				       symbol->merit };
}
