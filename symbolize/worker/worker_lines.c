/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Source lines and inlined calls. One pass through the debug information of a file answers all places. */
#include <errno.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/base/names.h"
#include "symbolize/dwarf/dwarf_splits.h"
#include "symbolize/dwarf/source_search.h"
#include "symbolize/libdw/libdw_sources.h"
#include "symbolize/worker/worker_internal.h"

enum {
	TRIES_MAX = 8, /* candidates for the alternate file */
	CHAIN_MAX = 256, /* inlined calls reported for one place */
};

static bool add_text(struct worker *worker, const char *text, bool is_mangled, uint32_t *ret_position)
{
	*ret_position = NO_TEXT;
	return !text || worker_add_name(worker, text, (struct name){ text, strlen(text) }, is_mangled, ret_position);
}

static bool try_line(struct worker *worker, const struct symbol_line *line, uint32_t query)
{
	struct wire_source wire = {
		.query = query,
		.line = line->line,
		.inlined = line->inlined,
		.by_libdw = line->by_libdw,
		.omitted = line->omitted,
	};

	return add_text(worker, line->name, true, &wire.name) && add_text(worker, line->file, false, &wire.file) &&
	       draft_element(&worker->draft, &wire, sizeof(wire));
}

/* Sends the message if it is full, and continues in the next one. */
static void add_line(struct worker *worker, const struct symbol_line *line, uint32_t query)
{
	if (try_line(worker, line, query))
		return;
	worker_send_full(worker);
	try_line(worker, line, query);
}

/*
 * Adds lines from the innermost call outwards. The line of each call is where it calls the one before. Beyond CHAIN_MAX, outer calls are
 * only counted, but the line of the function itself is added.
 */
static void add_place(struct worker *worker, const struct source_batch *batch, const struct source_place *place)
{
	struct symbol_line line = { .file = place->file, .line = place->line, .by_libdw = place->by_libdw };
	uint32_t frame = place->inner;

	for (int i = 1; frame != SOURCE_NONE; i++) {
		const struct source_frame *inlined = &batch->frames.data[frame];
		const struct source_frame *end = i < CHAIN_MAX ? inlined : &batch->frames.data[inlined->outermost];

		line.name = inlined->name;
		line.inlined = true;
		line.omitted = i < CHAIN_MAX ? 0 : inlined->nr_outer;
		add_line(worker, &line, place->query);
		line = (struct symbol_line){ .file = end->file, .line = end->line, .by_libdw = place->by_libdw };
		frame = end->outer;
	}
	add_line(worker, &line, place->query);
}

static void answer(struct worker *worker, const struct source_batch *batch)
{
	const struct symbol_line missing = { .file = batch->missing_split, .line = batch->nr_missing_splits };

	worker_start(worker, MESSAGE_SOURCES);
	for (size_t i = 0; i < batch->places.nr; i++)
		if (batch->places.data[i].file || batch->places.data[i].inner != SOURCE_NONE)
			add_place(worker, batch, &batch->places.data[i]);
	if (batch->missing_split)
		add_line(worker, &missing, SPLITS_MISSING);
	worker_send(worker);
}

/* A file to which the requested file refers. */
struct other_file {
	int fd; /* -1: not open */
	struct elf_file elf;
	struct dwarf dwarf;
};

static void close_other(struct other_file *other)
{
	if (other->fd < 0)
		return;
	dwarf_close(&other->dwarf);
	elf_file_done(&other->elf);
	closep(&other->fd);
}

/* Opens a split file of `skeletons`, or without them the file with this build id. Takes ownership of the descriptor on success. */
static bool open_other(struct other_file *other, int *fd, struct dwarf *skeletons, const struct build_id *id)
{
	struct build_id found;
	int err;

	if (elf_file_open(&other->elf, *fd))
		return false;
	if (skeletons)
		err = dwarf_open_split(&other->dwarf, &other->elf, skeletons, DWARF_SMALL_MAX);
	else if (elf_file_build_id(&other->elf, &found) || !build_id_same(&found, id))
		err = -ENODATA;
	else
		err = dwarf_open(&other->dwarf, &other->elf, DWARF_SMALL_MAX);
	if (err)
		elf_file_done(&other->elf);
	else
		other->fd = take_fd(fd);
	return !err;
}

/* Without the alternate file, only names are missing. */

/* Returns the part of dwz's path to request: a path below a directory of debug files, or a plain file name. */
static const char *link_of(const char *path)
{
	const char *below = strstr(path, "/" DEBUG_LINK_ALTERNATE);

	return below ? below + 1 : path_name(path);
}

static void open_alternate(struct worker *worker, const struct elf_file *elf, struct other_file *alternate)
{
	char path[ALTERNATE_PATH_SIZE];
	struct build_id id;
	uint32_t candidate = 0;

	if (dwarf_alternate(elf, path, &id) ||
	    (!debug_link_is_plain(link_of(path)) && !debug_link_is_alternate(link_of(path))))
		return;
	for (int i = 0; i < TRIES_MAX && alternate->fd < 0; i++) {
		_cleanup_(closep) int fd = worker_ask_debug(worker, &id, link_of(path), &candidate);

		if (fd < 0)
			return;
		open_other(alternate, &fd, NULL, &id);
	}
}

