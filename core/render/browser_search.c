/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Incremental search: which nodes match, and where the next match is. */
#include <string.h>

#include "core/base/cleanup.h"
#include "core/render/browser.h"

/* Tests each text once. */
static void match_frames(struct browser *browser)
{
	const struct tree *tree = &browser->stacks.tree;

	for (uint32_t frame = (uint32_t)browser->matching.nr; frame < tree->frames.nr; frame++) {
		const char *text = tree_text(tree, frame);

		vec_push(&browser->matching, frame && match_test(browser->match, text, strlen(text)));
	}
}

/* Parents have lower numbers than their children: one pass down, one pass up. */
void browser_mark(struct browser *browser)
{
	const struct forest *forest = browser_forest(browser);
	const struct forest_node *nodes = forest->nodes.data;
	const uint32_t nr = (uint32_t)forest->nodes.nr, top = browser_top(browser);
	uint8_t *marks;

	match_frames(browser);
	vec_reserve(&browser->marks, nr);
	browser->marks.nr = nr;
	marks = browser->marks.data;
	marks[0] = top ? 0 : MARK_INSIDE;
	browser->matched = 0;
	for (uint32_t node = 1; node < nr; node++) {
		const uint8_t above = marks[nodes[node].parent];
		const bool is_covered = above & (MARK_MATCH | MARK_COVERED);
		const bool is_match = browser->matching.data[nodes[node].frame];

		marks[node] = above & MARK_INSIDE || node == top ? MARK_INSIDE : 0;
		marks[node] |= (is_covered ? MARK_COVERED : 0) | (is_match ? MARK_MATCH : 0);
		if ((node == top && is_covered) || (is_match && !is_covered && marks[node] & MARK_INSIDE))
			browser->matched += nodes[node].total;
	}
	for (uint32_t node = nr; node-- > 1;)
		if (marks[node] & (MARK_MATCH | MARK_BELOW))
			marks[nodes[node].parent] |= MARK_BELOW;
}

static bool has_mark(const struct browser *browser, uint32_t node, enum browser_mark mark)
{
	return node < browser->marks.nr && browser->marks.data[node] & mark;
}

/* Opens branches from a node down to its first match, or to the last. */
static uint32_t open_down(struct browser *browser, uint32_t node, bool to_last)
{
	struct u32_list children = {};

	do {
		uint32_t found = 0;

		if (!browser_forest(browser)->nodes.data[node].is_open)
			vec_push(&browser->opened, node);
		browser_forest(browser)->nodes.data[node].is_open = true;
		children.nr = 0;
		browser_push_children(browser, node, &children);
		for (size_t i = 0; i < children.nr; i++)
			if (has_mark(browser, children.data[i], MARK_MATCH | MARK_BELOW) && (to_last || !found))
				found = children.data[i];
		node = found;
	} while (node && (to_last ? has_mark(browser, node, MARK_BELOW) : !has_mark(browser, node, MARK_MATCH)));
	vec_done(&children);
	return node;
}

static bool is_closed_above_match(const struct browser *browser, uint32_t node)
{
	return !browser->forests[browser->view].nodes.data[node].is_open && has_mark(browser, node, MARK_BELOW);
}

/* Moves to the next match, from `line` on, and around once. False: no match. */
static bool find_from(struct browser *browser, size_t line, bool with_first, bool backwards)
{
	const size_t nr = browser->lines.nr;

	for (size_t i = 0; i <= nr; i++) {
		const uint32_t node = browser->lines.data[backwards ? (line + nr - i % nr) % nr : (line + i) % nr];
		const bool is_here = has_mark(browser, node, MARK_MATCH) && (i || with_first);

		if (backwards && i && is_closed_above_match(browser, node)) {
			browser_lay_out(browser, open_down(browser, node, true));
			return true;
		}
		if (is_here) {
			browser_lay_out(browser, node);
			return true;
		}
		if (!backwards && is_closed_above_match(browser, node)) {
			browser_lay_out(browser, open_down(browser, node, false));
			return true;
		}
	}
	return false;
}

void browser_search_grown(struct browser *browser)
{
	browser_mark(browser);
	if (browser->prompt == PROMPT_SEARCH && *browser->message && find_from(browser, browser->cursor, true, false))
		browser->message[0] = '\0';
}

void browser_find(struct browser *browser, bool backwards)
{
	browser->opened.nr = 0;
	if (!browser->match)
		browser_say(browser, "no search: press / to begin one");
	else if (!find_from(browser, browser->cursor, false, backwards))
		browser_say(browser, "nothing matches");
}

void browser_begin_search(struct browser *browser)
{
	browser->prompt = PROMPT_SEARCH;
	buf_clear(&browser->typed);
	browser->origin = browser_cursor(browser);
	browser->opened.nr = 0;
}

/* Closes what the search for the previous text has opened. */
static void close_opened(struct browser *browser)
{
	for (size_t i = 0; i < browser->opened.nr; i++)
		browser_forest(browser)->nodes.data[browser->opened.data[i]].is_open = false;
	browser->opened.nr = 0;
	browser_lay_out(browser, browser->origin);
}

void browser_search_typed(struct browser *browser)
{
	char error[80];

	close_opened(browser);
	match_free(browser->match);
	browser->match = NULL;
	browser->matching.nr = browser->marks.nr = 0;
	if (!browser->typed.nr)
		return;
	if (match_new(buf_text(&browser->typed), &browser->match, error, sizeof(error))) {
		browser->match = NULL;
		browser_say(browser, "not complete: %s", error);
		return;
	}
	browser_mark(browser);
	if (!find_from(browser, browser->cursor, true, false))
		browser_say(browser, "nothing matches");
}

void browser_end_search(struct browser *browser, bool is_kept)
{
	if (is_kept) {
		browser->opened.nr = 0;
		return;
	}
	buf_clear(&browser->typed);
	browser_search_typed(browser);
}
