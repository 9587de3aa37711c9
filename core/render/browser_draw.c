/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/escape.h"
#include "core/render/browser.h"

enum {
	NAME_COLUMNS = 40, /* left for names when lines are indented, if the screen is wide enough */
	WIDE_COLUMNS = 100, /* screens with so many columns have longer bars */
	NUMBER_COLUMNS = 9, /* of a percentage */
	EIGHTHS = 8,
};

#define REVERSE "\x1b[7m"
#define BOLD "\x1b[1m"
#define BLUE "\x1b[34m"
#define PLAIN "\x1b[m"

/* A line of the screen, truncated at its end. */
struct canvas {
	struct buf *text;
	size_t left; /* columns left */
};

static void add(struct canvas *canvas, const char *text)
{
	const size_t nr = text_prefix(text, canvas->left);
	_cleanup_(buf_done) struct buf part = {};

	buf_add(&part, text, nr);
	canvas->left -= text_width(buf_text(&part));
	buf_adds(canvas->text, buf_text(&part));
}

static void add_styled(struct canvas *canvas, const char *style, const char *text)
{
	buf_adds(canvas->text, style);
	add(canvas, text);
	if (*style)
		buf_adds(canvas->text, PLAIN);
}

static const struct forest_node *node_of(struct browser *browser, uint32_t node)
{
	return &browser_forest(browser)->nodes.data[node];
}

static const char *root_name(uint8_t root)
{
	static const char *const names[] = {
		[GRAPH_ROOT_COMM] = "command",
		[GRAPH_ROOT_PID] = "process",
		[GRAPH_ROOT_TID] = "thread",
		[GRAPH_ROOT_CONTAINER] = "container",
	};

	return root < GRAPH_ROOT_NONE ? names[root] : NULL;
}

static void add_title(struct browser *browser, struct canvas *canvas)
{
	_cleanup_(buf_done) struct buf line = {};

	buf_addf(&line, "%s   ", browser->caption->title);
	buf_add_grouped(&line, browser->stacks.tree.sum[TREE_NOW]);
	buf_addf(&line, " %s", browser->caption->unit);
	add_styled(canvas, BOLD, buf_text(&line));
	if (browser->is_paused)
		add_styled(canvas, REVERSE, "  paused ");
	else if (browser->is_working)
		add(canvas, "  (adding up)");
}

static void add_views(struct browser *browser, struct canvas *canvas)
{
	static const char *const views[] = { " 1 tree ", " 2 functions ", " 3 callers " };
	const char *root = root_name(browser->roots[browser->view]);
	const struct tree *tree = &browser->stacks.tree;
	_cleanup_(buf_done) struct buf rest = {};

	for (enum forest_view view = 0; view < FOREST_NR_VIEWS; view++)
		add_styled(canvas, view == browser->view ? REVERSE : "", views[view]);
	if (browser->view == FOREST_CALLERS && browser->focus)
		buf_addf(&rest, "  of %s", tree_text(tree, browser->focus));
	if (root)
		buf_addf(&rest, "  by %s", root);
	if (browser->zoom.path.nr) {
		buf_adds(&rest, "  only");
		for (size_t i = 0; i < browser->zoom.path.nr; i++)
			buf_addf(&rest, "%s%s", i ? " > " : " ", tree_text(tree, browser->zoom.path.data[i]));
	}
	add(canvas, buf_text(&rest));
}

static void add_prompt(struct browser *browser, struct canvas *canvas)
{
	_cleanup_(buf_done) struct buf typed = {};

	escape_add(&typed, buf_text(&browser->typed), ESCAPE_LINE);
	add(canvas, browser->prompt == PROMPT_SEARCH ? "/" : "save as: ");
	add(canvas, buf_text(&typed));
	add_styled(canvas, REVERSE, " ");
}

static void add_matched(struct browser *browser, struct buf *line)
{
	if (!browser->match || browser->view == FOREST_FUNCTIONS) /* a stack has several functions */
		return;
	buf_adds(line, "; matched: ");
	percent_add(line, browser->matched, node_of(browser, browser_top(browser))->total, 0);
}

