/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A profile in short: totals, the heaviest call tree within the screen, and the functions that use most.
 *
 * A line of the tree is a chain: a function, the callee that has nearly all of its value, and so on. Lines are selected by value, the
 * largest first, until the screen is full. The last line of the tree shows the largest branch that has no line.
 */
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/render/documents.h"

enum {
	DEFAULT_ROWS = 40, /* if the size of the screen is unknown */
	DEFAULT_COLUMNS = 100,
	MIN_COLUMNS = 60,
	OTHER_ROWS = 14, /* headings, empty lines and a few notes */
	MIN_TREE_ROWS = 5,
	MAX_FUNCTIONS = 15,
	MIN_FUNCTIONS = 5,
	CHAIN_PERCENT = 95, /* a chain ends where the value is below this share of its first function's value */
	LEAST_SHARE = 200, /* branches below 1/200 of the total have no line */
	MIN_NAME = 20, /* shorter names are not truncated */
	BAR = 10,
	NUMBER_COLUMNS = 29, /* before the names */
};

#define ARROW " > "
#define LEFT_OUT "..."

struct line {
	uint32_t node; /* the first of a chain; first member for tree_lighter_first() */
	uint32_t indent;
};

struct summary {
	const struct tree *tree;
	struct buf *text;
	uint32_t columns;
	bool is_colored;
	bool *has_line; /* by node: the first of a chain */
	VEC(uint32_t) chain; /* nodes of the chain of find_chain() */
	VEC(uint32_t) waiting; /* chains that may get a line */
	uint64_t largest_left; /* value of the largest branch without a line */
};

static const struct tree_node *node_of(const struct summary *summary, uint32_t node)
{
	return &summary->tree->nodes.data[node];
}

static const struct tree_frame *frame_of(const struct summary *summary, uint32_t node)
{
	return &summary->tree->frames.data[node_of(summary, node)->frame];
}

static uint64_t value_of(const struct summary *summary, uint32_t node)
{
	return node_of(summary, node)->total[TREE_NOW];
}

/* ---- selecting lines ---- */

static uint32_t heaviest_child(const struct summary *summary, uint32_t node)
{
	uint32_t heaviest = 0;

	for (uint32_t child = node + 1; child < node_of(summary, node)->end; child = node_of(summary, child)->end)
		if (!heaviest || value_of(summary, child) > value_of(summary, heaviest))
			heaviest = child;
	return heaviest;
}

static bool starts_chain(const struct summary *summary, uint32_t node)
{
	const uint8_t kind = frame_of(summary, node)->kind;

	return kind != TREE_ALL && kind != TREE_PROCESS;
}

/* Finds the chain that begins with a node. The root and processes are chains of one node. */
static void find_chain(struct summary *summary, uint32_t first)
{
	const double least = (double)value_of(summary, first) * CHAIN_PERCENT / 100;

	summary->chain.nr = 0;
	vec_push(&summary->chain, first);
	if (!starts_chain(summary, first))
		return;
	for (uint32_t next = heaviest_child(summary, first); next && (double)value_of(summary, next) >= least;
	     next = heaviest_child(summary, next))
		vec_push(&summary->chain, next);
}

static void leave_out(struct summary *summary, uint32_t node)
{
	if (value_of(summary, node) > summary->largest_left)
		summary->largest_left = value_of(summary, node);
}

/* On the screen a chain only branches at its end: its other branches have at most 5 % of its value. */
static void offer_branches(struct summary *summary)
{
	const uint64_t least = value_of(summary, 0) / LEAST_SHARE;

	for (size_t i = 0; i < summary->chain.nr; i++) {
		const uint32_t node = summary->chain.data[i];
		const bool is_last = i + 1 == summary->chain.nr;

		for (uint32_t child = node + 1; child < node_of(summary, node)->end;
		     child = node_of(summary, child)->end) {
			if (!is_last && child == summary->chain.data[i + 1])
				continue;
			if (is_last && value_of(summary, child) >= least)
				vec_push(&summary->waiting, child);
			else
				leave_out(summary, child);
		}
	}
}

