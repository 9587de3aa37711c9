/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/render/tree.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/buf.h"
#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/base/escape.h"
#include "core/profile/wall.h"
#include "core/render/container.h"
#include "core/render/merge.h"
#include "core/render/text_writer.h"

/* ---- frames ---- */

static bool same_frame(const void *context, uint32_t position, const void *key)
{
	const struct tree_frame *stored = &((const struct tree *)context)->frames.data[position], *wanted = key;

	return stored->text == wanted->text && stored->kind == wanted->kind && stored->source == wanted->source &&
	       stored->line == wanted->line;
}

/* A function name in several modules is one frame without a module. */
static void add_module(struct tree_frame *frame, string_id module)
{
	if (!module || frame->module == module || frame->several_modules)
		return;
	frame->several_modules = frame->module != 0;
	frame->module = frame->several_modules ? 0 : module;
}

static uint32_t add_line_frame(struct tree *tree, const char *text, const char *module, enum tree_kind kind,
			       const char *source, uint32_t line)
{
	struct tree_frame frame = {
		.text = strtab_add(&tree->texts, text),
		.kind = (uint8_t)kind,
		.source = strtab_add(&tree->texts, source),
		.line = line,
	};
	uint64_t key[] = { (uint64_t)frame.text << 8 | frame.kind, (uint64_t)frame.source << 32 | line };
	uint32_t position = hashidx_find_or_add(&tree->frame_index, hash_bytes(key, sizeof(key)), same_frame, tree,
						&frame, tree->frames.nr);

	frame.module = strtab_add(&tree->texts, module);
	if (position < tree->frames.nr)
		add_module(&tree->frames.data[position], frame.module);
	else
		vec_push(&tree->frames, frame);
	return position;
}

static uint32_t add_frame(struct tree *tree, const char *text, const char *module, enum tree_kind kind)
{
	return add_line_frame(tree, text, module, kind, "", 0);
}

uint32_t tree_take_frame(struct tree *tree, const struct tree *other, uint32_t frame)
{
	const struct tree_frame *taken = &other->frames.data[frame];

	return add_line_frame(tree, tree_text(other, frame), tree_module(other, frame), taken->kind,
			      strtab_get(&other->texts, taken->source), taken->line);
}

void tree_init(struct tree *tree, const struct tree_options *options)
{
	*tree = (struct tree){ .options = *options };
	add_frame(tree, "all", "", TREE_ALL);
	vec_reserve(&tree->pool, 1); /* all stacks may be empty, but pointers into the pool must not be NULL */
}

void tree_done(struct tree *tree)
{
	strtab_done(&tree->texts);
	hashidx_done(&tree->frame_index);
	vec_done(&tree->frames);
	vec_done(&tree->nodes);
	vec_done(&tree->moments);
	vec_done(&tree->pool);
	vec_done(&tree->stacks);
}

int tree_lighter_first(const void *left, const void *right, void *context)
{
	const struct tree *tree = context;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	uint64_t x = tree->nodes.data[a].total[TREE_NOW], y = tree->nodes.data[b].total[TREE_NOW];

	if (x != y)
		return x < y ? -1 : 1;
	return (a < b) - (a > b);
}

int tree_busier_first(const void *left, const void *right, void *unused)
{
	const struct tree_function *a = left, *b = right;

	(void)unused;
	if (a->self[TREE_NOW] != b->self[TREE_NOW])
		return a->self[TREE_NOW] < b->self[TREE_NOW] ? 1 : -1;
	if (a->total[TREE_NOW] != b->total[TREE_NOW])
		return a->total[TREE_NOW] < b->total[TREE_NOW] ? 1 : -1;
	return (a->frame > b->frame) - (a->frame < b->frame);
}

bool tree_is_code(const struct tree_frame *frame)
{
	return frame->kind != TREE_ALL && frame->kind != TREE_PROCESS && frame->kind != TREE_DELIMITER;
}

const char *tree_text(const struct tree *tree, uint32_t frame)
{
	return strtab_get(&tree->texts, tree->frames.data[frame].text);
}

const char *tree_module(const struct tree *tree, uint32_t frame)
{
	return strtab_get(&tree->texts, tree->frames.data[frame].module);
}

