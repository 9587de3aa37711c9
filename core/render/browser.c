/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/render/browser.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"

enum {
	EDGE_ROWS = 3, /* title, head of the columns, status */
	NUMBERS_COLUMNS = 18,
	NAME_COLUMNS = 40, /* that indentation leaves where there are as many */
	MAX_TYPED = 200,
};

#define REVERSE "\x1b[7m"
#define BOLD "\x1b[1m"
#define PLAIN "\x1b[m"
#define TO_END "\x1b[K"

static const struct tree_node *node_at(const struct browser *browser, size_t line)
{
	return &browser->tree->nodes.data[browser->lines.data[line]];
}

/* ---- which lines ---- */

typedef VEC(uint32_t) node_list;

/* Puts the children of a node on the stack, the heaviest on top. */
static void push_children(const struct tree *tree, uint32_t node, node_list *stack)
{
	size_t before = stack->nr;

	for (uint32_t child = node + 1; child < tree->nodes.data[node].end; child = tree->nodes.data[child].end)
		vec_push(stack, child);
	if (stack->nr - before > 1)
		qsort_r(stack->data + before, stack->nr - before, sizeof(uint32_t), tree_lighter_first, (void *)tree);
}

static void find_lines(struct browser *browser)
{
	node_list stack = {};

	browser->lines.nr = 0;
	vec_push(&stack, 0);
	while (stack.nr) {
		uint32_t node = stack.data[--stack.nr];

		vec_push(&browser->lines, node);
		if (browser->open[node])
			push_children(browser->tree, node, &stack);
	}
	vec_done(&stack);
}

static bool has_children(const struct browser *browser, uint32_t node)
{
	return browser->tree->nodes.data[node].end > node + 1;
}

/* Opens a node, and below it as far as there is only one way. */
static void open_node(struct browser *browser, uint32_t node)
{
	const struct tree_node *nodes = browser->tree->nodes.data;

	for (;;) {
		browser->open[node] = true;
		if (!has_children(browser, node) || nodes[node + 1].end < nodes[node].end)
			return;
		node++;
	}
}

static size_t line_of(const struct browser *browser, uint32_t node)
{
	for (size_t i = 0; i < browser->lines.nr; i++)
		if (browser->lines.data[i] == node)
			return i;
	return 0;
}

static size_t nr_shown(const struct browser *browser)
{
	return browser->rows > EDGE_ROWS ? browser->rows - EDGE_ROWS : 1;
}

static void move_to(struct browser *browser, size_t line)
{
	browser->cursor = line < browser->lines.nr ? line : browser->lines.nr - 1;
	if (browser->cursor < browser->first)
		browser->first = browser->cursor;
	if (browser->cursor >= browser->first + nr_shown(browser))
		browser->first = browser->cursor - nr_shown(browser) + 1;
}

static void move_by(struct browser *browser, ptrdiff_t lines)
{
	if (lines < 0 && (size_t)-lines > browser->cursor)
		move_to(browser, 0);
	else
		move_to(browser, browser->cursor + (size_t)lines);
}

/* After opening and closing: the cursor stays on its node. */
static void lay_out(struct browser *browser, uint32_t node)
{
	find_lines(browser);
	move_to(browser, line_of(browser, node));
}

void browser_init(struct browser *browser, const struct tree *tree, const struct graph_caption *caption)
{
	*browser = (struct browser){
		.tree = tree,
		.caption = caption,
		.open = xcalloc(tree->nodes.nr, sizeof(bool)),
		.rows = 24,
		.columns = 80,
	};
	open_node(browser, 0);
	find_lines(browser);
}

void browser_done(struct browser *browser)
{
	free(browser->open);
	vec_done(&browser->lines);
	buf_done(&browser->typed);
	match_free(browser->match);
	*browser = (struct browser){};
}

void browser_resize(struct browser *browser, size_t rows, size_t columns)
{
	browser->rows = rows;
	browser->columns = columns;
	move_to(browser, browser->cursor);
}

/* ---- search ---- */

static bool matches(const struct browser *browser, uint32_t node)
{
	const char *text = tree_text(browser->tree, browser->tree->nodes.data[node].frame);

	return match_test(browser->match, text, strlen(text));
}

/* What is below a match is counted with it, and not again. */
static void count_matched(struct browser *browser)
{
	browser->matched = 0;
	for (uint32_t node = 1; node < browser->tree->nodes.nr;) {
		const struct tree_node *at = &browser->tree->nodes.data[node];

		if (!matches(browser, node)) {
			node++;
			continue;
		}
		browser->matched += at->total[TREE_NOW];
		node = at->end;
	}
}

static void show_node(struct browser *browser, uint32_t node)
{
	for (uint32_t at = browser->tree->nodes.data[node].parent; at; at = browser->tree->nodes.data[at].parent)
		browser->open[at] = true;
	browser->open[0] = true;
	lay_out(browser, node);
}