static uint32_t take_heaviest(struct summary *summary)
{
	uint32_t *waiting = summary->waiting.data, taken;
	size_t heaviest = 0;

	for (size_t i = 1; i < summary->waiting.nr; i++)
		if (value_of(summary, waiting[i]) > value_of(summary, waiting[heaviest]))
			heaviest = i;
	taken = waiting[heaviest];
	waiting[heaviest] = waiting[--summary->waiting.nr];
	return taken;
}

static void choose_lines(struct summary *summary, uint32_t nr)
{
	find_chain(summary, 0);
	offer_branches(summary);
	for (; nr && summary->waiting.nr; nr--) {
		const uint32_t first = take_heaviest(summary);

		summary->has_line[first] = true;
		find_chain(summary, first);
		offer_branches(summary);
	}
	if (summary->waiting.nr)
		leave_out(summary, take_heaviest(summary));
}

/* ---- names ---- */

static const char *color_of(const struct summary *summary, uint8_t kind)
{
	return summary->is_colored ? terminal_color(kind) : "";
}

static void add_name(struct summary *summary, const struct tree_frame *frame, uint32_t columns)
{
	const char *color = color_of(summary, frame->kind);

	buf_adds(summary->text, color);
	text_cut_add(summary->text, strtab_get(&summary->tree->texts, frame->text),
		     columns > MIN_NAME ? columns : MIN_NAME, LEFT_OUT);
	if (*color)
		buf_adds(summary->text, "\x1b[m");
}

static bool enters_kernel(const struct summary *summary, uint32_t node)
{
	return frame_of(summary, node)->kind == TREE_KERNEL &&
	       frame_of(summary, node_of(summary, node)->parent)->kind != TREE_KERNEL;
}

#define KERNEL_MARK "[kernel] "

static uint32_t link_width(const struct summary *summary, uint32_t node)
{
	return text_width(tree_text(summary->tree, node_of(summary, node)->frame)) +
	       (enters_kernel(summary, node) ? (uint32_t)strlen(KERNEL_MARK) : 0);
}

static void add_link(struct summary *summary, uint32_t node, uint32_t columns)
{
	if (enters_kernel(summary, node))
		buf_adds(summary->text, KERNEL_MARK);
	add_name(summary, frame_of(summary, node), columns);
}

/* A link after omitted links follows "...". */
static uint32_t chain_width(const struct summary *summary, const bool *kept)
{
	uint32_t width = 0;

	for (size_t i = 0; i < summary->chain.nr; i++) {
		const uint32_t node = summary->chain.data[i];

		if (kept[i])
			width += (uint32_t)strlen(ARROW) + link_width(summary, node);
		else if (kept[i - 1])
			width += (uint32_t)strlen(ARROW LEFT_OUT) +
				 (enters_kernel(summary, node) ? (uint32_t)strlen(KERNEL_MARK) : 0);
	}
	return width - (uint32_t)strlen(ARROW);
}

static bool keep_link(const struct summary *summary, size_t i, uint32_t columns, bool *kept)
{
	if (kept[i])
		return true;
	kept[i] = true;
	kept[i] = chain_width(summary, kept) <= columns;
	return kept[i];
}

/* The last function before the kernel, which shows the purpose of the system call; 0: none after the first link. */
static size_t find_caller_of_kernel(const struct summary *summary)
{
	for (size_t i = 1; i < summary->chain.nr; i++)
		if (enters_kernel(summary, summary->chain.data[i]))
			return i - 1;
	return 0;
}

/* Keeps the first and the last link, the caller of the kernel, and in turn as many links before these two as fit. */
static void keep_links(const struct summary *summary, uint32_t columns, bool *kept)
{
	const size_t last = summary->chain.nr - 1;
	size_t caller = find_caller_of_kernel(summary);
	bool above = true, below = true;

	kept[0] = kept[last] = true;
	if (!keep_link(summary, caller, columns, kept))
		caller = 0;
	for (size_t i = 1; above || below; i++) {
		above = above && i < caller && keep_link(summary, caller - i, columns, kept);
		below = below && i < last && keep_link(summary, last - i, columns, kept);
	}
}

