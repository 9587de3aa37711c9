/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/render/browser.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"

enum {
	BUDGET = 60000, /* frames per step: a few milliseconds */
	MAX_TYPED = 200,
	MAX_OPENED = 20000, /* lines opened by one key */
	LEAST_PERCENT = 50, /* of the total: branches with so much are opened initially */
};

static const struct forest_node *node_of(const struct browser *browser, uint32_t node)
{
	return &browser->forests[browser->view].nodes.data[node];
}

static bool has_children(const struct browser *browser, uint32_t node)
{
	return node_of(browser, node)->first_child;
}

uint32_t browser_cursor(const struct browser *browser)
{
	return browser->lines.data[browser->cursor];
}

size_t browser_shown(const struct browser *browser)
{
	return browser->rows > BROWSER_EDGE_ROWS ? browser->rows - BROWSER_EDGE_ROWS : 1;
}

void browser_say(struct browser *browser, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(browser->message, sizeof(browser->message), format, arguments);
	va_end(arguments);
}

/* ---- forests ---- */

/* A zoom is a branch of the tree with the same grouping, which shows only that branch. Other views are rebuilt from its stacks. */
static bool shows_branch(const struct browser *browser)
{
	return browser->view == FOREST_TREE && browser->roots[FOREST_TREE] == browser->zoom.root;
}

uint32_t browser_top(const struct browser *browser)
{
	uint32_t node = 0;

	for (size_t i = 0; shows_branch(browser) && i < browser->zoom.path.nr; i++) {
		node = forest_child(&browser->forests[FOREST_TREE], node, browser->zoom.path.data[i]);
		if (!node)
			break;
	}
	return node;
}

/* Empties a view, to build it for another question. */
static void ask(struct browser *browser, enum forest_view view)
{
	const bool is_all = !browser->zoom.path.nr ||
			    (view == FOREST_TREE && browser->roots[view] == browser->zoom.root);
	const struct forest_question question = {
		.view = (uint8_t)view,
		.root = browser->roots[view],
		.focus = view == FOREST_CALLERS ? browser->focus : 0,
		.zoom = is_all ? NULL : &browser->zoom,
	};

	forest_done(&browser->forests[view]);
	forest_init(&browser->forests[view], &question);
	browser->kept[view] = 0;
	browser->is_touched[view] = false;
	browser->is_working = true;
	if (view != browser->view)
		return;
	browser->cursor = browser->first = browser->lines.nr = 0;
	vec_push(&browser->lines, 0);
	browser->marks.nr = 0;
	browser->is_stale = true;
}

void browser_init(struct browser *browser, const struct graph_caption *caption, const struct browser_options *options)
{
	*browser = (struct browser){
		.options = *options,
		.caption = caption,
		.view = options->view,
		.roots = { [FOREST_TREE] = options->root ? options->root : GRAPH_ROOT_COMM,
			   [FOREST_FUNCTIONS] = GRAPH_ROOT_NONE,
			   [FOREST_CALLERS] = options->view == FOREST_CALLERS && options->root ? options->root
											       : GRAPH_ROOT_NONE },
		.rows = 24,
		.columns = 80,
	};
	stacks_init(&browser->stacks);
	for (enum forest_view view = 0; view < FOREST_NR_VIEWS; view++)
		ask(browser, view);
}

static void drop_waiting(struct browser *browser)
{
	for (size_t i = 0; i < browser->waiting.nr; i++) {
		tree_done(browser->waiting.data[i]);
		free(browser->waiting.data[i]);
	}
	browser->waiting.nr = 0;
}

void browser_done(struct browser *browser)
{
	drop_waiting(browser);
	vec_done(&browser->waiting);
	stacks_done(&browser->stacks);
	for (int view = 0; view < FOREST_NR_VIEWS; view++)
		forest_done(&browser->forests[view]);
	vec_done(&browser->zoom.path);
	vec_done(&browser->lines);
	vec_done(&browser->matching);
	vec_done(&browser->marks);
	vec_done(&browser->opened);
	buf_done(&browser->typed);
	match_free(browser->match);
	*browser = (struct browser){};
}