/* Split files and the package (dwarf_splits.h). */

struct worker_splits {
	struct dwarf_splits splits; /* must be first: open_split() casts it to struct worker_splits */
	struct worker *worker;
	struct dwarf *skeletons;
	bool package_asked;
	struct other_file package, split;
};

/* Requests candidates until one is a split file. The caller's list of candidates is finite, so the loop ends. */
static struct dwarf *open_next(struct worker_splits *splits, struct other_file *split, const char *path,
			       uint32_t *candidate)
{
	const struct build_id none = {};

	for (;;) {
		_cleanup_(closep) int fd = worker_ask_debug(splits->worker, &none, path, candidate);

		if (fd < 0)
			return NULL;
		if (open_other(split, &fd, splits->skeletons, NULL))
			return &split->dwarf;
	}
}

/* Opens a split file or the package. The first package found stays open and serves all units. */
static struct dwarf *open_split(struct dwarf_splits *base, const char *path, uint32_t *candidate)
{
	struct worker_splits *splits = (struct worker_splits *)base;
	uint32_t first = 0;

	if (strcmp(path, SYMBOL_PACKAGE) != 0) {
		close_other(&splits->split);
		return debug_link_is_split(path) ? open_next(splits, &splits->split, path, candidate) : NULL;
	}
	if ((*candidate)++)
		return NULL;
	if (!splits->package_asked)
		open_next(splits, &splits->package, path, &first);
	splits->package_asked = true;
	return splits->package.fd < 0 ? NULL : &splits->package.dwarf;
}

static int find_in(struct worker *worker, struct source_batch *batch, const struct elf_file *elf, bool inlines)
{
	struct other_file alternate = { .fd = -1 };
	struct dwarf dwarf;
	struct worker_splits splits = {
		.splits = { open_split },
		.worker = worker,
		.skeletons = &dwarf,
		.package = { .fd = -1 },
		.split = { .fd = -1 },
	};
	int err = dwarf_open(&dwarf, elf, DWARF_SMALL_MAX);

	if (err)
		return err;
	if (inlines)
		open_alternate(worker, elf, &alternate);
	dwarf.alternate = alternate.fd < 0 ? NULL : &alternate.dwarf;
	dwarf.splits = &splits.splits;
	err = source_search(&dwarf, batch, inlines);
	if (!err && batch->left.nr && libdw_sources_find(elf, batch, inlines) == -ETIME)
		err = -ETIME;
	close_other(&splits.package);
	close_other(&splits.split);
	close_other(&alternate);
	dwarf_close(&dwarf);
	return err;
}

static int add_places(const struct worker *worker, const struct indexed_file *file, struct source_batch *batch)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < worker->asked.queries.nr; i++) {
		uint64_t address;

		if (worker_address_of(file, &worker->asked.queries.data[i], &address))
			err = source_batch_add(batch, address, i);
	}
	return err ?: source_batch_sort(batch);
}

static int find(struct worker *worker, const struct indexed_file *file, uint32_t request, struct source_batch *batch)
{
	struct elf_file elf;
	int err = file->lines_err      ? file->lines_err
		  : file->lines_fd < 0 ? -ENODATA
				       : elf_file_open(&elf, file->lines_fd);

	if (err)
		return err;
	batch->code = file->table.code.data;
	batch->nr_code = file->table.code.nr;
	if (request >> LINES_TIME_SHIFT)
		batch->deadline_ns = clock_monotonic_ns() + (uint64_t)(request >> LINES_TIME_SHIFT) * NSEC_PER_MSEC;
	err = add_places(worker, file, batch);
	if (!err && file->kind == SYMBOL_FILE_MODULE)
		err = elf_file_lay_out(&elf) ?: libdw_sources_find(&elf, batch, request & LINES_INLINED);
	else if (!err)
		err = find_in(worker, batch, &elf, request & LINES_INLINED);
	elf_file_done(&elf);
	return err;
}

static void answer_all(struct worker *worker)
{
	struct indexed_file *file = indexed_files_get(&worker->files, worker->message.header.file);
	uint32_t request = worker->message.header.status;
	struct source_batch batch = {};
	int err = file && file->kind != SYMBOL_FILE_MAP && file->status == SYMBOL_OK ? 0 : -ENOEXEC;

	if (!err) {
		worker_complete(worker, file);
		err = find(worker, file, request, &batch);
	}
	if (err)
		worker_send_failure(worker, MESSAGE_SOURCES, err);
	else
		answer(worker, &batch);
	source_batch_done(&batch);
	vec_done(&worker->asked.queries);
}

void worker_lines(struct worker *worker)
{
	struct asked_places *asked = &worker->asked;

	if (asked->queries.nr && asked->file != worker->message.header.file)
		asked->queries.nr = 0;
	asked->file = worker->message.header.file;
	for (uint32_t i = 0; i < worker->message.header.nr; i++) {
		struct wire_query query;

		message_element(&worker->message, i, &query, sizeof(query));
		if (asked->queries.nr == LINES_ASKED_MAX || vec_try_push(&asked->queries, query))
			_exit(1);
	}
	if (!worker->message.header.more)
		answer_all(worker);
}