static void add_status(struct browser *browser, struct canvas *canvas)
{
	_cleanup_(buf_done) struct buf line = {};

	if (browser->prompt == PROMPT_SEARCH || browser->prompt == PROMPT_SAVE) {
		add_prompt(browser, canvas);
		if (*browser->message)
			buf_addf(&line, "  (%s)", browser->message);
		else
			add_matched(browser, &line);
	} else if (*browser->message) {
		buf_adds(&line, browser->message);
	} else {
		buf_add_grouped(&line, node_of(browser, browser_cursor(browser))->total);
		buf_addf(&line, " %s", browser->caption->unit);
		add_matched(browser, &line);
		buf_adds(&line, "   q end  ? help  / search  g group  z zoom");
		if (browser->options.is_live)
			buf_adds(&line, "  space pause");
	}
	add(canvas, buf_text(&line));
}

/* The depth where indentation starts, so that deep lines have space for their names. */
static uint32_t left_edge(struct browser *browser, size_t numbers)
{
	const size_t rest = browser->columns > numbers ? browser->columns - numbers : 0;
	const size_t room = rest > 2 * NAME_COLUMNS ? rest - NAME_COLUMNS : rest / 2;
	const uint32_t top = node_of(browser, browser_top(browser))->depth;
	uint32_t deepest = 0;

	for (size_t i = browser->first; i < browser->first + browser_shown(browser) && i < browser->lines.nr; i++)
		if (node_of(browser, browser->lines.data[i])->depth > deepest)
			deepest = node_of(browser, browser->lines.data[i])->depth;
	return deepest > top + room ? deepest - (uint32_t)room : top;
}

static size_t bar_columns(const struct browser *browser)
{
	return browser->columns >= WIDE_COLUMNS ? 10 : 5;
}

