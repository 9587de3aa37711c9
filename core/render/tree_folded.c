/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two profiles as folded lines with two numbers, "stack before now", as flamegraph.pl takes them for a difference. */
#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/escape.h"
#include "core/render/documents.h"

static void add_element(struct buf *line, const char *text)
{
	for (; *text; text++) {
		if (*text == ';')
			buf_adds(line, "\\x3b");
		else
			buf_addc(line, *text);
	}
}

/*
 * What rounding takes from one line the next one gets, so a profile of a thousand stacks of one sample each does not become
 * nothing, and whoever adds the lines up has the whole.
 */
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
