/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unwind tables: reads a file, compiles its table, sends it, and frees it. */
#include <string.h>
#include <unistd.h>

#include "symbolize/cfi/unwind_compile.h"
#include "symbolize/elf/elf_needs.h"
#include "symbolize/interpreter/asking.h"
#include "symbolize/worker/worker_internal.h"

/* Compiles the table and reads the list of needed files. A failure of either does not affect the other. */
static int compile(int fd, struct unwind_table *table, elf_needs *needs)
{
	struct elf_file elf;
	int err = elf_file_open(&elf, fd);

	if (err)
		return err;
	if (elf_needs_read(&elf, needs))
		vec_done(needs);
	err = unwind_compile(&elf, table);
	if (!err)
		interpreter_read(&elf, &table->interpreter);
	elf_file_done(&elf);
	return err;
}

static void send_head(struct worker *worker, enum symbol_status status, const struct unwind_table *table,
		      const elf_needs *needs)
{
	struct wire_unwind wire = {
		.first_page = table->first_page,
		.nr_pages = (uint32_t)table->pages.nr,
		.nr_rows = (uint32_t)table->rows.nr,
		.nr_rules = (uint32_t)table->rules.nr,
		.nr_functions = table->facts.nr_functions,
		.nr_bad = table->facts.nr_bad,
		.nr_segments = table->nr_segments,
		.interpreter = table->interpreter,
	};
	struct draft *draft = &worker->draft;
	uint32_t unused;

	memcpy(wire.segments, table->segments, sizeof(wire.segments));
	worker_start(worker, MESSAGE_UNWIND_TABLE);
	draft->header.status = status;
	if (status == SYMBOL_OK)
		draft_element(draft, &wire, sizeof(wire));
	for (size_t at = 0; at < needs->nr; at += strlen(needs->data + at) + 1) /* as many as fit */
		if (!draft_text(draft, needs->data + at, strlen(needs->data + at), &unused))
			break;
	worker_send(worker);
}

static void send_array(struct worker *worker, const void *data, size_t nr_bytes)
{
	const unsigned char *bytes = data;

	while (nr_bytes) {
		size_t nr = nr_bytes < MESSAGE_BODY_MAX_BYTES ? nr_bytes : MESSAGE_BODY_MAX_BYTES;

		if (message_send_words(worker->socket, MESSAGE_UNWIND_PART, worker->message.header.file, bytes,
				       (uint32_t)(nr / sizeof(uint32_t))))
			_exit(0);
		bytes += nr;
		nr_bytes -= nr;
	}
}

void worker_unwind(struct worker *worker, int fd)
{
	struct unwind_table table = {};
	elf_needs needs = {};
	int err = fd < 0 ? 0 : compile(fd, &table, &needs);

	send_head(worker, fd < 0 ? SYMBOL_NO_FILE : symbol_status_of(err), &table, &needs);
	if (fd >= 0 && !err) {
		send_array(worker, table.pages.data, table.pages.nr * sizeof(*table.pages.data));
		send_array(worker, table.rows.data, table.rows.nr * sizeof(*table.rows.data));
		send_array(worker, table.rules.data, table.rules.nr * sizeof(*table.rules.data));
	}
	vec_done(&needs);
	unwind_table_done(&table);
}
