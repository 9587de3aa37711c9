/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/naming/naming.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/buf.h"
#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/base/names.h"
#include "core/files/debug_files.h"
#include "core/files/opener.h"
#include "core/host/host.h"
#include "core/profile/tracer.h"
#include "core/spaces/frame_reasons.h"
#include "core/spaces/images.h"

/* Servers are queried last, and once per file. */
static int ask_servers(const struct naming *naming, struct symbol_debug_request *request)
{
	const unsigned int last = 1u << 30;

	if (!naming->debuginfod || request->candidate >= last || !*request->build_id)
		return -ENOENT;
	request->candidate = last;
	return debuginfod_open(naming->debuginfod, request->build_id, naming->why);
}

/* Where the file is: its debug file may be beside it. A file from the command line is at naming->path. */
static bool find_home(const struct naming *naming, uint32_t file, struct debug_home *ret_home)
{
	struct opener_found found;

	if (naming->spaces && *naming->spaces)
		return !images_home(spaces_images(*naming->spaces), file, ret_home);
	if (!naming->path)
		return false;
	ret_home->root = opener_root(0);
	ret_home->where = "";
	if (ret_home->root < 0 || opener_find_below(ret_home->root, naming->path, 0, 0, &found))
		return false;
	ret_home->path = found.path;
	ret_home->owner = found.owner;
	return true;
}

static int open_debug(void *context, uint32_t file, struct symbol_debug_request *request)
{
	const struct naming *naming = context;
	struct debug_search search = {
		.directories = naming->debug_directories,
		.host_root = naming->host_root,
		.why = naming->why,
	};
	_cleanup_(debug_home_done) struct debug_home home = { .root = -1 };
	int fd;

	if (find_home(naming, file, &home))
		search.home = &home;
	fd = debug_files_open(&search, request);
	return fd >= 0 ? fd : ask_servers(naming, request);
}

/* For a new worker: opens a file of frames again. Files of probes are not needed any more. */
static int open_again(void *context, uint32_t file)
{
	const struct naming *naming = context;

	return *naming->spaces ? spaces_open_again(*naming->spaces, file) : -ENOENT;
}

int naming_start(const struct naming *naming, struct symbolizer **ret_symbolizer)
{
	const struct symbolizer_options options = {
		.no_demangle = naming->no_demangle,
		.identify_only = naming->identify_only,
		.lines = naming->lines,
		.data = naming->data,
		.open_debug = open_debug,
		.open_again = naming->spaces ? open_again : NULL,
		.context = (void *)naming,
	};

	return symbolizer_new(&options, ret_symbolizer);
}

int naming_await(struct symbolizer *symbolizer)
{
	int err = symbolizer_await(symbolizer);

	return err ? fail_start(err, "symbol worker") : 0;
}

void naming_warn(struct symbolizer *symbolizer, const struct spaces *spaces, bool quiet)
{
	const char *end = symbolizer_last_end(symbolizer);
	int err = symbolizer_await(symbolizer);
	_cleanup_(buf_done) struct buf maps = {};

	if (end)
		fprintf(stderr, "WARNING: a symbol worker ended (%s): names may be missing\n", end);
	if (err && err != -EIO)
		fprintf(stderr, "WARNING: the symbol worker could not be started again: %s: names are missing\n",
			strerror(-err));
	if (spaces && !quiet)
		spaces_add_maps_note(spaces, &maps);
	if (maps.nr)
		fprintf(stderr, "NOTE: %s\n", buf_text(&maps));
	if (!quiet && !symbolizer_has_filter())
		fputs("NOTE: the symbol worker ran without a system call filter: the kernel has no seccomp filters, or the "
		      "container's filter refuses seccomp()\n",
		      stderr);
}

/* The frames of one file, or of the kernel, that have no name yet. */
struct batch {
	VEC(uint32_t) frames;
	VEC(struct symbol_query) queries;
};

/* Names a function without a symbol with its module, because each file has such functions: "libx.so!fn_0x1a2b0". */
static uint32_t add_nameless(struct profile *profile, string_id module, const char *function)
{
	struct buf text = {};
	string_id name;

	buf_addf(&text, "%s!%s", profile_string(profile, module), function);
	name = strtab_add(&profile->strings, buf_text(&text));
	buf_done(&text);
	return name;
}

static void take_answer(struct profile *profile, uint32_t index, const struct symbol_answer *answer)
{
	struct profile_frame *frame = &profile->frames.data[index];
	bool is_kernel = frame->kind == FRAME_KERNEL;

	frame->reason = (uint8_t)frame_reason_of(answer->status, is_kernel);
	if (is_kernel)
		frame->module = strtab_add(&profile->strings, answer->module ? answer->module : "kernel");
	if (answer->status != SYMBOL_OK || !answer->name)
		return;
	frame->name = answer->nameless ? add_nameless(profile, frame->module, answer->name)
				       : strtab_add(&profile->strings, answer->name);
	if (!frame->name) /* there are too many names */
		frame->reason = (uint8_t)frame_reason_of(SYMBOL_NO_MEMORY, is_kernel);
	frame->offset = answer->offset;
	frame->tracer = is_kernel && frame_is_tracer(answer->name, answer->module);
}

