/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/naming/frame_lines.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/waiting.h"

enum {
	BATCH_MAX = 1 << 20, /* places per request */
	KERNEL_FILE = 0x7fffffff, /* stands for the kernel in the list of files that took too long */
	LEVELS_MAX = 1024, /* inlined calls at one place; the worker sends fewer */
	TIME_MAX_MS = 20000, /* of one request */
};

#define GROUP_KERNEL (1ull << 32)
#define GROUP_MODULES (2ull << 32) /* plus the string_id of the module's name */

/* A frame to look up, and its group: a file of the profile, the kernel or a module. */
struct waiting {
	uint64_t group;
	uint32_t frame;
};

/* The frames of one group. */
struct batch {
	uint32_t file, number; /* in the list of late files; the symbolizer's, or PROFILE_NONE */
	const struct debug_module *module; /* NULL: none */
	uint64_t distance; /* of the kernel's addresses (kernel_debug.h) */
	VEC(uint32_t) frames;
	VEC(struct symbol_query) queries;
};

struct search {
	struct frame_lines *lines;
	struct profile *profile;
	struct symbolizer *symbolizer;
	const uint32_t *numbers;
	uint64_t end_ns;
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
	case -EBUSY:
		return LINES_PAUSED;
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

/* Adds a frame for a call that was inlined at the place of another frame. If the call has a frame already, adds only its line. */
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

/* Adds one frame that stands for the outer calls of a chain that is too long. */
static uint16_t add_omitted(struct profile *profile, uint32_t function, uint16_t level, uint32_t nr)
{
	char name[64];

	if (!nr)
		return level;
	snprintf(name, sizeof(name), "%u more inlined call%s", nr, nr == 1 ? "" : "s");
	add_call(profile, function, ++level, name, NULL);
	return level;
}

/* Sets the reason, also in the inlined calls that an earlier search found there. */
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

/* ---- requests ---- */

/* Keeps the largest number of the searches; they are not added up. */
static void take_missing(struct profile *profile, uint32_t file, const struct symbol_lines *found)
{
	struct profile_file *entry = file < profile->files.nr ? &profile->files.data[file] : NULL;

	if (!entry || !found->missing_split || found->nr_missing_splits <= entry->nr_missing_splits)
		return;
	entry->missing_split = strtab_add(&profile->strings, found->missing_split);
	entry->nr_missing_splits = found->nr_missing_splits;
}

static int ask(struct search *search, const struct batch *batch, size_t first, size_t nr)
{
	struct profile *profile = search->profile;
	uint64_t now = clock_monotonic_ns(),
		 left_ms = now < search->end_ns ? (search->end_ns - now) / NSEC_PER_MSEC : 0;
	unsigned int timeout_ms = left_ms < TIME_MAX_MS ? (unsigned int)left_ms : TIME_MAX_MS;
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
		for (size_t i = first; err && i < nr; i++)
			miss(search->profile, batch->frames.data[i], reason_of(err));
		if (err == -ETIME && !is_late(search, batch->file))
			vec_push(&search->lines->late, batch->file);
		if (err)
			return;
	}
}

/* Code that the kernel generated is a module without a file. */
static uint64_t group_of(const struct profile *profile, const struct profile_frame *frame)
{
	if (frame->kind != FRAME_KERNEL)
		return frame->file;
	return frame->module && strcmp(profile_string(profile, frame->module), "kernel") != 0
		       ? GROUP_MODULES | frame->module
		       : GROUP_KERNEL;
}

static int compare_waiting(const void *left, const void *right)
{
	const struct waiting *a = left, *b = right;

	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	return (a->frame > b->frame) - (a->frame < b->frame);
}

/* Finds the file of a group. LINES_NOT_TRIED, or the reason why there is none. */
static enum line_reason open_group(const struct search *search, uint64_t group, struct batch *batch)
{
	struct kernel_debug *kernel = &search->lines->kernel;

	if (group >= GROUP_MODULES) {
		batch->module = module_debug_open(&search->lines->modules, kernel, search->profile, search->symbolizer,
						  (string_id)(group - GROUP_MODULES));
		if (!batch->module)
			return LINES_MODULE;
		batch->file = batch->number = batch->module->number;
	} else if (group == GROUP_KERNEL) {
		/* a wrong file of --vmlinux was reported at the start */
		if (kernel_debug_open(kernel, search->profile, search->symbolizer) ||
		    !kernel_debug_measure(kernel, search->profile, search->symbolizer))
			return LINES_KERNEL;
		batch->file = KERNEL_FILE;
		batch->number = kernel->number;
		batch->distance = kernel->distance;
	} else {
		batch->file = (uint32_t)group;
		batch->number = search->numbers ? search->numbers[group] : batch->file;
	}
	return LINES_NOT_TRIED;
}

