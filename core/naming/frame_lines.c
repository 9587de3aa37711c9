/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/naming/frame_lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/clock.h"

enum {
	BATCH_MAX = 1 << 20, /* places of one question */
	KERNEL_FILE = 0x7fffffff, /* among the files that took too long */
	LEVELS_MAX = 1024, /* of calls at one place; the worker tells fewer */
	TIME_MAX_MS = 20000, /* of one question: less than the worker's own deadline, which would cost us the worker */
};

/* The frames of one file that wait. */
struct batch {
	uint32_t file, number; /* in the profile, or KERNEL_FILE, and at the symbolizer, or PROFILE_NONE */
	VEC(uint32_t) frames;
	VEC(struct symbol_query) queries;
};

struct search {
	struct frame_lines *lines;
	struct profile *profile;
	struct symbolizer *symbolizer;
	uint64_t end_ns;
	VEC(uint32_t) in_modules; /* frames that wait, in the order of their modules */
};

void frame_lines_done(struct frame_lines *lines)
{
	vec_done(&lines->late);
	module_debug_done(&lines->modules);
}

static bool is_wanted(const struct profile *profile)
{
	return profile->view.lines || profile->view.inlines;
}

bool frame_lines_waits(const struct profile *profile, const struct profile_frame *frame)
{
	return is_wanted(profile) && !frame->level && frame->line_reason == LINES_NOT_TRIED &&
	       (frame->kind == FRAME_KERNEL || (frame->kind == FRAME_USER_FILE && frame->file < profile->files.nr));
}

/* ---- answers ---- */

static enum line_reason reason_of(int err)
{
	switch (err) {
	case -ENODATA:
		return LINES_NO_DEBUG;
	case -EBADMSG:
		return LINES_NO_LINE;
	case -ENOENT:
	case -ENOEXEC:
		return LINES_NO_FILE;
	case -ETIME:
	case -ETIMEDOUT:
		return LINES_LATE;
	case -ENOMEM:
	case -EMFILE:
	case -EMSGSIZE:
		return LINES_NO_MEMORY;
	case -ECHILD:
		return LINES_NO_WORKER;
	default:
		return LINES_WORKER_DIED;
	}
}

static void set_source(struct profile *profile, struct profile_frame *frame, const struct symbol_line *line)
{
	if (!profile->view.lines || !line->file)
		return;
	frame->source = strtab_add(&profile->strings, line->file);
	frame->line = line->line;
}

/* A frame for a call that was inlined at the place of another; it may be there already, without its line. */
static void add_call(struct profile *profile, uint32_t function, uint16_t level, const char *name,
		     const struct symbol_line *line)
{
	struct profile_frame call = profile->frames.data[function];
	uint32_t position;

	call.level = level;
	call.name = name ? strtab_add(&profile->strings, name) : 0;
	call.reason = call.name ? REASON_NAMED : REASON_NO_SYMBOL;
	call.line_reason = LINES_FOUND;
	call.offset = call.source = call.line = 0;
	call.has_inlined = false;
	position = profile_add_frame(profile, &call);
	profile->frames.data[position].line_reason = LINES_FOUND;
	if (line)
		set_source(profile, &profile->frames.data[position], line);
}

/* Of a chain that is too long the outer calls are only counted. */
static uint16_t add_omitted(struct profile *profile, uint32_t function, uint16_t level, uint32_t nr)
{
	char name[64];

	if (!nr)
		return level;
	snprintf(name, sizeof(name), "%u more inlined call%s", nr, nr == 1 ? "" : "s");
	add_call(profile, function, ++level, name, NULL);
	return level;
}

/* For the calls too that are known of the place, of an earlier search. */
static void miss(struct profile *profile, uint32_t function, enum line_reason why)
{
	uint32_t call = profile->frames.data[function].has_inlined ? profile_find_inlined(profile, function, 1)
								   : PROFILE_NONE;

	profile->frames.data[function].line_reason = (uint8_t)why;
	for (uint16_t level = 2; call != PROFILE_NONE && level; level++) {
		profile->frames.data[call].line_reason = (uint8_t)why;
		call = profile_find_inlined(profile, function, level);
	}
}

