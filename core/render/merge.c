/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every row becomes a sequence of 32-bit tokens, for all that it shows: frames (by index, or by the first frame that prints the same),
 * labels, the border between the stacks, the process. Rows are merged if their tokens are equal, so merging is one hash look-up.
 */
#include "core/render/merge.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/profile/wait_reasons.h"

enum token {
	TOKEN_BORDER = 0xfffffff0, /* larger than any number of frames */
	TOKEN_TRUNCATED,
	TOKEN_CUT,
	TOKEN_MISSED_KERNEL,
	TOKEN_MISSED_USER,
	TOKEN_LOST,
};

typedef VEC(uint32_t) token_list;

struct merger {
	const struct profile *profile;
	const struct profile_view *view;
	unsigned int apart; /* enum merge_apart */
	struct merged *merged;
	struct hashidx index; /* merged rows by their tokens */
	token_list *wanted; /* tokens of the current row */
	token_list *stored; /* tokens of the merged row to compare, made for each comparison */
	uint32_t *places; /* by name: for each frame the first frame that prints the same; else NULL */
};

void merged_done(struct merged *merged)
{
	vec_done(&merged->rows);
	vec_done(&merged->durations);
}

/* ---- which frames print the same ---- */

enum {
	LOOK_PARTS = 5
};

struct look {
	const struct profile *profile;
	const struct profile_view *view;
	bool offsets, modules;
};

bool frame_shows_file(const struct profile *profile, const struct profile_view *view, const struct profile_frame *frame)
{
	return view->folded && profile->presentation.shows_files && !frame->name && frame->module &&
	       frame->kind != FRAME_KERNEL && profile_string(profile, frame->module)[0] != '[';
}

/* All that a frame's text depends on, except its address. */
static void look_of(const struct look *look, uint32_t frame, uint64_t ret_key[LOOK_PARTS])
{
	const struct profile_frame *shown = &look->profile->frames.data[frame];

	ret_key[0] = shown->name;
	ret_key[1] = look->modules || frame_shows_file(look->profile, look->view, shown) ? shown->module : 0;
	ret_key[2] = look->offsets && shown->name ? shown->offset : 0;
	ret_key[3] = (uint64_t)shown->source << 32 | shown->line;
	ret_key[4] = (uint64_t)(shown->level > 0) | (uint64_t)(*frame_mark(shown) != '\0') << 1;
}

static bool same_look(const void *context, uint32_t position, const void *key)
{
	uint64_t stored[LOOK_PARTS];

	look_of(context, position, stored);
	return !memcmp(stored, key, sizeof(stored));
}

static uint32_t *places_by_name(const struct profile *profile, const struct profile_view *view)
{
	struct look look = { profile, view, view->offsets && !view->folded, view->modules && !view->folded };
	uint32_t *places = xcalloc(profile->frames.nr, sizeof(*places));
	struct hashidx index = {};

	for (uint32_t frame = 0; frame < profile->frames.nr; frame++) {
		uint64_t key[LOOK_PARTS];

		look_of(&look, frame, key);
		places[frame] = hashidx_find_or_add(&index, hash_bytes(key, sizeof(key)), same_look, &look, key, frame);
	}
	hashidx_done(&index);
	return places;
}

/* ---- what is visible ---- */

/* Whether a frame is the tracer's, or unknown at the leaf of an fentry stack, whose trampoline is gone when names are looked up. */
static bool is_tracer(const struct profile_record *record, const struct profile_frame *frame)
{
	return frame->tracer || (record->program == PROGRAM_FENTRY && frame->reason == REASON_KERNEL_UNKNOWN);
}

/* Whether the kernel stack starts inside the tracer. A timed sample may really have hit tracing code, so it does not. */
static bool starts_in_tracer(const struct profile_record *record)
{
	return record->program == PROGRAM_TRACEPOINT || record->program == PROGRAM_RAW_TRACEPOINT ||
	       record->program == PROGRAM_FENTRY || record->program == PROGRAM_KPROBE;
}

/* The frames at the innermost address of a stack: inlined calls, then the function that contains them. */
static uint16_t nr_of_place(const struct profile *profile, uint32_t first, uint16_t nr)
{
	uint16_t calls = 0;

	while (calls < nr && profile->frames.data[profile->stack_frames.data[first + calls]].level)
		calls++;
	return calls < nr ? (uint16_t)(calls + 1) : nr;
}

