/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A call tree to walk through: which branches are open, where the cursor is, what is searched for. Keys go in, a screen
 * of text comes out; the terminal itself is core/run/tui.h. Texts of the tree are safe to print.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base/buf.h"
#include "core/base/match.h"
#include "core/render/graph.h"
#include "core/render/tree.h"

enum browser_key { /* beside characters, which are themselves */
	KEY_UP = 256,
	KEY_DOWN,
	KEY_LEFT,
	KEY_RIGHT,
	KEY_PAGE_UP,
	KEY_PAGE_DOWN,
	KEY_HOME,
	KEY_END,
	KEY_ENTER,
	KEY_ESCAPE,
	KEY_BACKSPACE,
	KEY_QUIT,
};

struct browser {
	const struct tree *tree;
	const struct graph_caption *caption;
	bool *open;            /* of nodes: whether what is below them is shown */
	VEC(uint32_t) lines;   /* nodes that are shown, in order */
	size_t cursor, first;  /* in lines: the cursor, the first on the screen */
	size_t rows, columns;  /* of the screen */
	bool touched;          /* a key was pressed: what is open is the user's choice */
	bool typing;           /* a search expression is being typed */
	struct buf typed;
	struct match *match;   /* what is searched for, or NULL */
	uint64_t matched;      /* value of the stacks that match */
	char message[128];     /* instead of the last line, until the next key */
};

/* `tree` and `caption` are borrowed. The heaviest branch is open as far as it has no rival. */
void browser_init(struct browser *browser, const struct tree *tree, const struct graph_caption *caption);
void browser_done(struct browser *browser);

/*
 * Goes on with another tree, of the same run when more has come: branches and the cursor stay where their functions
 * are, and what has no key behind it opens anew. The old tree is needed no more.
 */
void browser_replace(struct browser *browser, const struct tree *tree);

/* The size of the screen; at least three rows are drawn. */
void browser_resize(struct browser *browser, size_t rows, size_t columns);

/* False when the key means the end: q, and KEY_QUIT anywhere. */
bool browser_press(struct browser *browser, int key);

/* The screen, with terminal sequences (ECMA-48): from the upper left corner, every line to its end. */
void browser_draw(const struct browser *browser, struct buf *ret_screen);