/* Adds the chain, or the links kept by keep_links(). If only two are left and do not fit, they are truncated. */
static void add_chain(struct summary *summary, uint32_t columns)
{
	const uint32_t half = summary->chain.nr > 1 ? (columns - (uint32_t)strlen(ARROW LEFT_OUT ARROW)) / 2 : columns;
	_cleanup_(freep) bool *kept = xcalloc(summary->chain.nr, sizeof(*kept));
	uint32_t most;

	keep_links(summary, columns, kept);
	most = chain_width(summary, kept) > columns ? half : columns;
	for (size_t i = 0; i < summary->chain.nr; i++) {
		const uint32_t node = summary->chain.data[i];

		if (!kept[i] && !kept[i - 1])
			continue;
		buf_adds(summary->text, i ? ARROW : "");
		if (kept[i])
			add_link(summary, node, most);
		else
			buf_addf(summary->text, "%s" LEFT_OUT, enters_kernel(summary, node) ? KERNEL_MARK : "");
	}
}

/* ---- lines ---- */

static void add_share(struct summary *summary, uint64_t value)
{
	const uint64_t whole = value_of(summary, 0);

	buf_addf(summary->text, "%7.1f%%", whole ? 100.0 * (double)value / (double)whole : 0.0);
}

static void add_head(struct summary *summary, const char *what)
{
	buf_addf(summary->text, "   total    self%*s%s\n", NUMBER_COLUMNS - 16, "", what);
}

static void add_numbers(struct summary *summary, uint64_t total, uint64_t self)
{
	add_share(summary, total);
	add_share(summary, self);
	buf_adds(summary->text, "  ");
}

static void add_bar(struct summary *summary, uint64_t value, uint64_t longest)
{
	const unsigned int filled = longest ? (unsigned int)((double)value * BAR / (double)longest + 0.5) : 0;

	for (unsigned int i = 0; i < BAR; i++)
		buf_addc(summary->text, i < filled ? '#' : ' ');
	buf_addc(summary->text, ' ');
}

static void add_line(struct summary *summary, const struct line *line)
{
	const uint32_t indent = 2 * line->indent;
	const uint32_t left = summary->columns > NUMBER_COLUMNS + indent ? summary->columns - NUMBER_COLUMNS - indent
									 : 0;
	uint64_t self = 0;

	find_chain(summary, line->node);
	for (size_t i = 0; i < summary->chain.nr; i++)
		self += node_of(summary, summary->chain.data[i])->self[TREE_NOW];
	add_numbers(summary, value_of(summary, line->node), self);
	add_bar(summary, value_of(summary, line->node), value_of(summary, 0));
	buf_addf(summary->text, "%*s", (int)indent, "");
	add_chain(summary, left > 2 * MIN_NAME ? left : 2 * MIN_NAME);
	buf_addc(summary->text, '\n');
}

static void add_tree(struct summary *summary)
{
	VEC(struct line) todo = {};

	add_head(summary, "call tree");
	vec_push(&todo, (struct line){});
	while (todo.nr) {
		const struct line line = todo.data[--todo.nr];
		const size_t before = todo.nr;
		uint32_t last;

		if (line.node)
			add_line(summary, &line);
		else
			find_chain(summary, 0);
		last = vec_last(&summary->chain);
		for (uint32_t child = last + 1; child < node_of(summary, last)->end;
		     child = node_of(summary, child)->end)
			if (summary->has_line[child])
				vec_push(&todo, (struct line){ child, line.node ? line.indent + 1 : 0 });
		if (todo.nr > before)
			qsort_r(todo.data + before, todo.nr - before, sizeof(*todo.data), tree_lighter_first,
				(void *)summary->tree);
	}
	vec_done(&todo);
	if (summary->largest_left) {
		buf_addf(summary->text, "%*s(other branches: ", NUMBER_COLUMNS, "");
		percent_add(summary->text, summary->largest_left, value_of(summary, 0), 0);
		buf_adds(summary->text, " or less each)\n");
	}
}