/* Sorts the frames without a name into batches, one per file; the last is the kernel's. */
static void collect(struct profile *profile, struct batch *batches)
{
	for (uint32_t i = 0; i < profile->frames.nr; i++) {
		const struct profile_frame *frame = &profile->frames.data[i];
		bool is_kernel = frame->kind == FRAME_KERNEL;
		struct batch *batch;

		if ((frame->reason != REASON_NOT_TRIED && frame->reason != REASON_PAUSED) ||
		    (!is_kernel && (frame->kind != FRAME_USER_FILE || frame->file >= profile->files.nr)))
			continue;
		batch = &batches[is_kernel ? profile->files.nr : frame->file];
		vec_push(&batch->frames, i);
		vec_push(&batch->queries, (struct symbol_query){ .where = frame->where, .exact = frame->exact });
	}
}

/* Saves the build ids of modules, which are needed for lines and cannot be read after a module is unloaded. */
static void note_modules(struct profile *profile, const struct batch *batch)
{
	for (size_t i = 0; i < batch->frames.nr; i++) {
		struct profile_module module = { .name = profile->frames.data[batch->frames.data[i]].module };
		const char *name = profile_string(profile, module.name);
		char build_id[BUILD_ID_HEX_SIZE];

		if (!*name || !strcmp(name, "kernel") || profile_find_module(profile, module.name))
			continue;
		host_module_build_id(name, build_id);
		module.build_id = profile_add_string(profile, build_id);
		profile_add_module(profile, &module);
	}
}

/* `number` is the symbolizer's number of the file. */
static void name_batch(struct profile *profile, struct symbolizer *symbolizer, const struct batch *batch,
		       bool is_kernel, uint32_t number)
{
	_cleanup_(freep) struct symbol_answer *answers = xcalloc(batch->frames.nr, sizeof(*answers));
	const struct symbol_query *queries = batch->queries.data;

	if (!batch->frames.nr)
		return;
	if (is_kernel)
		symbolizer_name_kernel(symbolizer, queries, batch->queries.nr, answers);
	else
		symbolizer_name_file(symbolizer, number, queries, batch->queries.nr, answers);
	for (size_t i = 0; i < batch->frames.nr; i++)
		take_answer(profile, batch->frames.data[i], &answers[i]);
	if (is_kernel)
		note_modules(profile, batch);
}

/* A user frame shows its file's base name even if it has no name. */
static void show_files(struct profile *profile, const struct batch *batches)
{
	for (uint32_t file = 0; file < profile->files.nr; file++) {
		const char *path = profile_string(profile, profile->files.data[file].path);
		string_id module = batches[file].frames.nr ? strtab_add(&profile->strings, path_name(path)) : 0;

		for (size_t i = 0; module && i < batches[file].frames.nr; i++)
			profile->frames.data[batches[file].frames.data[i]].module = module;
	}
}

/* Names the frames in files of the host, or in other files. */
static void name_files(struct profile *profile, struct symbolizer *namer, const struct batch *batches,
		       const uint32_t *numbers, bool of_host)
{
	for (uint32_t file = 0; namer && file < profile->files.nr; file++) {
		uint32_t number = numbers ? numbers[file] : file;

		if (number != PROFILE_NONE && batches[file].frames.nr &&
		    symbolizer_is_of_host(namer, number) == of_host)
			name_batch(profile, namer, &batches[file], false, number);
	}
}

/*
 * Names user frames by `namer` and kernel frames by `kernel`, and gets the build ids of files from `identifier`, each for frames without a
 * name. Each of the three may be NULL. `numbers` as in name_saved_frames().
 */
static void answer(struct profile *profile, struct symbolizer *namer, struct symbolizer *identifier,
		   struct symbolizer *kernel, const uint32_t *numbers)
{
	uint32_t nr_files = (uint32_t)profile->files.nr;
	struct batch *batches = xcalloc(nr_files + 1, sizeof(*batches));

	collect(profile, batches);
	show_files(profile, batches);
	if (kernel)
		name_batch(profile, kernel, &batches[nr_files], true, 0);
	name_files(profile, namer, batches, numbers, true);
	name_files(profile, namer, batches, numbers, false);
	for (uint32_t file = 0; identifier && file < nr_files; file++) {
		struct profile_file *entry = &profile->files.data[file];

		if (batches[file].frames.nr && !entry->build_id)
			entry->build_id = strtab_add(&profile->strings, symbolizer_build_id(identifier, file));
	}
	for (uint32_t i = 0; i <= nr_files; i++) {
		vec_done(&batches[i].frames);
		vec_done(&batches[i].queries);
	}
	free(batches);
}

void name_frames(struct profile *profile, struct symbolizer *symbolizer, struct spaces *spaces)
{
	answer(profile, symbolizer, symbolizer, symbolizer, NULL);
	if (spaces)
		spaces_name_generated(spaces);
}

void identify_frames(struct profile *profile, struct symbolizer *symbolizer, struct symbolizer *identifier)
{
	answer(profile, NULL, identifier, symbolizer, NULL);
}

void name_saved_frames(struct profile *profile, struct symbolizer *symbolizer, const uint32_t *numbers)
{
	answer(profile, symbolizer, NULL, NULL, numbers);
}