/* The next node that matches, or the one before, around the end. */
static void find_next(struct browser *browser, bool backwards)
{
	uint32_t nr = (uint32_t)browser->tree->nodes.nr, node = browser->lines.data[browser->cursor];

	if (!browser->match) {
		snprintf(browser->message, sizeof(browser->message), "no search pattern: press / to enter one");
		return;
	}
	for (uint32_t i = 0; i < nr; i++) {
		node = backwards ? (node ? node : nr) - 1 : (node + 1) % nr;
		if (node && matches(browser, node)) {
			show_node(browser, node);
			return;
		}
	}
	snprintf(browser->message, sizeof(browser->message), "nothing matches");
}

static void start_search(struct browser *browser)
{
	struct match *match = NULL;
	char error[80];

	browser->typing = false;
	if (!browser->typed.nr)
		return;
	if (match_new(buf_text(&browser->typed), &match, error, sizeof(error))) {
		snprintf(browser->message, sizeof(browser->message), "no regular expression: %s", error);
		return;
	}
	match_free(browser->match);
	browser->match = match;
	count_matched(browser);
	find_next(browser, false);
}

static void type_key(struct browser *browser, int key)
{
	if (key == KEY_ENTER)
		start_search(browser);
	else if (key == KEY_ESCAPE)
		browser->typing = false;
	else if (key == KEY_BACKSPACE && browser->typed.nr)
		browser->typed.data[--browser->typed.nr] = '\0';
	else if (key >= ' ' && key < 256 && key != 0x7f && browser->typed.nr < MAX_TYPED)
		buf_addc(&browser->typed, (char)key);
}

/* ---- another tree in its place ---- */

/* Nodes whose places in another tree matter: open ones, that of the cursor, and all above these. */
static bool *find_kept(const struct browser *browser, uint32_t cursor)
{
	const struct tree *tree = browser->tree;
	bool *kept = xcalloc(tree->nodes.nr, sizeof(*kept));

	for (uint32_t node = (uint32_t)tree->nodes.nr - 1; node > 0; node--)
		if (kept[node] || browser->open[node] || node == cursor)
			kept[node] = kept[tree->nodes.data[node].parent] = true;
	return kept;
}

/* The child of a node that shows what `wanted` of another tree shows, or 0. */
static uint32_t find_child(const struct tree *tree, uint32_t parent, const struct tree *other, uint32_t wanted)
{
	uint32_t frame = other->nodes.data[wanted].frame;

	for (uint32_t child = parent + 1; child < tree->nodes.data[parent].end; child = tree->nodes.data[child].end)
		if (tree->frames.data[tree->nodes.data[child].frame].kind == other->frames.data[frame].kind &&
		    !strcmp(tree_text(tree, tree->nodes.data[child].frame), tree_text(other, frame)))
			return child;
	return 0;
}

/* For each node of the browser's own tree, its place in another tree; 0: it is not there, not kept, or the root. */
static uint32_t *find_places(const struct browser *browser, const struct tree *tree, uint32_t cursor)
{
	const struct tree *old = browser->tree;
	_cleanup_(freep) bool *kept = find_kept(browser, cursor);
	uint32_t *places = xcalloc(old->nodes.nr, sizeof(*places));

	for (uint32_t node = 1; node < old->nodes.nr; node++) {
		uint32_t parent = old->nodes.data[node].parent;

		if (kept[node] && (!parent || places[parent]))
			places[node] = find_child(tree, places[parent], old, node);
	}
	return places;
}

void browser_replace(struct browser *browser, const struct tree *tree)
{
	uint32_t cursor = browser->lines.data[browser->cursor];
	size_t above = browser->cursor - browser->first;
	_cleanup_(freep) uint32_t *places = find_places(browser, tree, cursor);
	_cleanup_(freep) bool *before = browser->open;

	browser->open = xcalloc(tree->nodes.nr, sizeof(bool));
	for (uint32_t node = 0; node < browser->tree->nodes.nr && browser->touched; node++)
		if (before[node] && (!node || places[node]))
			browser->open[places[node]] = true;
	while (cursor && !places[cursor])
		cursor = browser->tree->nodes.data[cursor].parent;
	browser->tree = tree;
	if (!browser->touched)
		open_node(browser, 0);
	if (browser->match)
		count_matched(browser);
	find_lines(browser);
	browser->cursor = line_of(browser, places[cursor]);
	browser->first = browser->cursor > above ? browser->cursor - above : 0;
	move_to(browser, browser->cursor);
}

/* ---- keys ---- */

/* Opens and closes branches at the cursor. */
static void change_branch(struct browser *browser, int key)
{
	uint32_t node = browser->lines.data[browser->cursor];
	bool is_open = browser->open[node], is_leaf = !has_children(browser, node);
	bool is_left = key == KEY_LEFT || key == 'h', is_right = key == KEY_RIGHT || key == 'l';

	if (is_right && (is_open || is_leaf)) {
		move_by(browser, 1);
		return;
	}
	if (is_left && (!is_open || is_leaf))
		node = browser->tree->nodes.data[node].parent;
	else if (key == '*')
		for (uint32_t at = node; at < browser->tree->nodes.data[node].end; at++)
			browser->open[at] = true;
	else if (is_open)
		browser->open[node] = false;
	else
		open_node(browser, node);
	lay_out(browser, node);
}