/* Removes a suffix of collapsing scripts, and returns the kind that it means. */
static enum tree_kind take_suffix(struct buf *text, enum tree_kind kind)
{
	static const struct {
		const char *suffix;
		enum tree_kind kind;
	} suffixes[] = {
		{ "_[k]", TREE_KERNEL }, { "_[j]", TREE_JIT }, { "_[i]", TREE_INLINED }, { "_[w]", TREE_WAKER }
	};

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		if (text->nr <= 4 || memcmp(text->data + text->nr - 4, suffixes[i].suffix, 4))
			continue;
		text->nr -= 4;
		text->data[text->nr] = '\0';
		return suffixes[i].kind;
	}
	return kind;
}

/* The kind of a frame of folded input: a delimiter, a label in brackets, or by its suffix. */
static enum tree_kind read_text(const char *name, enum tree_kind kind, struct buf *text)
{
	escape_add(text, name, ESCAPE_LINE);
	kind = take_suffix(text, kind);
	if (!strcmp(buf_text(text), "-") || !strcmp(buf_text(text), "--"))
		return TREE_DELIMITER;
	return text->nr > 2 && text->data[0] == '[' && text->data[text->nr - 1] == ']' ? TREE_LABEL : kind;
}

/* Whether it is generated code, named by a perf map or jitdump. */
static bool is_jit(const struct profile *profile, const struct profile_frame *frame)
{
	const char *module = profile_string(profile, frame->module);

	return frame->kind != FRAME_KERNEL &&
	       (!fnmatch("perf-?*.map", module, 0) || !fnmatch("jit-?*.dump", module, 0));
}

/* The tree's frame for a frame of the profile. Without a name it shows the file rather than "[unknown]". */
static uint32_t shown_frame(struct tree *tree, const struct profile *profile, uint32_t position, enum tree_kind kind)
{
	_cleanup_(buf_done) struct buf text = {}, module = {}, source = {};
	const struct profile_frame *frame = &profile->frames.data[position];
	const char *name = profile_string(profile, frame->name);

	escape_add(&module, profile_string(profile, frame->module), ESCAPE_MODULE);
	if (frame->level && kind != TREE_WAKER)
		kind = TREE_INLINED;
	if (frame->kind == FRAME_TEXT) {
		/* funccount stores all its probes as kernel frames */
		kind = read_text(name,
				 profile->view.style == VIEW_FUNCCOUNT || profile->view.style == VIEW_FUNCLATENCY
					 ? TREE_USER
					 : kind,
				 &text);
	} else if (frame->name) {
		bool is_language = frame->kind == FRAME_INTERPRETER || is_jit(profile, frame);

		escape_add(&text, name, ESCAPE_NAME);
		kind = kind == TREE_USER && is_language ? TREE_JIT : kind;
	} else if (module.nr && frame->kind != FRAME_KERNEL) {
		buf_addf(&text, "[%s]", buf_text(&module));
		kind = TREE_LABEL;
	} else {
		buf_adds(&text, LABEL_UNKNOWN);
		kind = TREE_LABEL;
	}
	buf_adds(&text, frame_mark(frame));
	if (frame->source && tree->options.lines_apart) {
		escape_add(&source, profile_string(profile, frame->source), ESCAPE_NAME);
		return add_line_frame(tree, buf_text(&text), buf_text(&module), kind, buf_text(&source), frame->line);
	}
	if (frame->source)
		add_short_line(profile, frame, ESCAPE_NAME, &text);
	return add_frame(tree, buf_text(&text), buf_text(&module), kind);
}

/* ---- stacks ---- */

struct adder {
	struct tree *tree;
	const struct profile *profile;
	uint32_t (*shown)[3]; /* tree frames + 1 for the profile's frames: in user, kernel and waker stacks */
};

static void add_label(struct adder *adder, const char *label, enum tree_kind kind)
{
	vec_push(&adder->tree->pool, add_frame(adder->tree, label, "", kind));
}

static void add_frame_of(struct adder *adder, uint32_t frame, enum tree_kind kind)
{
	uint32_t *shown = &adder->shown[frame][kind == TREE_WAKER ? 2 : kind == TREE_KERNEL];

	if (!*shown)
		*shown = shown_frame(adder->tree, adder->profile, frame, kind) + 1;
	vec_push(&adder->tree->pool, *shown - 1);
}

