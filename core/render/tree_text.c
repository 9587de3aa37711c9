/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A call tree as text: indented lines with total and self, a table of functions, or folded lines of two profiles. A single child with the
 * same total is not indented further, so that deep stacks fit on the screen.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/escape.h"
#include "core/render/documents.h"

enum {
	DEFAULT_LEAST = 1000, /* thousandths of a percent: smaller branches are omitted */
	DEFAULT_LINES = 30,
};

static void add_number(struct buf *text, uint64_t number)
{
	_cleanup_(buf_done) struct buf cell = {};

	buf_add_grouped(&cell, number);
	buf_addf(text, "%12s", buf_text(&cell));
}

static void add_name(const struct tree *tree, uint32_t frame, struct buf *text)
{
	const struct tree_frame *shown = &tree->frames.data[frame];
	const char *module = tree_module(tree, frame);

	buf_adds(text, tree_text(tree, frame));
	if (*module && shown->kind != TREE_LABEL)
		buf_addf(text, " [%s]", module);
	else if (shown->kind == TREE_KERNEL)
		buf_adds(text, " [kernel]");
}

struct branch {
	uint32_t node; /* first member for tree_lighter_first() */
	uint32_t indent;
};

struct printer {
	const struct tree *tree;
	struct buf *text;
	double least;
	VEC(struct branch) todo; /* nodes to print, the next one last */
};

static void push_children(struct printer *printer, uint32_t node, uint32_t indent)
{
	const struct tree_node *nodes = printer->tree->nodes.data;
	size_t first = printer->todo.nr;

	for (uint32_t child = node + 1; child < nodes[node].end; child = nodes[child].end)
		if (nodes[child].total[TREE_NOW] && (double)nodes[child].total[TREE_NOW] >= printer->least)
			vec_push(&printer->todo, (struct branch){ child, indent });
	if (printer->todo.nr - first == 1 &&
	    nodes[printer->todo.data[first].node].total[TREE_NOW] == nodes[node].total[TREE_NOW])
		return;
	if (node)
		for (size_t i = first; i < printer->todo.nr; i++)
			printer->todo.data[i].indent++;
	if (printer->todo.nr > first)
		qsort_r(printer->todo.data + first, printer->todo.nr - first, sizeof(*printer->todo.data),
			tree_lighter_first, (void *)printer->tree);
}

static void print_node(struct printer *printer, const struct branch *branch)
{
	const struct tree_node *node = &printer->tree->nodes.data[branch->node];
	uint64_t whole = printer->tree->nodes.data[0].total[TREE_NOW];

	percent_add(printer->text, node->total[TREE_NOW], whole, 8);
	add_number(printer->text, node->total[TREE_NOW]);
	percent_add(printer->text, node->self[TREE_NOW], whole, 8);
	add_number(printer->text, node->self[TREE_NOW]);
	buf_addf(printer->text, "%*s", 2 + 2 * (int)branch->indent, "");
	add_name(printer->tree, node->frame, printer->text);
	buf_addc(printer->text, '\n');
}

void render_tree(const struct tree *tree, const struct output_options *options, const struct graph_caption *caption,
		 struct buf *ret_text)
{
	uint32_t share = options->limit ? options->limit : DEFAULT_LEAST;
	const char *unit = strcmp(caption->unit, "microseconds") ? caption->unit : "us"; /* fits the column */
	struct printer printer = {
		.tree = tree,
		.text = ret_text,
		.least = (double)tree->nodes.data[0].total[TREE_NOW] * share / 100000,
	};

	buf_addf(ret_text, "   total%12s    self%12s  %s\n", unit, unit,
		 tree->options.reverse ? "function, callers below" : "function, callees below");
	push_children(&printer, 0, 0);
	while (printer.todo.nr) {
		struct branch branch = vec_last(&printer.todo);

		printer.todo.nr--;
		print_node(&printer, &branch);
		push_children(&printer, branch.node, branch.indent);
	}
	vec_done(&printer.todo);
}

static uint64_t size_of_change(const struct tree *tree, const struct tree_function *function)
{
	uint64_t now = function->self[TREE_NOW], before = tree_before(tree, function->self[TREE_BEFORE]);

	return now > before ? now - before : before - now;
}

static int compare_changes(const void *left, const void *right, void *context)
{
	const uint64_t a = size_of_change(context, left), b = size_of_change(context, right);

	return a != b ? (a < b ? 1 : -1) : tree_busier_first(left, right, NULL);
}

static void add_change(struct buf *text, uint64_t now, uint64_t before)
{
	_cleanup_(buf_done) struct buf cell = {};

	change_add(&cell, now, before);
	buf_addf(text, "%12s", buf_text(&cell));
}