/* In eighths of a column if the terminal has block characters. */
static void make_bar(const struct browser *browser, uint64_t part, uint64_t whole, struct buf *bar)
{
	static const char *const blocks[] = { " ", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█" };
	const size_t columns = bar_columns(browser);
	size_t filled = whole ? (size_t)((double)part * (double)(EIGHTHS * columns) / (double)whole + 0.5) : 0;

	for (size_t i = 0; i < columns; i++) {
		const size_t here = filled > EIGHTHS ? EIGHTHS : filled;

		if (browser->options.is_utf8)
			buf_adds(bar, blocks[here]);
		else
			buf_addc(bar, here >= EIGHTHS / 2 ? '#' : ' ');
		filled -= here;
	}
	buf_addc(bar, ' ');
}

static void add_name(struct browser *browser, struct canvas *canvas, uint32_t number, bool is_plain)
{
	const struct tree *tree = &browser->stacks.tree;
	const struct tree_frame *frame = &tree->frames.data[node_of(browser, number)->frame];
	const char *module = tree_module(tree, node_of(browser, number)->frame);
	const bool has_module = *module && frame->kind != TREE_LABEL;
	const size_t beside = has_module ? text_width(module) + 3 : 0;
	_cleanup_(buf_done) struct buf name = {};
	const char *style = is_plain ? "" : terminal_color(frame->kind);

	if (browser->match && number < browser->marks.nr && browser->marks.data[number] & MARK_MATCH && !is_plain)
		style = "\x1b[1;31m";
	if (!browser->options.is_colored && *style)
		style = browser->match && number < browser->marks.nr && browser->marks.data[number] & MARK_MATCH ? BOLD
														 : "";
	text_cut_add(&name, tree_text(tree, node_of(browser, number)->frame),
		     (uint32_t)(canvas->left > beside + NAME_COLUMNS / 2 ? canvas->left - beside
				: canvas->left > NAME_COLUMNS / 2        ? canvas->left
									 : NAME_COLUMNS / 2),
		     "...");
	add_styled(canvas, style, buf_text(&name));
	if (!has_module)
		return;
	buf_clear(&name);
	buf_addf(&name, " [%s]", module);
	add(canvas, buf_text(&name));
}

static void add_line(struct browser *browser, struct canvas *canvas, size_t line, uint32_t edge)
{
	const uint32_t number = browser->lines.data[line];
	const struct forest_node *node = node_of(browser, number);
	const uint64_t whole = node_of(browser, browser_top(browser))->total;
	const bool is_cursor = line == browser->cursor;
	_cleanup_(buf_done) struct buf text = {}, bar = {};

	percent_add(&text, node->total, whole, NUMBER_COLUMNS - 1);
	percent_add(&text, node->self, whole, NUMBER_COLUMNS - 1);
	buf_addc(&text, ' ');
	make_bar(browser, browser->view == FOREST_FUNCTIONS && !browser->is_by_total ? node->self : node->total, whole,
		 &bar);
	if (is_cursor)
		buf_adds(canvas->text, REVERSE);
	add(canvas, buf_text(&text));
	add_styled(canvas, browser->options.is_colored && !is_cursor ? BLUE : "", buf_text(&bar));
	buf_clear(&text);
	buf_addf(&text, "%*s", (int)(node->depth > edge ? node->depth - edge : 0), "");
	buf_adds(&text, !node->first_child ? "  " : node->is_open ? "- " : "+ ");
	add(canvas, buf_text(&text));
	add_name(browser, canvas, number, is_cursor);
	if (is_cursor)
		buf_adds(canvas->text, PLAIN);
}

static void add_head(struct browser *browser, struct canvas *canvas)
{
	_cleanup_(buf_done) struct buf line = {};

	buf_addf(&line, "   total    self %*s", (int)bar_columns(browser) + 1, "");
	buf_adds(&line, browser->view == FOREST_CALLERS ? "function, its callers below it" : "  function");
	if (browser->view == FOREST_FUNCTIONS)
		buf_addf(&line, " (o: order by %s)", browser->is_by_total ? "self" : "total");
	add(canvas, buf_text(&line));
}

static const char *const help[] = {
	" arrows, h j k l           move; right opens, left closes",
	" page up/down, home, end   move further",
	" enter, *                  open or close; open everything below",
	" 1 2 3, tab                tree, hot functions, their callers",
	" c                         callers of the function at the cursor",
	" g                         group by command, process, thread, container",
	" z, Z                      only this branch; one step out again",
	" o                         order of functions: by self or by total",
	" /, n, N                   search while you type; next, previous match",
	" escape                    ends the search, then the zoom",
	" s                         save as a file for 'stacktool report'",
	" space                     pause, go on",
	" r                         start from zero",
	" ctrl-z                    to the shell; fg comes back",
	" q                         end",
	"",
	"total: with all that it calls. self: in the function itself.",
	"Yellow: kernel. Green: generated code. Cyan: inlined. +: has more below.",
};

void browser_draw(struct browser *browser, struct buf *ret_screen)
{
	const size_t nr_help = sizeof(help) / sizeof(*help), shown = browser_shown(browser);
	uint32_t edge;

	browser_settle(browser);
	edge = left_edge(browser, 2 * NUMBER_COLUMNS + bar_columns(browser));
	for (size_t row = 0; row < shown + BROWSER_EDGE_ROWS; row++) {
		struct canvas canvas = { ret_screen, browser->columns };
		const size_t at = row - (BROWSER_EDGE_ROWS - 1), line = browser->first + at;

		if (row == 0)
			add_title(browser, &canvas);
		else if (row == 1)
			add_views(browser, &canvas);
		else if (row == 2)
			add_head(browser, &canvas);
		else if (at == shown)
			add_status(browser, &canvas);
		else if (browser->prompt == PROMPT_HELP)
			add(&canvas, at < nr_help ? help[at] : "");
		else if (line < browser->lines.nr)
			add_line(browser, &canvas, line, edge);
		if (at != shown || row < BROWSER_EDGE_ROWS - 1)
			buf_addc(ret_screen, '\n');
	}
}