static void add_stack(struct adder *adder, const struct merged_stack *stack, bool kernel)
{
	const uint32_t *frames = adder->profile->stack_frames.data;

	if (stack->status == STACK_UNREADABLE)
		add_label(adder, kernel ? LABEL_MISSED_KERNEL : LABEL_MISSED_USER, TREE_LABEL);
	if (stack_root_label(stack))
		add_label(adder, stack_root_label(stack), TREE_LABEL);
	for (uint32_t i = stack->nr; i > 0; i--)
		add_frame_of(adder, frames[stack->first + i - 1], kernel ? TREE_KERNEL : TREE_USER);
}

/* Adds the command of the waker, or a label, above all frames. */
static void add_waker_name(struct adder *adder, const struct merged_row *row)
{
	const char *label = waker_label(adder->profile, row);
	_cleanup_(buf_done) struct buf text = {};

	if (row->waker_lost)
		label = LABEL_LOST;
	if (!label)
		escape_add(&text, profile_string(adder->profile, adder->profile->records.data[row->waker].comm),
			   ESCAPE_NAME);
	if (label && *label)
		add_label(adder, label, TREE_LABEL);
	else if (text.nr)
		add_label(adder, buf_text(&text), TREE_PROCESS);
}

/* Adds the waker leaf first, upside down above the sleeper. Without a waker only a label. */
static void add_waker(struct adder *adder, const struct merged_row *row)
{
	const struct profile *profile = adder->profile;
	const struct merged_stack *stacks[] = { &row->waker_kernel, &row->waker_user };

	if (row->waker != PROFILE_NONE)
		add_label(adder, "--", TREE_DELIMITER);
	for (size_t i = 0; i < 2; i++) {
		for (uint32_t at = 0; at < stacks[i]->nr; at++)
			add_frame_of(adder, profile->stack_frames.data[stacks[i]->first + at], TREE_WAKER);
		if (stacks[i]->cut)
			add_label(adder, LABEL_CUT, TREE_LABEL);
	}
	add_waker_name(adder, row);
}

/* The first twelve digits of the container id, as in docker ps; else the cgroup. */
static void add_container(struct adder *adder, const struct merged_row *row)
{
	uint64_t cgroup = adder->profile->records.data[row->sleeper].cgroup_id;
	const char *path = profile_cgroup_path(adder->profile, cgroup), *id = NULL;
	_cleanup_(buf_done) struct buf text = {};

	if (container_id(path, &id))
		buf_add(&text, id, 12);
	else if (*path)
		escape_add(&text, path, ESCAPE_NAME);
	else if (cgroup)
		buf_addf(&text, "cgroup %" PRIu64, cgroup);
	if (text.nr)
		add_label(adder, buf_text(&text), TREE_PROCESS);
	else
		add_label(adder, LABEL_UNKNOWN, TREE_LABEL);
}

static void add_process(struct adder *adder, const struct merged_row *row, enum graph_root root)
{
	const struct profile_record *record = &adder->profile->records.data[row->sleeper];
	_cleanup_(buf_done) struct buf text = {};

	if (root == GRAPH_ROOT_CONTAINER) {
		add_container(adder, row);
		return;
	}
	if (root == GRAPH_ROOT_NONE || row->lost || (!record->comm && !record->tgid))
		return;
	escape_add(&text, profile_string(adder->profile, record->comm), ESCAPE_NAME);
	if (root == GRAPH_ROOT_PID && record->tgid)
		buf_addf(&text, " (%" PRIu32 ")", record->tgid);
	if (root == GRAPH_ROOT_TID && record->tid)
		buf_addf(&text, " (%" PRIu32 "/%" PRIu32 ")", record->tgid, record->tid);
	if (text.nr)
		add_label(adder, buf_text(&text), TREE_PROCESS);
}

/* Adds the roots, which also come first in reversed stacks. */
static void add_roots(struct adder *adder, const struct merged_row *row)
{
	struct tree *tree = adder->tree;

	if (!tree->options.every_root) {
		add_process(adder, row, tree->options.root);
		return;
	}
	for (enum graph_root root = GRAPH_ROOT_COMM; root < GRAPH_ROOT_NONE; root++) {
		const size_t before = tree->pool.nr;

		add_process(adder, row, root);
		if (tree->pool.nr == before)
			vec_push(&tree->pool, 0);
	}
}