void browser_restart(struct browser *browser)
{
	drop_waiting(browser);
	stacks_done(&browser->stacks);
	stacks_init(&browser->stacks);
	browser->zoom.path.nr = 0;
	browser->focus = 0;
	browser->matching.nr = 0;
	browser->opened.nr = 0;
	browser->origin = 0;
	for (enum forest_view view = 0; view < FOREST_NR_VIEWS; view++)
		ask(browser, view);
}

void browser_take(struct browser *browser, struct tree *batch)
{
	vec_push(&browser->waiting, batch);
	browser->is_working = true;
}

/* Adds the stacks, then updates the view that is shown. Other views are updated when they are shown. */
bool browser_work(struct browser *browser)
{
	struct forest *forest = browser_forest(browser);
	bool more = true;

	if (!browser->stacks.batch && browser->waiting.nr) {
		stacks_take(&browser->stacks, browser->waiting.data[0]);
		browser->waiting.nr--;
		memmove(browser->waiting.data, browser->waiting.data + 1,
			browser->waiting.nr * sizeof(*browser->waiting.data));
	}
	if (browser->stacks.batch) {
		stacks_work(&browser->stacks, BUDGET);
		for (int view = 0; view < FOREST_NR_VIEWS; view++)
			forest_look_again(&browser->forests[view]);
	} else {
		more = forest_work(forest, &browser->stacks, BUDGET) || browser->waiting.nr;
		browser->is_stale = true;
	}
	browser->is_working = more;
	return more;
}

/* ---- lines ---- */

struct order {
	const struct forest_node *nodes;
	bool by_self;
};

static uint64_t rank_of(const struct order *order, uint32_t node)
{
	return order->by_self ? order->nodes[node].self : order->nodes[node].total;
}

static int compare(const void *left, const void *right, void *context)
{
	const struct order *order = context;
	const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	const uint64_t x = rank_of(order, a), y = rank_of(order, b);

	if (x != y)
		return x < y ? 1 : -1;
	if (order->by_self && order->nodes[a].total != order->nodes[b].total)
		return order->nodes[a].total < order->nodes[b].total ? 1 : -1;
	return (a > b) - (a < b);
}

void browser_push_children(struct browser *browser, uint32_t node, struct u32_list *list)
{
	const struct forest *forest = browser_forest(browser);
	const size_t before = list->nr;
	uint32_t child = forest->nodes.data[node].first_child;
	struct order order = { .nodes = forest->nodes.data };

	order.by_self = browser->view == FOREST_FUNCTIONS && !browser->is_by_total && child &&
			tree_is_code(&browser->stacks.tree.frames.data[forest->nodes.data[child].frame]);
	for (; child; child = forest->nodes.data[child].next_sibling)
		vec_push(list, child);
	if (list->nr - before > 1)
		qsort_r(list->data + before, list->nr - before, sizeof(uint32_t), compare, &order);
}

static void find_lines(struct browser *browser)
{
	struct u32_list stack = {};

	browser->lines.nr = 0;
	vec_push(&stack, browser_top(browser));
	while (stack.nr) {
		const uint32_t node = stack.data[--stack.nr];
		const size_t before = stack.nr;

		vec_push(&browser->lines, node);
		if (!node_of(browser, node)->is_open)
			continue;
		browser_push_children(browser, node, &stack);
		for (size_t i = before, k = stack.nr; i + 1 < k; i++) { /* the heaviest is taken first */
			const uint32_t other = stack.data[--k];

			stack.data[k] = stack.data[i];
			stack.data[i] = other;
		}
	}
	vec_done(&stack);
}

/* Opens a node and, while it has a single child, that child. */
static void open_node(struct browser *browser, uint32_t node)
{
	struct forest_node *nodes = browser_forest(browser)->nodes.data;

	for (;;) {
		nodes[node].is_open = true;
		node = nodes[node].first_child;
		if (!node || nodes[node].next_sibling)
			return;
	}
}