/* Linux 5.10 repeats the first frame of a tracepoint's stack; no return address is its own caller. Returns the number of frames to skip. */
static uint16_t doubled_leaf(const struct profile *profile, const struct profile_record *record)
{
	const uint64_t *addresses = profile->stack_addresses.data;
	uint16_t nr = nr_of_place(profile, record->first, record->nr_kernel);
	bool is_doubled = nr < record->nr_kernel && addresses[record->first] == addresses[record->first + nr] &&
			  record->program != PROGRAM_KPROBE;

	return is_doubled ? nr : 0;
}

/*
 * A stack as it is shown. bcc omits the innermost frame, that of its probe, in some rows; its inlined calls are omitted too. A stack that
 * --max-depth truncates is marked so even if its walk was truncated. The state of a thread does not count as a frame.
 */
static struct merged_stack visible_stack(const struct profile *profile, struct merged_stack stack, bool with_leaf,
					 bool has_state)
{
	uint16_t leaf = with_leaf ? 0 : nr_of_place(profile, stack.first, stack.nr);
	uint64_t max_depth = profile->presentation.max_depth ? (uint64_t)profile->presentation.max_depth + has_state
							     : 0;

	stack.first += leaf;
	stack.nr = (uint16_t)(stack.nr - leaf);
	if (max_depth && stack.nr > max_depth) {
		stack.nr = (uint16_t)max_depth;
		stack.status = STACK_OK;
		stack.cut = true;
	}
	return stack;
}

static struct merged_stack visible_kernel(const struct merger *merger, const struct profile_record *record,
					  bool with_leaf)
{
	const struct profile *profile = merger->profile;
	uint16_t skip = 0;
	struct merged_stack stack = {};

	if (!merger->view->want_kernel)
		return stack;
	if (starts_in_tracer(record)) {
		const uint32_t *frames = profile->stack_frames.data;

		while (skip < record->nr_kernel &&
		       is_tracer(record, &profile->frames.data[frames[record->first + skip]]))
			skip++;
		skip = skip ?: doubled_leaf(profile, record);
	}
	stack.first = record->first + skip;
	stack.nr = (uint16_t)(record->nr_kernel - skip);
	stack.status = record->kernel_status;
	return visible_stack(profile, stack, with_leaf,
			     profile->presentation.max_depth && wait_has_state(profile, record));
}

static struct merged_stack visible_user(const struct merger *merger, const struct profile_record *record,
					bool with_leaf)
{
	const struct merged_stack stack = {
		.first = record->first + record->nr_kernel,
		.nr = record->nr_user,
		.status = record->user_status,
		.elided_least = record->elided_least,
		.elided_most = record->elided_most,
	};

	if (!merger->view->want_user)
		return (struct merged_stack){};
	return visible_stack(merger->profile, stack, with_leaf, false);
}

static void add_parts(const struct merger *merger, struct merged_row *visible)
{
	uint32_t pair = merger->profile->records.data[visible->record].pair, parts[2];
	size_t nr = profile_parts(merger->profile, visible->record, parts);

	visible->sleeper = parts[0];
	visible->waker = nr == 2 ? parts[1] : PROFILE_NONE;
	visible->reason = pair ? merger->profile->pairs.data[pair - 1].reason : WAKER_NOT_ASKED;
}

static struct merged_row visible_row(const struct merger *merger, const struct profile_row *row)
{
	const struct profile_view *view = merger->view;
	struct merged_row visible = { .record = row->record, .count = row->count, .sum = row->sum };
	bool with_leaf = view->style != VIEW_OFFWAKE || !view->folded;
	const struct profile_record *records = merger->profile->records.data, *sleeper, *waker;

	add_parts(merger, &visible);
	sleeper = &records[visible.sleeper];
	/* with times of events, each row has its own time */
	visible.time_ns = view->times ? records[row->record].time_ns : sleeper->time_ns;
	visible.lost = sleeper->stack_lost;
	if (!visible.lost) {
		visible.kernel = visible_kernel(merger, sleeper, with_leaf);
		visible.user = visible_user(merger, sleeper, with_leaf);
	}
	if (visible.waker == PROFILE_NONE)
		return visible;
	waker = &records[visible.waker];
	visible.waker_lost = waker->stack_lost;
	if (!visible.waker_lost) {
		visible.waker_kernel = visible_kernel(merger, waker, false);
		/* bcc's wakeuptime has no user stacks, so ours are shown completely */
		visible.waker_user = visible_user(merger, waker, view->style != VIEW_OFFWAKE);
	}
	return visible;
}

struct merged_row merge_row_alone(const struct profile *profile, const struct profile_row *row,
				  const struct profile_view *view)
{
	const struct merger merger = { .profile = profile, .view = view };

	return visible_row(&merger, row);
}