static void take_place(struct profile *profile, uint32_t function, const struct symbol_line *lines, size_t nr)
{
	uint16_t level = 0;

	for (size_t i = 0; i < nr && level < LEVELS_MAX; i++) {
		struct profile_frame *frame = &profile->frames.data[function];

		frame->line_reason = LINES_FOUND;
		if (!lines[i].inlined) {
			set_source(profile, frame, &lines[i]);
			break;
		}
		frame->has_inlined = true;
		add_call(profile, function, ++level, lines[i].name, &lines[i]);
		level = add_omitted(profile, function, level, lines[i].omitted);
	}
	if (!nr)
		miss(profile, function, LINES_NO_LINE);
}

static void give_up(struct profile *profile, const struct batch *batch, size_t first, enum line_reason why)
{
	for (size_t i = first; i < batch->frames.nr; i++)
		miss(profile, batch->frames.data[i], why);
}

/* ---- questions ---- */

/* What was said about a file once does not go with what is found later. */
static void take_missing(struct profile *profile, uint32_t file, const struct symbol_lines *found)
{
	struct profile_file *entry = file < profile->files.nr ? &profile->files.data[file] : NULL;

	if (!entry || !found->missing_split || found->nr_missing_splits <= entry->nr_missing_splits)
		return;
	entry->missing_split = strtab_add(&profile->strings, found->missing_split);
	entry->nr_missing_splits = found->nr_missing_splits;
}

static unsigned int time_left_ms(const struct search *search)
{
	uint64_t now = clock_monotonic_ns(), left = now < search->end_ns ? (search->end_ns - now) / NSEC_PER_MSEC : 0;

	return left < TIME_MAX_MS ? (unsigned int)left : TIME_MAX_MS;
}

static int ask(struct search *search, const struct batch *batch, size_t first, size_t nr)
{
	struct profile *profile = search->profile;
	unsigned int timeout_ms = time_left_ms(search);
	struct symbol_lines found = {};
	int err = timeout_ms ? symbolizer_lines(search->symbolizer, batch->number, batch->queries.data + first, nr,
						profile->view.inlines, timeout_ms, &found)
			     : -ETIME;

	for (size_t i = 0; !err && i < nr; i++)
		take_place(profile, batch->frames.data[first + i], found.lines + found.ranges[i].first,
			   found.ranges[i].nr);
	take_missing(profile, batch->file, &found);
	symbol_lines_done(&found);
	return err;
}

static bool is_late(const struct search *search, uint32_t file)
{
	for (size_t i = 0; i < search->lines->late.nr; i++)
		if (search->lines->late.data[i] == file)
			return true;
	return false;
}

static void find_in_file(struct search *search, const struct batch *batch)
{
	size_t nr = batch->frames.nr;
	int err = batch->number == PROFILE_NONE ? -ENOENT : is_late(search, batch->file) ? -ETIME : 0;

	for (size_t first = 0; first < nr; first += BATCH_MAX) {
		if (!err)
			err = ask(search, batch, first, nr - first < BATCH_MAX ? nr - first : BATCH_MAX);
		if (err)
			give_up(search->profile, batch, first, reason_of(err));
		if (err == -ETIME && !is_late(search, batch->file))
			vec_push(&search->lines->late, batch->file);
		if (err)
			return;
	}
}

static void add_place(struct batch *batch, uint32_t number, const struct profile_frame *frame)
{
	const struct symbol_query query = {
		.where = frame->where,
		.exact = frame->exact,
		.linked = frame->kind == FRAME_KERNEL, /* when the distance is taken off */
	};

	vec_push(&batch->frames, number);
	vec_push(&batch->queries, query);
}

/* Also code that the kernel made: it has a module's name, and no file. */
static bool is_module(const struct profile *profile, const struct profile_frame *frame)
{
	return frame->kind == FRAME_KERNEL && frame->module &&
	       strcmp(profile_string(profile, frame->module), "kernel") != 0;
}

/* Sorts the frames that wait into one batch per file, and one for the kernel; what is in no file has no lines. */
static bool collect(struct search *search, struct batch *batches)
{
	struct profile *profile = search->profile;
	bool any = false;

	for (uint32_t i = 0; i < profile->frames.nr; i++) {
		struct profile_frame *frame = &profile->frames.data[i];

		if (frame->line_reason != LINES_NOT_TRIED || frame->level)
			continue;
		if (frame->kind == FRAME_USER_RAW)
			frame->line_reason = LINES_NO_CODE;
		if (!frame_lines_waits(profile, frame))
			continue;
		if (is_module(profile, frame))
			vec_push(&search->in_modules, i);
		else
			add_place(&batches[frame->kind == FRAME_KERNEL ? profile->files.nr : frame->file], i, frame);
		any = true;
	}
	return any;
}