/* The module to show after the name. "libz.so.1!fn_0x4970" already contains it. */
static const char *module_beside(const struct summary *summary, const struct tree_frame *frame, uint32_t number)
{
	const char *module = tree_module(summary->tree, number), *text = tree_text(summary->tree, number);
	const size_t nr = strlen(module);

	if (frame->kind == TREE_KERNEL)
		return "kernel";
	return strncmp(text, module, nr) || text[nr] != '!' ? module : "";
}

static void add_function(struct summary *summary, const struct tree_function *function, uint64_t longest)
{
	const struct tree_frame *frame = &summary->tree->frames.data[function->frame];
	const char *module = module_beside(summary, frame, function->frame);
	const uint32_t beside = NUMBER_COLUMNS + (*module ? text_width(module) + (uint32_t)strlen(" []") : 0);

	add_numbers(summary, function->total[TREE_NOW], function->self[TREE_NOW]);
	add_bar(summary, function->self[TREE_NOW], longest);
	add_name(summary, frame, summary->columns > beside ? summary->columns - beside : 0);
	buf_addf(summary->text, *module ? " [%s]\n" : "\n", module);
}

static void add_functions(struct summary *summary, uint32_t nr)
{
	const struct tree *tree = summary->tree;
	_cleanup_(freep) struct tree_function *functions = tree_functions(tree);
	uint64_t longest = 0;

	qsort_r(functions, tree->frames.nr, sizeof(*functions), tree_busier_first, NULL);
	buf_addc(summary->text, '\n');
	add_head(summary, "function");
	for (size_t i = 0; i < tree->frames.nr && nr && functions[i].self[TREE_NOW]; i++) {
		if (!tree_is_code(&tree->frames.data[functions[i].frame]))
			continue;
		nr--;
		longest = longest ? longest : functions[i].self[TREE_NOW];
		add_function(summary, &functions[i], longest);
	}
}

static void add_totals(struct summary *summary, const char *unit)
{
	const uint64_t whole = value_of(summary, 0);

	buf_addc(summary->text, '\n');
	if (strcmp(unit, "microseconds") != 0) {
		buf_add_grouped(summary->text, whole);
		buf_addf(summary->text, " %.*s\n", (int)(strlen(unit) - (whole == 1)), unit); /* "1 sample" */
	} else {
		buf_addf(summary->text, "%.6f seconds off the CPU\n", (double)whole / 1e6);
	}
	if (whole)
		buf_addc(summary->text, '\n');
}

static uint32_t within(uint32_t value, uint32_t least, uint32_t most)
{
	return value < least ? least : value > most ? most : value;
}

void render_summary(const struct tree *tree, const struct output_options *options, const struct graph_caption *caption,
		    struct buf *ret_text)
{
	const uint32_t rows = options->rows ? options->rows : DEFAULT_ROWS;
	const uint32_t columns = options->columns ? options->columns : DEFAULT_COLUMNS;
	const uint32_t nr_functions = within(rows / 4, MIN_FUNCTIONS, MAX_FUNCTIONS);
	_cleanup_(freep) bool *has_line = xcalloc(tree->nodes.nr, sizeof(*has_line));
	struct summary summary = {
		.tree = tree,
		.text = ret_text,
		.columns = columns > MIN_COLUMNS ? columns : MIN_COLUMNS,
		.is_colored = options->is_colored,
		.has_line = has_line,
	};

	if (caption->words)
		buf_addf(ret_text, "\n%s\n", caption->words);
	else
		add_totals(&summary, caption->unit);
	if (!value_of(&summary, 0))
		return;
	choose_lines(&summary,
		     within(rows, OTHER_ROWS + nr_functions + MIN_TREE_ROWS, UINT32_MAX) - OTHER_ROWS - nr_functions);
	add_tree(&summary);
	add_functions(&summary, nr_functions);
	buf_adds(ret_text, "\n(--format text prints every stack, -o FILE.svg draws a flame graph)\n");
	vec_done(&summary.chain);
	vec_done(&summary.waiting);
}