static void reverse(uint32_t *frames, size_t nr)
{
	for (size_t i = 0; i < nr / 2; i++) {
		uint32_t frame = frames[i];

		frames[i] = frames[nr - 1 - i];
		frames[nr - 1 - i] = frame;
	}
}

/* Limits the sum of all values to 2^62, so that no sum or difference overflows, whatever a file contains. */
static uint64_t within_limit(struct tree *tree, int column, uint64_t value)
{
	uint64_t room = (1ull << 62) - tree->sum[column], taken = value < room ? value : room;

	tree->sum[column] += taken;
	return taken;
}

/* Whether it is idle time, of which only the sum is shown. */
static bool is_set_aside(const struct profile *profile, const struct merged_row *row)
{
	return profile->view.style == VIEW_WALL && !profile->view.idle_stacks && row->user.nr &&
	       wall_state_of(profile, &profile->records.data[row->record]) == WALL_IDLE;
}

static void add_row(struct adder *adder, const struct merged_row *row, uint64_t time_ns, int column)
{
	struct tree *tree = adder->tree;
	struct tree_stack stack = { .first = tree->pool.nr, .time_ns = time_ns };
	size_t start;

	add_roots(adder, row);
	start = tree->pool.nr;
	if (row->lost) {
		add_label(adder, LABEL_LOST, TREE_LABEL);
	} else if (is_set_aside(adder->profile, row)) {
		add_label(adder, WALL_IDLE_ROOT, TREE_LABEL);
	} else {
		add_stack(adder, &row->user, false);
		if (tree->options.delimited && row->user.nr && row->kernel.nr)
			add_label(adder, "-", TREE_DELIMITER);
		add_stack(adder, &row->kernel, true);
	}
	add_waker(adder, row);
	if (tree->options.reverse)
		reverse(tree->pool.data + start, tree->pool.nr - start);
	stack.nr = (uint32_t)(tree->pool.nr - stack.first);
	stack.value[column] = within_limit(tree, column, row_value(&adder->profile->view, row));
	vec_push(&tree->stacks, stack);
}

void tree_add(struct tree *tree, const struct profile *profile, const struct profile_interval *interval, int column)
{
	_cleanup_(merged_done) struct merged merged = {};
	struct profile_view view = profile->view;
	_cleanup_(freep) uint32_t(*shown)[3] = xcalloc(profile->frames.nr + 1, sizeof(*shown));
	struct adder adder = { .tree = tree, .profile = profile, .shown = shown };
	unsigned int apart = 0;

	view.per_process = tree->options.root != GRAPH_ROOT_NONE;
	view.by_name = false;
	if (tree->options.every_root)
		apart = APART_THREADS | APART_CGROUPS;
	else if (tree->options.root == GRAPH_ROOT_TID)
		apart = APART_THREADS;
	else if (tree->options.root == GRAPH_ROOT_CONTAINER)
		apart = APART_CGROUPS;
	if (tree->options.times && view.times)
		apart |= APART_RECORDS;
	merge_interval(profile, interval, &view, apart, &merged);
	for (size_t i = 0; i < merged.rows.nr; i++)
		add_row(&adder, &merged.rows.data[i], view.times ? merged.rows.data[i].time_ns : interval->start_ns,
			column);
}

void tree_add_all(struct tree *tree, const struct profile *profile, int column)
{
	for (size_t i = 0; i < profile->intervals.nr; i++)
		tree_add(tree, profile, &profile->intervals.data[i], column);
}

/* ---- order ---- */

static int compare_texts(const void *left, const void *right, void *context)
{
	const uint32_t *a = left, *b = right;
	const struct tree *tree = context;
	const struct tree_frame *left_frame = &tree->frames.data[*a], *right_frame = &tree->frames.data[*b];
	int order = strcmp(tree_text(tree, *a), tree_text(tree, *b));

	if (!order)
		order = (int)left_frame->kind - (int)right_frame->kind;
	if (!order)
		order = strcmp(strtab_get(&tree->texts, left_frame->source),
			       strtab_get(&tree->texts, right_frame->source));
	return order ? order : (left_frame->line > right_frame->line) - (left_frame->line < right_frame->line);
}

