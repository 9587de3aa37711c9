/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every row is written as a sequence of 32-bit tokens, one for each thing that it shows: frames (by index, or by the
 * first frame that prints the same), labels, the border between the stacks, the process. Rows are equal when their
 * tokens are, which makes merging one hash look-up and the rules below one function per kind of token.
 */
#include "core/render/merge.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"

enum token {
	TOKEN_BORDER = 0xfffffff0, /* no profile has that many frames */
	TOKEN_TRUNCATED,
	TOKEN_MISSED_KERNEL,
	TOKEN_MISSED_USER,
	TOKEN_LOST,
};

struct slice {
	size_t first;
	uint32_t nr;
};

struct merger {
	const struct profile *profile;
	const struct profile_view *view;
	struct merged *merged;
	VEC(uint32_t) tokens;
	VEC(struct slice) slices; /* tokens of each merged row */
	struct hashidx index;     /* of merged rows by their tokens */
	uint32_t *places;         /* by name: for each frame the first frame that prints the same; else NULL */
};

void merged_done(struct merged *merged)
{
	if (merged)
		vec_done(&merged->rows);
}

static void merger_done(struct merger *merger)
{
	vec_done(&merger->tokens);
	vec_done(&merger->slices);
	hashidx_done(&merger->index);
	free(merger->places);
}

/* ---- which frames print the same ---- */

struct look {
	const struct profile *profile;
	bool offsets, modules;
};

/* Everything that the text of a frame is made of, apart from its raw address. */
static void look_of(const struct look *look, uint32_t frame, uint64_t ret_key[3])
{
	const struct profile_frame *shown = &look->profile->frames.data[frame];

	ret_key[0] = shown->name;
	ret_key[1] = look->modules ? shown->module : 0;
	ret_key[2] = look->offsets && shown->name ? shown->offset : 0;
}

static bool same_look(const void *context, uint32_t position, const void *key)
{
	uint64_t stored[3];

	look_of(context, position, stored);
	return !memcmp(stored, key, sizeof(stored));
}

static uint32_t *places_by_name(const struct profile *profile, const struct profile_view *view)
{
	struct look look = { profile, view->offsets && !view->folded, view->modules && !view->folded };
	uint32_t *places = xcalloc(profile->frames.nr, sizeof(*places));
	struct hashidx index = {};

	for (uint32_t frame = 0; frame < profile->frames.nr; frame++) {
		uint64_t key[3], hash;

		look_of(&look, frame, key);
		hash = hash_bytes(key, sizeof(key));
		places[frame] = hashidx_find(&index, hash, same_look, &look, key);
		if (places[frame] != HASHIDX_NONE)
			continue;
		places[frame] = frame;
		hashidx_add(&index, hash, frame);
	}
	hashidx_done(&index);
	return places;
}

/* ---- what is visible ---- */

/* Programs whose kernel stack starts inside the tracer. A timed sample may really have hit tracing code. */
static bool starts_in_tracer(const struct profile_record *record)
{
	return record->program == PROGRAM_TRACEPOINT || record->program == PROGRAM_RAW_TRACEPOINT ||
	       record->program == PROGRAM_FENTRY || record->program == PROGRAM_KPROBE;
}

/* Linux 5.10 has the first frame of a tracepoint's stack twice; a return address never is its own caller. */
static bool leaf_is_doubled(const struct profile *profile, const struct profile_record *record)
{
	const uint64_t *addresses = profile->stack_addresses.data;

	return record->nr_kernel > 1 && addresses[record->first] == addresses[record->first + 1] &&
	       record->program != PROGRAM_KPROBE;
}

static struct merged_stack visible_kernel(const struct profile *profile, const struct profile_record *record)
{
	const uint32_t *frames = profile->stack_frames.data;
	uint16_t skip = 0;

	if (starts_in_tracer(record)) {
		while (skip < record->nr_kernel && profile->frames.data[frames[record->first + skip]].tracer)
			skip++;
		if (!skip && leaf_is_doubled(profile, record))
			skip = 1;
	}
	return (struct merged_stack){
		.first = record->first + skip,
		.nr = (uint16_t)(record->nr_kernel - skip),
		.status = record->kernel_status,
	};
}

static struct merged_stack visible_user(const struct profile_record *record)
{
	return (struct merged_stack){
		.first = record->first + record->nr_kernel,
		.nr = record->nr_user,
		.status = record->user_status,
	};
}

static struct merged_row visible_row(const struct merger *merger, const struct profile_row *row)
{
	const struct profile_record *record = &merger->profile->records.data[row->record];
	struct merged_row visible = {
		.record = row->record,
		.count = row->count,
		.sum = row->sum,
		.time_ns = record->time_ns,
		.lost = record->stack_lost,
	};

	if (record->stack_lost)
		return visible;
	if (merger->view->want_kernel)
		visible.kernel = visible_kernel(merger->profile, record);
	if (merger->view->want_user)
		visible.user = visible_user(record);
	return visible;
}

bool view_shows_process(const struct profile_view *view)
{
	return view->style == VIEW_PROFILE || view->per_process;
}

/* ---- tokens ---- */