static void print_function(const struct tree *tree, const struct tree_function *function, bool diff, struct buf *text)
{
	const struct tree_node *root = &tree->nodes.data[0];

	if (diff) {
		uint64_t before = tree_before(tree, function->self[TREE_BEFORE]);

		add_change(text, function->self[TREE_NOW], before);
		add_number(text, before);
		percent_add(text, function->self[TREE_BEFORE], root->total[TREE_BEFORE], 8);
		add_number(text, function->self[TREE_NOW]);
		percent_add(text, function->self[TREE_NOW], root->total[TREE_NOW], 8);
		add_change(text, function->total[TREE_NOW], tree_before(tree, function->total[TREE_BEFORE]));
	} else {
		percent_add(text, function->self[TREE_NOW], root->total[TREE_NOW], 8);
		add_number(text, function->self[TREE_NOW]);
		percent_add(text, function->total[TREE_NOW], root->total[TREE_NOW], 8);
		add_number(text, function->total[TREE_NOW]);
	}
	buf_adds(text, "  ");
	add_name(tree, function->frame, text);
	buf_addc(text, '\n');
}

static bool is_worth_a_line(const struct tree *tree, const struct tree_function *function, bool diff)
{
	return diff ? size_of_change(tree, function) ||
			       function->total[TREE_NOW] != tree_before(tree, function->total[TREE_BEFORE])
		    : function->total[TREE_NOW] > 0;
}

static void add_table_head(const struct tree *tree, const struct graph_caption *caption, struct buf *text)
{
	if (!caption->diff) {
		buf_adds(text, "    self              total              function\n");
		return;
	}
	buf_addf(text, "from %s\n", caption->sides);
	if (tree_gone(tree)) {
		gone_add(text, tree, caption->unit);
		buf_addc(text, '\n');
	}
	buf_adds(text, "        self      before                 now               total  function\n");
}

void render_functions(const struct tree *tree, const struct output_options *options,
		      const struct graph_caption *caption, struct buf *ret_text)
{
	uint32_t lines = options->limit ? options->limit : DEFAULT_LINES, nr = 0, left = 0;
	_cleanup_(freep) struct tree_function *functions = tree_functions(tree);

	qsort_r(functions, tree->frames.nr, sizeof(*functions), caption->diff ? compare_changes : tree_busier_first,
		(void *)tree);
	add_table_head(tree, caption, ret_text);
	for (size_t i = 0; i < tree->frames.nr; i++) {
		const struct tree_function *function = &functions[i];

		if (!tree_is_code(&tree->frames.data[function->frame]) ||
		    !is_worth_a_line(tree, function, caption->diff))
			continue;
		if (nr++ < lines)
			print_function(tree, function, caption->diff, ret_text);
		else
			left++;
	}
	if (caption->diff && !nr)
		buf_adds(ret_text, "(no function has changed)\n");
	if (left)
		buf_addf(ret_text, "(%" PRIu32 " more function%s; --top N shows more)\n", left, left == 1 ? "" : "s");
}

static void add_element(struct buf *line, const char *text)
{
	for (; *text; text++) {
		if (*text == ';')
			buf_adds(line, "\\x3b");
		else
			buf_addc(line, *text);
	}
}

/* Carries rounding errors to the next line: the lines add up, and scaled single samples do not all become 0. */
void render_two_columns(const struct tree *tree, struct buf *ret_text)
{
	_cleanup_(freep) uint32_t *path = xcalloc((size_t)tree->max_depth + 1, sizeof(*path));
	uint64_t sum = 0, given = 0;

	for (size_t i = 1; i < tree->nodes.nr; i++) {
		const struct tree_node *node = &tree->nodes.data[i];
		size_t start = ret_text->nr;
		uint64_t before;

		path[node->depth] = node->frame;
		if (!node->self[TREE_NOW] && !node->self[TREE_BEFORE])
			continue;
		for (uint32_t depth = 1; depth <= node->depth; depth++) {
			if (depth > 1)
				buf_addc(ret_text, ';');
			add_element(ret_text, tree_text(tree, path[depth]));
		}
		escape_last_number(ret_text, start);
		buf_addc(ret_text, ' ');
		sum += node->self[TREE_BEFORE];
		before = tree_before(tree, sum) - given;
		given += before;
		buf_addu(ret_text, before);
		buf_addc(ret_text, ' ');
		buf_addu(ret_text, node->self[TREE_NOW]);
		buf_addc(ret_text, '\n');
	}
}