static void walk(struct browser *browser, int key)
{
	ptrdiff_t page = (ptrdiff_t)nr_shown(browser);

	if (key == KEY_UP || key == 'k')
		move_by(browser, -1);
	else if (key == KEY_DOWN || key == 'j')
		move_by(browser, 1);
	else if (key == KEY_PAGE_UP)
		move_by(browser, -page);
	else if (key == KEY_PAGE_DOWN)
		move_by(browser, page);
	else if (key == KEY_HOME || key == 'g')
		move_to(browser, 0);
	else if (key == KEY_END || key == 'G')
		move_to(browser, browser->lines.nr - 1);
}

bool browser_press(struct browser *browser, int key)
{
	browser->message[0] = '\0';
	browser->touched = true;
	if (browser->typing) {
		type_key(browser, key);
		return key != KEY_QUIT;
	}
	if (key == KEY_LEFT || key == KEY_RIGHT || key == KEY_ENTER || (key < 256 && key && strchr("hl *", key)))
		change_branch(browser, key);
	else if (key == 'n' || key == 'N')
		find_next(browser, key == 'N');
	else
		walk(browser, key);
	if (key == '/') {
		browser->typing = true;
		buf_clear(&browser->typed);
	}
	return key != 'q' && key != KEY_QUIT;
}

/* ---- drawing ---- */

/* At most `columns` characters; what follows is cut off, between characters. */
static void add_cut(struct buf *screen, const char *text, size_t columns)
{
	buf_add(screen, text, text_prefix(text, columns));
}

/*
 * How deep a line is that is not indented: of the deepest ones on the screen the names are to be seen, so lines far above them
 * have no indentation.
 */
static uint32_t left_edge(const struct browser *browser)
{
	size_t rest = browser->columns > NUMBERS_COLUMNS ? browser->columns - NUMBERS_COLUMNS : 0;
	size_t room = rest > 2 * NAME_COLUMNS ? rest - NAME_COLUMNS : rest / 2, shown = nr_shown(browser);
	uint32_t deepest = 0;

	for (size_t i = browser->first; i < browser->first + shown && i < browser->lines.nr; i++)
		if (node_at(browser, i)->depth > deepest)
			deepest = node_at(browser, i)->depth;
	return deepest > room ? deepest - (uint32_t)room : 0;
}

static void add_line(struct buf *screen, const struct browser *browser, size_t number, uint32_t edge)
{
	uint32_t position = browser->lines.data[number];
	const struct tree_node *node = node_at(browser, number);
	uint64_t whole = browser->tree->nodes.data[0].total[TREE_NOW];
	const char *module = tree_module(browser->tree, node->frame);
	_cleanup_(buf_done) struct buf line = {};

	percent_add(&line, node->total[TREE_NOW], whole, 8);
	percent_add(&line, node->self[TREE_NOW], whole, 8);
	buf_addf(&line, "  %*s", (int)(node->depth > edge ? node->depth - edge : 0), "");
	buf_adds(&line, !has_children(browser, position) ? "  " : browser->open[position] ? "- " : "+ ");
	buf_adds(&line, tree_text(browser->tree, node->frame));
	if (*module && browser->tree->frames.data[node->frame].kind != TREE_LABEL)
		buf_addf(&line, " [%s]", module);
	if (number == browser->cursor)
		buf_adds(screen, REVERSE);
	else if (browser->match && position && matches(browser, position))
		buf_adds(screen, BOLD);
	add_cut(screen, buf_text(&line), browser->columns);
	buf_adds(screen, PLAIN TO_END "\r\n");
}

static void add_status(struct buf *screen, const struct browser *browser)
{
	_cleanup_(buf_done) struct buf line = {};

	if (browser->typing) {
		buf_addf(&line, "/%s", buf_text(&browser->typed));
	} else if (*browser->message) {
		buf_adds(&line, browser->message);
	} else {
		buf_add_grouped(&line, node_at(browser, browser->cursor)->total[TREE_NOW]);
		buf_addf(&line, " %s", browser->caption->unit);
		if (browser->match) {
			buf_adds(&line, "; matched: ");
			percent_add(&line, browser->matched, browser->tree->nodes.data[0].total[TREE_NOW], 0);
		}
		buf_adds(&line, "   q ends; arrows move, open and close; * opens all below; / n N search");
	}
	add_cut(screen, buf_text(&line), browser->columns);
	buf_adds(screen, TO_END);
}

void browser_draw(const struct browser *browser, struct buf *ret_screen)
{
	uint32_t edge = left_edge(browser);
	size_t shown = nr_shown(browser);

	buf_adds(ret_screen, "\x1b[H" BOLD);
	add_cut(ret_screen, browser->caption->title, browser->columns);
	buf_adds(ret_screen, PLAIN TO_END "\r\n");
	add_cut(ret_screen, "   total    self  function", browser->columns);
	buf_adds(ret_screen, TO_END "\r\n");
	for (size_t i = browser->first; i < browser->first + shown; i++) {
		if (i < browser->lines.nr)
			add_line(ret_screen, browser, i, edge);
		else
			buf_adds(ret_screen, TO_END "\r\n");
	}
	add_status(ret_screen, browser);
}