static void add_stack(struct merger *merger, const struct merged_stack *stack, enum token missed)
{
	bool by_address = merger->places && merger->view->addresses && !merger->view->folded;

	vec_reserve(&merger->tokens, merger->tokens.nr + 3 * (size_t)stack->nr + 1);
	for (uint32_t at = stack->first; at < stack->first + stack->nr; at++) {
		uint32_t frame = merger->profile->stack_frames.data[at];
		uint64_t address = merger->profile->stack_addresses.data[at];

		vec_push(&merger->tokens, merger->places ? merger->places[frame] : frame);
		if (!by_address)
			continue;
		vec_push(&merger->tokens, (uint32_t)address);
		vec_push(&merger->tokens, (uint32_t)(address >> 32));
	}
	if (stack->status == STACK_UNREADABLE)
		vec_push(&merger->tokens, missed);
	else if (stack->status == STACK_TRUNCATED)
		vec_push(&merger->tokens, TOKEN_TRUNCATED);
}

/* By name, the end of the kernel's part only counts where it is seen. */
static bool border_is_shown(const struct profile_view *view)
{
	return !view->by_name || view->delimited || (view->folded && view->annotate);
}

static void add_process(struct merger *merger, const struct profile_record *record)
{
	const struct profile_view *view = merger->view;
	bool no_line = view->style == VIEW_STACKCOUNT && view->no_process_line;

	if (!view_shows_process(view) || (view->by_name && no_line && !view->folded))
		return;
	vec_push(&merger->tokens, record->comm);
	if (!view->by_name || !view->folded)
		vec_push(&merger->tokens, record->tgid);
}

/* Appends the tokens of a row to the pool. */
static struct slice tokens_of(struct merger *merger, const struct merged_row *row)
{
	size_t first = merger->tokens.nr;

	if (row->lost) {
		vec_push(&merger->tokens, TOKEN_LOST);
	} else {
		add_stack(merger, &row->kernel, TOKEN_MISSED_KERNEL);
		if (border_is_shown(merger->view))
			vec_push(&merger->tokens, TOKEN_BORDER);
		add_stack(merger, &row->user, TOKEN_MISSED_USER);
		add_process(merger, &merger->profile->records.data[row->record]);
	}
	return (struct slice){ first, (uint32_t)(merger->tokens.nr - first) };
}

/* ---- merging ---- */

static bool same_tokens(const void *context, uint32_t position, const void *key)
{
	const struct merger *merger = context;
	const struct slice *stored = &merger->slices.data[position], *wanted = key;
	const uint32_t *tokens = merger->tokens.data;

	return stored->nr == wanted->nr &&
	       !memcmp(tokens + stored->first, tokens + wanted->first, wanted->nr * sizeof(*tokens));
}

static void join(struct merged_row *row, const struct merged_row *same)
{
	row->count += same->count;
	row->sum += same->sum;
	if (same->time_ns < row->time_ns)
		row->time_ns = same->time_ns;
}

static void merge_row(struct merger *merger, const struct profile_row *row)
{
	struct merged_row visible = visible_row(merger, row);
	struct slice slice = tokens_of(merger, &visible);
	uint64_t hash = hash_bytes(merger->tokens.data + slice.first, slice.nr * sizeof(uint32_t));
	uint32_t position = hashidx_find(&merger->index, hash, same_tokens, merger, &slice);

	if (position != HASHIDX_NONE) {
		join(&merger->merged->rows.data[position], &visible);
		merger->tokens.nr = slice.first;
		return;
	}
	hashidx_add(&merger->index, hash, (uint32_t)merger->merged->rows.nr);
	vec_push(&merger->slices, slice);
	vec_push(&merger->merged->rows, visible);
}

/* ---- order ---- */

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* Frames have the order in which they were first seen. */
static int compare_frames(const struct profile *profile, const struct merged_stack *a, const struct merged_stack *b)
{
	for (uint16_t i = 0; i < a->nr && i < b->nr; i++) {
		int order = compare(profile->stack_frames.data[a->first + i], profile->stack_frames.data[b->first + i]);

		if (order)
			return order;
	}
	return compare(a->nr, b->nr);
}

static int compare_rows(const void *left, const void *right, void *context)
{
	const struct merged_row *a = left, *b = right;
	int order = compare(a->count, b->count);

	if (!order)
		order = compare(a->time_ns, b->time_ns);
	if (!order)
		order = compare_frames(context, &a->kernel, &b->kernel);
	if (!order)
		order = compare_frames(context, &a->user, &b->user);
	return order ? order : compare(a->record, b->record);
}

void merge_interval(const struct profile *profile, const struct profile_interval *interval,
		    const struct profile_view *view, struct merged *ret_merged)
{
	struct merger merger = { .profile = profile, .view = view, .merged = ret_merged };

	if (view->by_name)
		merger.places = places_by_name(profile, view);
	for (size_t i = 0; i < interval->rows.nr; i++)
		merge_row(&merger, &interval->rows.data[i]);
	merger_done(&merger);
	if (ret_merged->rows.nr)
		qsort_r(ret_merged->rows.data, ret_merged->rows.nr, sizeof(*ret_merged->rows.data), compare_rows,
			(void *)profile);
}