/* Sorts the frames by text and renumbers them: siblings are then sorted by number. */
static void rank_frames(struct tree *tree)
{
	size_t nr = tree->frames.nr;
	_cleanup_(freep) uint32_t *order = xcalloc(nr, sizeof(*order));
	_cleanup_(freep) uint32_t *rank = xcalloc(nr, sizeof(*rank));
	struct tree_frame *frames = xcalloc(nr, sizeof(*frames));

	for (uint32_t i = 0; i < nr; i++)
		order[i] = i;
	qsort_r(order + 1, nr - 1, sizeof(*order), compare_texts, tree); /* "all" stays first */
	for (uint32_t i = 0; i < nr; i++) {
		rank[order[i]] = i;
		frames[i] = tree->frames.data[order[i]];
	}
	for (size_t i = 0; i < tree->pool.nr; i++)
		tree->pool.data[i] = rank[tree->pool.data[i]];
	free(tree->frames.data);
	tree->frames.data = frames;
	tree->frames.room = nr;
	hashidx_done(&tree->frame_index); /* its indices have changed */
}

static int compare_stacks(const void *left, const void *right, void *context)
{
	const struct tree_stack *a = left, *b = right;
	const uint32_t *pool = context, *x = pool + a->first, *y = pool + b->first;
	uint32_t nr = a->nr < b->nr ? a->nr : b->nr;

	for (uint32_t i = 0; i < nr; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return (a->nr > b->nr) - (a->nr < b->nr);
}

/* ---- nodes ---- */

/* How many frames the stack shares with the path of the previous stack. */
static uint32_t common(const struct tree *tree, const struct tree_stack *stack, const uint32_t *path, uint32_t depth)
{
	uint32_t nr = stack->nr < depth ? stack->nr : depth, i = 0;

	while (i < nr && tree->nodes.data[path[i + 1]].frame == tree->pool.data[stack->first + i])
		i++;
	return i;
}

/* `path` has the previous stack's node at each depth. */
static void lay_down(struct tree *tree, const struct tree_stack *stack, uint32_t *path, uint32_t depth)
{
	struct tree_node *last;

	for (uint32_t i = common(tree, stack, path, depth); i < stack->nr; i++) {
		uint32_t position = (uint32_t)tree->nodes.nr;
		struct tree_node node = {
			.frame = tree->pool.data[stack->first + i],
			.parent = path[i],
			.end = position + 1,
			.depth = i + 1,
		};

		vec_push(&tree->nodes, node);
		path[i + 1] = position;
	}
	last = &tree->nodes.data[path[stack->nr]];
	for (int column = 0; column < TREE_COLUMNS; column++)
		last->self[column] += stack->value[column];
	if (tree->options.times && stack->value[TREE_NOW])
		vec_push(&tree->moments,
			 (struct tree_moment){ stack->time_ns, stack->value[TREE_NOW], path[stack->nr] });
}

static int compare_moments(const void *left, const void *right)
{
	const struct tree_moment *a = left, *b = right;

	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	return (a->node > b->node) - (a->node < b->node);
}

/* Parents come before their children: in reverse order, each node comes after everything below it. */
static void sum_up(struct tree *tree)
{
	for (size_t i = tree->nodes.nr; i-- > 0;) {
		struct tree_node *node = &tree->nodes.data[i], *parent = &tree->nodes.data[node->parent];

		for (int column = 0; column < TREE_COLUMNS; column++) {
			node->total[column] += node->self[column];
			if (i)
				parent->total[column] += node->total[column];
		}
		if (node->end > parent->end)
			parent->end = node->end;
	}
}

void tree_build(struct tree *tree)
{
	uint32_t depth = 0, *path;

	for (size_t i = 0; i < tree->stacks.nr; i++)
		if (tree->stacks.data[i].nr > tree->max_depth)
			tree->max_depth = tree->stacks.data[i].nr;
	rank_frames(tree);
	if (tree->stacks.nr)
		qsort_r(tree->stacks.data, tree->stacks.nr, sizeof(*tree->stacks.data), compare_stacks,
			tree->pool.data);
	path = xcalloc((size_t)tree->max_depth + 1, sizeof(*path));
	vec_push(&tree->nodes, (struct tree_node){ .end = 1 });
	for (size_t i = 0; i < tree->stacks.nr; i++) {
		lay_down(tree, &tree->stacks.data[i], path, depth);
		depth = tree->stacks.data[i].nr;
	}
	sum_up(tree);
	if (tree->moments.nr)
		qsort(tree->moments.data, tree->moments.nr, sizeof(*tree->moments.data), compare_moments);
	free(path);
	vec_done(&tree->pool);
	vec_done(&tree->stacks);
}

/* ---- two columns ---- */

uint64_t tree_before(const struct tree *tree, uint64_t sum)
{
	uint64_t before = tree->nodes.data[0].total[TREE_BEFORE], now = tree->nodes.data[0].total[TREE_NOW];

	if (!tree->options.normalize || !before)
		return sum;
	return (uint64_t)(((unsigned __int128)sum * now + before / 2) / before);
}

uint64_t tree_gone(const struct tree *tree)
{
	uint64_t gone = 0;

	for (size_t i = 0; i < tree->nodes.nr;) {
		const struct tree_node *node = &tree->nodes.data[i];

		if (!node->total[TREE_NOW])
			gone += node->total[TREE_BEFORE];
		i = node->total[TREE_NOW] ? i + 1 : node->end;
	}
	return gone;
}

bool tree_has_common_process(const struct tree *tree)
{
	bool any[TREE_COLUMNS] = {};

	for (size_t i = 1; i < tree->nodes.nr; i = tree->nodes.data[i].end) {
		const struct tree_node *node = &tree->nodes.data[i];

		if (tree->frames.data[node->frame].kind != TREE_PROCESS)
			continue;
		if (node->total[TREE_NOW] && node->total[TREE_BEFORE])
			return true;
		for (int column = 0; column < TREE_COLUMNS; column++)
			any[column] |= node->total[column] > 0;
	}
	return !any[TREE_NOW] || !any[TREE_BEFORE];
}

/* ---- functions ---- */

struct tree_function *tree_functions(const struct tree *tree)
{
	_cleanup_(freep) uint32_t *open = xcalloc(tree->frames.nr, sizeof(*open)); /* number of its nodes on the path */
	_cleanup_(freep) uint32_t *path = xcalloc((size_t)tree->max_depth + 1, sizeof(*path));
	struct tree_function *functions = xcalloc(tree->frames.nr, sizeof(*functions));
	uint32_t depth = 0;

	for (uint32_t i = 0; i < tree->frames.nr; i++)
		functions[i].frame = i;
	for (size_t i = 1; i < tree->nodes.nr; i++) {
		const struct tree_node *node = &tree->nodes.data[i];
		struct tree_function *function = &functions[node->frame];

		for (; depth >= node->depth; depth--)
			open[path[depth]]--;
		depth = node->depth;
		path[depth] = node->frame;
		for (int column = 0; column < TREE_COLUMNS; column++) {
			function->self[column] += node->self[column];
			if (!open[node->frame])
				function->total[column] += node->total[column];
		}
		open[node->frame]++;
	}
	return functions;
}

const char *tree_unit(const struct profile *profile)
{
	const char *unit = profile_string(profile, profile->unit);

	return *unit ? unit : "samples";
}

int tree_require_root(const struct profile *profile, enum graph_root root)
{
	static const char *const missing[] = {
		[GRAPH_ROOT_PID] = "process ids",
		[GRAPH_ROOT_TID] = "thread ids: record it with '--root tid'",
		[GRAPH_ROOT_CONTAINER] = "cgroups: record it with '--root container'",
		[GRAPH_ROOT_NONE] = NULL,
	};

	if (!missing[root] || !profile->records.nr)
		return 0;
	for (size_t i = 0; i < profile->records.nr; i++) {
		const struct profile_record *record = &profile->records.data[i];

		if (root == GRAPH_ROOT_PID ? record->tgid : root == GRAPH_ROOT_TID ? record->tid : record->cgroup_id)
			return 0;
	}
	return fail(-ENODATA, "argument --root: this profile has no %s", missing[root]);
}