/* The address of a frame in the file that is searched; false if it is unknown. */
static bool place_in_file(const struct search *search, const struct batch *batch, const struct profile_frame *frame,
			  uint64_t *ret_where)
{
	*ret_where = frame->where - batch->distance;
	return !batch->module ||
	       (frame->name && debug_module_address(batch->module, profile_string(search->profile, frame->name),
						    frame->offset, ret_where));
}

static void find_group(struct search *search, const struct waiting *waiting, size_t nr)
{
	struct batch batch = {};
	enum line_reason why = open_group(search, waiting[0].group, &batch);

	for (size_t i = 0; i < nr; i++) {
		const struct profile_frame *frame = &search->profile->frames.data[waiting[i].frame];
		struct symbol_query query = { .exact = frame->exact, .linked = frame->kind == FRAME_KERNEL };

		if (why != LINES_NOT_TRIED || !place_in_file(search, &batch, frame, &query.where)) {
			miss(search->profile, waiting[i].frame, why != LINES_NOT_TRIED ? why : LINES_NO_LINE);
			continue;
		}
		vec_push(&batch.frames, waiting[i].frame);
		vec_push(&batch.queries, query);
	}
	find_in_file(search, &batch);
	vec_done(&batch.frames);
	vec_done(&batch.queries);
}

/* The frames of one group, which are all in files of one owner. */
struct group {
	size_t owner, first, nr;
};

static int compare_groups(const void *left, const void *right)
{
	const struct group *a = left, *b = right;

	if (a->owner != b->owner)
		return a->owner < b->owner ? -1 : 1;
	return (a->first > b->first) - (a->first < b->first);
}

static size_t owner_of(const struct search *search, uint64_t group)
{
	uint32_t number = group < GROUP_KERNEL ? (uint32_t)group : PROFILE_NONE;

	if (number != PROFILE_NONE && search->numbers)
		number = search->numbers[number];
	return number == PROFILE_NONE || !search->symbolizer ? 0 : symbolizer_owner(search->symbolizer, number);
}

/* Each owner of files gets an equal share of the time that is left. So a slow file only costs lines of files with the same owner. */
static void find_all(struct search *search, const struct waiting *waiting, size_t nr)
{
	uint64_t end_ns = search->end_ns;
	VEC(struct group) groups = {};
	size_t nr_owners = 0;

	for (size_t first = 0, next; first < nr; first = next) {
		for (next = first + 1; next < nr && waiting[next].group == waiting[first].group;)
			next++;
		vec_push(&groups, (struct group){ owner_of(search, waiting[first].group), first, next - first });
	}
	if (groups.nr)
		qsort(groups.data, groups.nr, sizeof(*groups.data), compare_groups);
	for (size_t i = 0; i < groups.nr; i++)
		nr_owners += !i || groups.data[i].owner != groups.data[i - 1].owner;
	for (size_t i = 0; i < groups.nr; i++) {
		uint64_t now = clock_monotonic_ns();

		if (!i || groups.data[i].owner != groups.data[i - 1].owner)
			search->end_ns = now + (now < end_ns ? (end_ns - now) / nr_owners-- : 0);
		find_group(search, waiting + groups.data[i].first, groups.data[i].nr);
	}
	vec_done(&groups);
}

void frame_lines_find(struct frame_lines *lines, struct profile *profile, struct symbolizer *symbolizer,
		      const uint32_t *numbers, uint64_t max_ns)
{
	struct search search = { .lines = lines, .profile = profile, .symbolizer = symbolizer, .numbers = numbers };
	VEC(struct waiting) waiting = {};
	uint64_t start_ns, took_ns, left_ns = waiting_left_ns();

	if (!is_wanted(profile))
		return;
	for (uint32_t i = 0; i < profile->frames.nr; i++) {
		struct profile_frame *frame = &profile->frames.data[i];

		if (frame->kind == FRAME_USER_RAW && frame->line_reason == LINES_NOT_TRIED && !frame->level)
			frame->line_reason = LINES_NO_CODE;
		if (frame_lines_waits(profile, frame))
			vec_push(&waiting, (struct waiting){ group_of(profile, frame), i });
	}
	if (waiting.nr)
		qsort(waiting.data, waiting.nr, sizeof(*waiting.data), compare_waiting);
	start_ns = clock_monotonic_ns();
	left_ns = left_ns < max_ns ? left_ns : max_ns;
	search.end_ns = start_ns + (left_ns < lines->left_ns ? left_ns : lines->left_ns);
	find_all(&search, waiting.data, waiting.nr);
	took_ns = waiting.nr ? clock_monotonic_ns() - start_ns : 0; /* most calls find no frames to look up */
	vec_done(&waiting);
	lines->left_ns -= took_ns < lines->left_ns ? took_ns : lines->left_ns;
	profile_expand(profile);
}