/* Opens the branch with the most value, down to LEAST_PERCENT of the total. */
static void open_heaviest(struct browser *browser)
{
	struct forest_node *nodes = browser_forest(browser)->nodes.data;
	uint32_t node = browser_top(browser);
	const double least = (double)nodes[node].total * LEAST_PERCENT / 100;

	for (size_t i = 0; i < browser->lines.nr; i++)
		nodes[browser->lines.data[i]].is_open = false;
	do {
		uint32_t heaviest = nodes[node].first_child;

		nodes[node].is_open = true;
		for (uint32_t child = heaviest; child; child = nodes[child].next_sibling)
			if (nodes[child].total > nodes[heaviest].total)
				heaviest = child;
		node = heaviest;
	} while (node && browser->view == FOREST_TREE && (double)nodes[node].total >= least);
}

static size_t line_of(const struct browser *browser, uint32_t node)
{
	for (;;) {
		for (size_t i = 0; i < browser->lines.nr; i++)
			if (browser->lines.data[i] == node)
				return i;
		if (!node)
			return 0;
		node = node_of(browser, node)->parent;
	}
}

static void move_to(struct browser *browser, size_t line)
{
	browser->cursor = line < browser->lines.nr ? line : browser->lines.nr - 1;
	if (browser->cursor < browser->first)
		browser->first = browser->cursor;
	if (browser->cursor >= browser->first + browser_shown(browser))
		browser->first = browser->cursor - browser_shown(browser) + 1;
}

static void move_by(struct browser *browser, ptrdiff_t lines)
{
	if (lines < 0 && (size_t)-lines > browser->cursor)
		move_to(browser, 0);
	else
		move_to(browser, browser->cursor + (size_t)lines);
}

void browser_lay_out(struct browser *browser, uint32_t node)
{
	find_lines(browser);
	move_to(browser, line_of(browser, node));
}

/* Updates the lines; the cursor keeps its node and its row. */
void browser_settle(struct browser *browser)
{
	const size_t above = browser->cursor - browser->first;
	const uint32_t node = browser_cursor(browser);

	if (!browser->is_stale)
		return;
	browser->is_stale = false;
	if (!browser->is_touched[browser->view])
		open_heaviest(browser);
	find_lines(browser);
	browser->cursor = browser->is_touched[browser->view] ? line_of(browser, node) : 0;
	browser->first = browser->cursor > above ? browser->cursor - above : 0;
	move_to(browser, browser->cursor);
	if (browser->match)
		browser_search_grown(browser);
}

void browser_resize(struct browser *browser, size_t rows, size_t columns)
{
	browser->rows = rows;
	browser->columns = columns;
	move_to(browser, browser->cursor);
}

/* ---- views ---- */

static void show(struct browser *browser, enum forest_view view)
{
	browser->kept[browser->view] = browser_cursor(browser);
	browser->kept_above[browser->view] = browser->cursor - browser->first;
	browser->view = view;
	browser->marks.nr = 0;
	browser->is_stale = browser->is_working = true;
	find_lines(browser);
	browser->cursor = line_of(browser, browser->kept[view]);
	browser->first = browser->cursor -
			 (browser->cursor < browser->kept_above[view] ? browser->cursor : browser->kept_above[view]);
	if (browser->match)
		browser_mark(browser);
}

static void show_callers(struct browser *browser, uint32_t frame)
{
	if (frame && !tree_is_code(&browser->stacks.tree.frames.data[frame]))
		frame = 0;
	if (frame != browser->focus) {
		browser->focus = frame;
		ask(browser, FOREST_CALLERS);
	}
	show(browser, FOREST_CALLERS);
}

static void group(struct browser *browser)
{
	uint8_t *root = &browser->roots[browser->view];

	*root = *root == GRAPH_ROOT_NONE ? GRAPH_ROOT_COMM : (uint8_t)(*root + 1);
	ask(browser, browser->view);
}

/* Rebuilds the views for a changed zoom. The tree with the same grouping has all branches; its cursor moves to `node`. */
static void ask_zoomed(struct browser *browser, uint32_t node)
{
	for (enum forest_view view = 0; view < FOREST_NR_VIEWS; view++) {
		const bool has_all = view == FOREST_TREE && browser->roots[view] == browser->zoom.root &&
				     !browser->forests[view].question.zoom;

		if (!has_all)
			ask(browser, view);
		else if (view == browser->view)
			browser_lay_out(browser, node);
	}
}