unsigned int merge_apart_of(const struct profile *profile)
{
	unsigned int apart = 0;

	for (size_t i = 0; i < profile->records.nr; i++) {
		const struct profile_record *record = &profile->records.data[i];

		if (record->tid && record->tid != record->tgid)
			apart |= APART_THREADS;
		if (record->cgroup_id)
			apart |= APART_CGROUPS;
	}
	return apart;
}

bool view_has_durations(const struct profile_view *view)
{
	return (view->histogram || view->times) && view_shows_time(view);
}

bool view_shows_durations(const struct profile_view *view)
{
	return view->histogram && view_shows_time(view) && !view->folded;
}

uint64_t row_value(const struct profile_view *view, const struct merged_row *row)
{
	return view_shows_time(view) ? row->sum / 1000 : row->count;
}

bool view_shows_process(const struct profile_view *view)
{
	return view->style == VIEW_PROFILE || view_shows_time(view) || view->per_process;
}

const char *waker_label(const struct profile *profile, const struct merged_row *row)
{
	static const char *const reasons[WAKER_NR_REASONS] = {
		[WAKER_PREEMPTED] = "[preempted]",         [WAKER_BEFORE_SLEEP] = "[woken before asleep]",
		[WAKER_NOT_SEEN] = "[no waker seen]",      [WAKER_UNFINISHED] = LABEL_UNFINISHED,
		[WAKER_OWNER] = "[owner, stack not seen]",
	};
	static const char *const contexts[] = {
		[CONTEXT_SOFTIRQ] = "[softirq]",
		[CONTEXT_IRQ] = "[irq]",
		[CONTEXT_NMI] = "[nmi]",
	};

	if (row->waker == PROFILE_NONE)
		return reasons[row->reason] ?: "";
	return row->waker_lost ? LABEL_UNKNOWN : contexts[profile->records.data[row->waker].context];
}

const char *stack_root_label(const struct merged_stack *stack)
{
	if (stack->cut)
		return LABEL_CUT;
	return stack->status == STACK_TRUNCATED ? LABEL_TRUNCATED : NULL;
}

/* ---- tokens ---- */

/* By address, the frames are the tokens. This copy is most of the work. */
static void add_frames_by_address(const struct merger *merger, const struct merged_stack *stack, token_list *tokens)
{
	if (!stack->nr)
		return;
	vec_reserve(tokens, tokens->nr + stack->nr);
	memcpy(tokens->data + tokens->nr, merger->profile->stack_frames.data + stack->first,
	       stack->nr * sizeof(uint32_t));
	tokens->nr += stack->nr;
}

static void add_frames_by_name(const struct merger *merger, const struct merged_stack *stack, token_list *tokens)
{
	bool with_address = merger->view->addresses && !merger->view->folded;

	for (uint32_t at = stack->first; at < stack->first + stack->nr; at++) {
		uint64_t address = merger->profile->stack_addresses.data[at];

		vec_push(tokens, merger->places[merger->profile->stack_frames.data[at]]);
		if (!with_address)
			continue;
		vec_push(tokens, (uint32_t)address);
		vec_push(tokens, (uint32_t)(address >> 32));
	}
}

static void add_stack(const struct merger *merger, const struct merged_stack *stack, enum token missed,
		      token_list *tokens)
{
	if (merger->places)
		add_frames_by_name(merger, stack, tokens);
	else
		add_frames_by_address(merger, stack, tokens);
	if (stack->status == STACK_UNREADABLE)
		vec_push(tokens, missed);
	else if (stack->status == STACK_TRUNCATED)
		vec_push(tokens, TOKEN_TRUNCATED);
	else if (stack->cut)
		vec_push(tokens, TOKEN_CUT);
}

/* By name, the border between the stacks only counts if it is printed. */
static bool border_is_shown(const struct profile_view *view)
{
	return !view->by_name || view->delimited || (view->folded && view->annotate);
}

static void add_process(const struct merger *merger, const struct profile_record *record, token_list *tokens)
{
	const struct profile_view *view = merger->view;
	bool no_line = view->style == VIEW_STACKCOUNT && view->no_process_line;

	if (!view_shows_process(view) || (view->by_name && no_line && !view->folded))
		return;
	vec_push(tokens, record->comm);
	if (!view->by_thread && (view->style == VIEW_WAKE || (view->by_name && view->folded)))
		return;
	vec_push(tokens, view_separates_threads(view) ? record->tid : record->tgid);
}