/* What is wrong with a vmlinux that the user named was said when the run began. */
static void find_in_kernel(struct search *search, struct batch *batch)
{
	struct kernel_debug *kernel = &search->lines->kernel;

	if (!batch->frames.nr)
		return;
	if (kernel_debug_open(kernel, search->profile, search->symbolizer) ||
	    !kernel_debug_measure(kernel, search->profile, search->symbolizer)) {
		give_up(search->profile, batch, 0, LINES_KERNEL);
		return;
	}
	for (size_t i = 0; i < batch->queries.nr; i++)
		batch->queries.data[i].where -= kernel->distance;
	batch->file = KERNEL_FILE;
	batch->number = kernel->number;
	find_in_file(search, batch);
}

static int compare_modules(const void *left, const void *right, void *profile)
{
	const uint32_t *a = left, *b = right;
	const struct profile_frame *frames = ((const struct profile *)profile)->frames.data;

	return (frames[*a].module > frames[*b].module) - (frames[*a].module < frames[*b].module);
}

/* Of a return address behind a function's end, the call is in the function. */
static void add_place_of_module(struct profile *profile, const struct debug_module *module, struct batch *batch,
				uint32_t number)
{
	struct profile_frame *frame = &profile->frames.data[number], place = *frame;

	if (frame->name &&
	    debug_module_address(module, profile_string(profile, frame->name), frame->offset, &place.where))
		add_place(batch, number, &place);
	else
		frame->line_reason = LINES_NO_LINE;
}

/* The frames of one module. */
static void find_in_module(struct search *search, const uint32_t *frames, size_t nr)
{
	struct frame_lines *lines = search->lines;
	struct profile *profile = search->profile;
	const struct debug_module *module = module_debug_open(
		&lines->modules, &lines->kernel, profile, search->symbolizer, profile->frames.data[frames[0]].module);
	struct batch batch = {};

	for (size_t i = 0; i < nr; i++) {
		if (module)
			add_place_of_module(profile, module, &batch, frames[i]);
		else
			profile->frames.data[frames[i]].line_reason = LINES_MODULE;
	}
	if (module) {
		batch.file = batch.number = debug_module_number(module);
		find_in_file(search, &batch);
	}
	vec_done(&batch.frames);
	vec_done(&batch.queries);
}

static void find_in_modules(struct search *search)
{
	const struct profile *profile = search->profile;
	uint32_t *frames = search->in_modules.data;
	size_t nr = search->in_modules.nr;

	if (nr)
		qsort_r(frames, nr, sizeof(*frames), compare_modules, search->profile);
	for (size_t first = 0, next; first < nr; first = next) {
		for (next = first + 1; next < nr; next++)
			if (profile->frames.data[frames[next]].module != profile->frames.data[frames[first]].module)
				break;
		find_in_module(search, frames + first, next - first);
	}
}

static void find_all(struct search *search, struct batch *batches, const uint32_t *numbers)
{
	uint64_t start_ns = clock_monotonic_ns(), took_ns;
	struct frame_lines *lines = search->lines;

	for (uint32_t file = 0; file < search->profile->files.nr; file++) {
		batches[file].file = file;
		batches[file].number = numbers ? numbers[file] : file;
		if (batches[file].frames.nr)
			find_in_file(search, &batches[file]);
	}
	find_in_kernel(search, &batches[search->profile->files.nr]);
	find_in_modules(search);
	took_ns = clock_monotonic_ns() - start_ns;
	lines->left_ns -= took_ns < lines->left_ns ? took_ns : lines->left_ns;
}

void frame_lines_find(struct frame_lines *lines, struct profile *profile, struct symbolizer *symbolizer,
		      const uint32_t *numbers, uint64_t max_ns)
{
	struct search search = { .lines = lines, .profile = profile, .symbolizer = symbolizer };
	size_t nr_files = profile->files.nr;
	_cleanup_(freep) struct batch *batches = NULL;

	if (!is_wanted(profile))
		return;
	batches = xcalloc(nr_files + 1, sizeof(*batches));
	search.end_ns = clock_monotonic_ns() + (max_ns < lines->left_ns ? max_ns : lines->left_ns);
	if (collect(&search, batches))
		find_all(&search, batches, numbers);
	for (size_t i = 0; i <= nr_files; i++) {
		vec_done(&batches[i].frames);
		vec_done(&batches[i].queries);
	}
	vec_done(&search.in_modules);
	profile_expand(profile);
}