/* Zooms all views into the branch at the cursor. */
static void zoom_in(struct browser *browser)
{
	const uint32_t cursor = browser_cursor(browser);
	struct u32_list path = {};

	if (cursor && browser->view != FOREST_TREE &&
	    (browser->roots[browser->view] == GRAPH_ROOT_NONE || node_of(browser, cursor)->depth > 1)) {
		browser_say(browser, "zoom works in the tree: press 1");
		return;
	}
	for (uint32_t node = cursor; node; node = node_of(browser, node)->parent)
		vec_push(&path, node_of(browser, node)->frame);
	browser->zoom.root = browser->roots[browser->view];
	browser->zoom.path.nr = 0;
	while (path.nr)
		vec_push(&browser->zoom.path, path.data[--path.nr]);
	vec_done(&path);
	if (browser->view == FOREST_TREE)
		open_node(browser, cursor);
	ask_zoomed(browser, cursor);
}

static void zoom_out(struct browser *browser)
{
	const uint32_t top = browser_top(browser);

	if (!browser->zoom.path.nr)
		return;
	browser->zoom.path.nr--;
	browser->forests[FOREST_TREE].nodes.data[shows_branch(browser) ? browser_top(browser) : 0].is_open = true;
	ask_zoomed(browser, top);
}

/* ---- keys ---- */

static void open_all(struct browser *browser, uint32_t node)
{
	struct forest_node *nodes = browser_forest(browser)->nodes.data;
	struct u32_list todo = {};
	size_t at = 0;

	vec_push(&todo, node);
	for (; at < todo.nr && at < MAX_OPENED; at++) {
		nodes[todo.data[at]].is_open = true;
		for (uint32_t child = nodes[todo.data[at]].first_child; child; child = nodes[child].next_sibling)
			vec_push(&todo, child);
	}
	if (at < todo.nr)
		browser_say(browser, "this branch is large: a part of it is open");
	vec_done(&todo);
}

static void change_branch(struct browser *browser, int key)
{
	uint32_t node = browser_cursor(browser);
	struct forest_node *at = &browser_forest(browser)->nodes.data[node];
	const bool is_leaf = !at->first_child, is_left = key == KEY_LEFT || key == 'h';

	if ((key == KEY_RIGHT || key == 'l') && (at->is_open || is_leaf)) {
		move_by(browser, 1);
		return;
	}
	if (is_left && (!at->is_open || is_leaf) && node != browser_top(browser))
		node = at->parent;
	else if (key == '*')
		open_all(browser, node);
	else if (at->is_open)
		at->is_open = false;
	else
		open_node(browser, node);
	browser_lay_out(browser, node);
}

static bool walk(struct browser *browser, int key)
{
	ptrdiff_t page = (ptrdiff_t)browser_shown(browser);

	if (key == KEY_UP || key == 'k')
		move_by(browser, -1);
	else if (key == KEY_DOWN || key == 'j')
		move_by(browser, 1);
	else if (key == KEY_PAGE_UP)
		move_by(browser, -page);
	else if (key == KEY_PAGE_DOWN)
		move_by(browser, page);
	else if (key == KEY_HOME)
		move_to(browser, 0);
	else if (key == KEY_END || key == 'G')
		move_to(browser, browser->lines.nr - 1);
	else
		return false;
	return true;
}

/* Changes the view, its grouping or its zoom. */
static bool turn(struct browser *browser, int key)
{
	const uint32_t frame = node_of(browser, browser_cursor(browser))->frame;

	if (key == '1' || key == 't')
		show(browser, FOREST_TREE);
	else if (key == '2' || key == 'f')
		show(browser, FOREST_FUNCTIONS);
	else if (key == '3')
		show_callers(browser, 0);
	else if (key == 'c' || (key == KEY_ENTER && browser->view == FOREST_FUNCTIONS &&
				!has_children(browser, browser_cursor(browser))))
		show_callers(browser, frame);
	else if (key == KEY_TAB)
		show(browser, (browser->view + 1) % FOREST_NR_VIEWS);
	else if (key == 'g')
		group(browser);
	else if (key == 'z')
		zoom_in(browser);
	else if (key == 'Z')
		zoom_out(browser);
	else
		return false;
	return true;
}