/* The waker of a row, or why there is none. */
static void add_waker_tokens(const struct merger *merger, const struct merged_row *row, token_list *tokens)
{
	const struct profile_record *waker;

	vec_push(tokens, row->reason);
	if (row->waker == PROFILE_NONE)
		return;
	waker = &merger->profile->records.data[row->waker];
	vec_push(tokens, row->waker_lost ? TOKEN_LOST : waker->context);
	add_stack(merger, &row->waker_kernel, TOKEN_MISSED_KERNEL, tokens);
	vec_push(tokens, TOKEN_BORDER);
	add_stack(merger, &row->waker_user, TOKEN_MISSED_USER, tokens);
	add_process(merger, waker, tokens);
}

static void add_identity(const struct merger *merger, const struct merged_row *row, token_list *tokens)
{
	const struct profile_record *record = &merger->profile->records.data[row->sleeper];

	if (merger->apart & APART_RECORDS)
		vec_push(tokens, row->record);
	if (merger->apart & APART_THREADS)
		vec_push(tokens, record->tid);
	if (merger->apart & APART_CGROUPS) {
		vec_push(tokens, (uint32_t)record->cgroup_id);
		vec_push(tokens, (uint32_t)(record->cgroup_id >> 32));
	}
}

static void make_tokens(const struct merger *merger, const struct merged_row *row, token_list *tokens)
{
	tokens->nr = 0;
	add_identity(merger, row, tokens);
	vec_reserve(tokens, 1); /* a row may show nothing, but memcmp() must not get NULL */
	if (view_shows_time(merger->view))
		add_waker_tokens(merger, row, tokens);
	if (row->lost) {
		vec_push(tokens, TOKEN_LOST);
		return;
	}
	add_stack(merger, &row->kernel, TOKEN_MISSED_KERNEL, tokens);
	if (border_is_shown(merger->view))
		vec_push(tokens, TOKEN_BORDER);
	add_stack(merger, &row->user, TOKEN_MISSED_USER, tokens);
	add_process(merger, &merger->profile->records.data[row->sleeper], tokens);
}

/* ---- merging ---- */

/* A row whose slot of the index is being fetched into the cache. */
struct arriving {
	struct merged_row visible;
	uint64_t hash;
};

static bool same_tokens(const void *context, uint32_t position, const void *key)
{
	const struct merger *merger = context;
	const token_list *wanted = merger->wanted, *stored = merger->stored;

	make_tokens(merger, key, merger->wanted);
	make_tokens(merger, &merger->merged->rows.data[position], merger->stored);
	return stored->nr == wanted->nr && !memcmp(stored->data, wanted->data, wanted->nr * sizeof(uint32_t));
}

static void join_elided(struct merged_stack *stack, const struct merged_stack *same)
{
	if (same->elided_least < stack->elided_least)
		stack->elided_least = same->elided_least;
	if (same->elided_most > stack->elided_most)
		stack->elided_most = same->elided_most;
}

static void join(struct merged_row *row, const struct merged_row *same)
{
	row->count += same->count;
	row->sum += same->sum;
	join_elided(&row->user, &same->user);
	join_elided(&row->waker_user, &same->waker_user);
	if (same->time_ns < row->time_ns)
		row->time_ns = same->time_ns;
}

static void add_row(struct merger *merger, struct merged_row *row)
{
	struct merged *merged = merger->merged;

	row->durations = (uint32_t)merged->durations.nr;
	if (view_shows_durations(merger->view))
		vec_push(&merged->durations, (struct durations){});
	vec_push(&merged->rows, *row);
}

static void look_at_row(struct merger *merger, const struct profile_row *row, struct arriving *arriving)
{
	const token_list *tokens = merger->wanted;

	arriving->visible = visible_row(merger, row);
	make_tokens(merger, &arriving->visible, merger->wanted);
	arriving->hash = hash_bytes(tokens->data, tokens->nr * sizeof(uint32_t));
	hashidx_prefetch(&merger->index, arriving->hash);
}

static void merge_row(struct merger *merger, struct arriving *arriving)
{
	struct merged *merged = merger->merged;
	uint32_t position = hashidx_find_or_add(&merger->index, arriving->hash, same_tokens, merger, &arriving->visible,
						merged->rows.nr);

	if (position < merged->rows.nr)
		join(&merged->rows.data[position], &arriving->visible);
	else
		add_row(merger, &arriving->visible);
	if (view_shows_durations(merger->view)) /* before merging, a row has intervals of one class */
		durations_add(&merged->durations.data[merged->rows.data[position].durations], arriving->visible.count,
			      arriving->visible.sum);
}