static void begin_typing(struct browser *browser, enum browser_prompt prompt, const char *text)
{
	browser->prompt = prompt;
	buf_clear(&browser->typed);
	buf_adds(&browser->typed, text);
}

static enum browser_wish change_run(struct browser *browser, int key)
{
	if (key == 'o' && browser->view == FOREST_FUNCTIONS) {
		browser->is_by_total = !browser->is_by_total;
		browser->is_stale = true;
	} else if (key == ' ' && browser->options.is_live) {
		browser->is_paused = !browser->is_paused;
	} else if (key == 'r' && browser->options.is_live && !browser->is_ended) {
		return BROWSER_RESTART;
	} else if (key == 's' && browser->options.save_name) {
		begin_typing(browser, PROMPT_SAVE, browser->options.save_name);
	} else if (key == '?') {
		browser->prompt = PROMPT_HELP;
	}
	return BROWSER_STAY;
}

/* Escape ends the search or, if there is none, the last zoom. */
static void go_back(struct browser *browser)
{
	if (!browser->match) {
		zoom_out(browser);
		return;
	}
	match_free(browser->match);
	browser->match = NULL;
	browser->marks.nr = 0;
}

static enum browser_wish type_key(struct browser *browser, int key)
{
	const bool is_search = browser->prompt == PROMPT_SEARCH;

	if (key == KEY_ENTER || key == KEY_ESCAPE) {
		browser->prompt = PROMPT_NONE;
		if (is_search)
			browser_end_search(browser, key == KEY_ENTER);
		return key == KEY_ENTER && !is_search && browser->typed.nr ? BROWSER_SAVE : BROWSER_STAY;
	}
	if (key == KEY_BACKSPACE && browser->typed.nr)
		browser->typed.data[--browser->typed.nr] = '\0';
	else if (key >= ' ' && key < 256 && key != 0x7f && browser->typed.nr < MAX_TYPED)
		buf_addc(&browser->typed, (char)key);
	else
		return BROWSER_STAY;
	if (is_search)
		browser_search_typed(browser);
	return BROWSER_STAY;
}

static enum browser_wish command(struct browser *browser, int key)
{
	if (key == 'q')
		return BROWSER_QUIT;
	if (key == KEY_LEFT || key == KEY_RIGHT || key == 'h' || key == 'l' || key == '*' ||
	    (key == KEY_ENTER && (browser->view != FOREST_FUNCTIONS || has_children(browser, browser_cursor(browser)))))
		change_branch(browser, key);
	else if (key == 'n' || key == 'N')
		browser_find(browser, key == 'N');
	else if (key == '/')
		browser_begin_search(browser);
	else if (key == KEY_ESCAPE)
		go_back(browser);
	else if (!walk(browser, key) && !turn(browser, key))
		return change_run(browser, key);
	return BROWSER_STAY;
}

enum browser_wish browser_press(struct browser *browser, int key)
{
	const enum forest_view view = browser->view;
	enum browser_wish wish = BROWSER_STAY;

	if (key == KEY_QUIT)
		return BROWSER_QUIT;
	if (key == KEY_REDRAW)
		return BROWSER_STAY;
	browser->message[0] = '\0';
	browser_settle(browser);
	if (browser->prompt == PROMPT_HELP) {
		browser->prompt = PROMPT_NONE;
		return key == 'q' ? BROWSER_QUIT : BROWSER_STAY;
	}
	if (browser->prompt != PROMPT_NONE)
		wish = type_key(browser, key);
	else
		wish = command(browser, key);
	/* changing the view or pausing does not count as the user's choice */
	if (browser->view == view && !browser->is_stale && key != ' ' && key != '?')
		browser->is_touched[view] = true;
	return wish;
}