/* The index is larger than the CPU's caches: each slot is fetched while the next AHEAD rows are prepared. */
static void merge_all(struct merger *merger, const struct profile_interval *interval)
{
	enum {
		AHEAD = 8
	};
	struct arriving arriving[AHEAD];
	size_t nr = interval->rows.nr, first = 0;

	if (merger->profile->view.slow) /* wall_settle() puts calls first */
		while (first < nr &&
		       view_row_is_of_calls(&merger->profile->view,
					    &merger->profile->records.data[interval->rows.data[first].record]))
			first++;
	for (size_t i = first; i < nr + AHEAD; i++) {
		if (i >= first + AHEAD && i - AHEAD < nr)
			merge_row(merger, &arriving[i % AHEAD]);
		if (i < nr)
			look_at_row(merger, &interval->rows.data[i], &arriving[i % AHEAD]);
	}
}

static void merge_rows(struct merger *merger, const struct profile_interval *interval)
{
	token_list wanted = {}, stored = {};

	merger->wanted = &wanted;
	merger->stored = &stored;
	hashidx_reserve(&merger->index, interval->rows.nr);
	if (merger->view->by_name)
		merger->places = places_by_name(merger->profile, merger->view);
	merge_all(merger, interval);
	free(merger->places);
	hashidx_done(&merger->index);
	vec_done(&wanted);
	vec_done(&stored);
}

/* ---- order ---- */

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* Frames are ordered by first occurrence. */
static int compare_frames(const struct profile *profile, const struct merged_stack *a, const struct merged_stack *b)
{
	for (uint16_t i = 0; i < a->nr && i < b->nr; i++) {
		int order = compare(profile->stack_frames.data[a->first + i], profile->stack_frames.data[b->first + i]);

		if (order)
			return order;
	}
	return compare(a->nr, b->nr);
}

/* Sorting touches each element about 17 times, so it sorts small keys instead of rows. */
struct sort_key {
	uint64_t value, time_ns;
	uint32_t position; /* index of the row */
};

static int compare_keys(const void *left, const void *right, void *context)
{
	const struct sort_key *key_a = left, *key_b = right;
	const struct merger *merger = context;
	const struct profile *profile = merger->profile;
	const struct merged_row *a, *b;
	int order;

	if (key_a->value != key_b->value)
		return key_a->value < key_b->value ? -1 : 1;
	if (key_a->time_ns != key_b->time_ns)
		return key_a->time_ns < key_b->time_ns ? -1 : 1;
	a = &merger->merged->rows.data[key_a->position];
	b = &merger->merged->rows.data[key_b->position];
	order = compare_frames(profile, &a->kernel, &b->kernel);
	if (!order)
		order = compare_frames(profile, &a->user, &b->user);
	return order ? order : compare(a->record, b->record);
}

static void sort_rows(struct merger *merger)
{
	struct merged *merged = merger->merged;
	size_t nr = merged->rows.nr;
	_cleanup_(freep) struct sort_key *keys = xcalloc(nr, sizeof(*keys));
	struct merged_row *sorted = xcalloc(nr, sizeof(*sorted));

	for (uint32_t i = 0; i < nr; i++)
		keys[i] = (struct sort_key){
			.value = row_value(merger->view, &merged->rows.data[i]),
			.time_ns = merged->rows.data[i].time_ns,
			.position = i,
		};
	qsort_r(keys, nr, sizeof(*keys), compare_keys, merger);
	for (size_t i = 0; i < nr; i++)
		sorted[i] = merged->rows.data[keys[i].position];
	free(merged->rows.data);
	merged->rows.data = sorted;
	merged->rows.room = nr;
}

/* Removes the first rows, which have the smallest values. */
static void leave_out(const struct merger *merger, struct merged *merged)
{
	const struct presentation *presentation = &merger->profile->presentation;
	size_t first = 0;

	if (presentation->top && merged->rows.nr > presentation->top)
		first = merged->rows.nr - presentation->top;
	while (first < merged->rows.nr && row_value(merger->view, &merged->rows.data[first]) < presentation->least)
		first++;
	if (!first)
		return;
	merged->rows.nr -= first;
	memmove(merged->rows.data, merged->rows.data + first, merged->rows.nr * sizeof(*merged->rows.data));
}

void merge_interval(const struct profile *profile, const struct profile_interval *interval,
		    const struct profile_view *view, unsigned int apart, struct merged *ret_merged)
{
	struct merger merger = { .profile = profile, .view = view, .apart = apart, .merged = ret_merged };

	vec_reserve(&ret_merged->rows, interval->rows.nr);
	merge_rows(&merger, interval);
	if (ret_merged->rows.nr)
		sort_rows(&merger);
	leave_out(&merger, ret_merged);
}
