/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The screen of a profile: a call tree, hot functions or callers, which grow while the user moves in them. Keys and
 * stacks go in, lines of text come out; the terminal itself is core/run/tui.h. No call takes long: what many stacks need
 * is done by browser_work(), piece by piece. Texts of the trees are safe to print.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base/buf.h"
#include "core/base/match.h"
#include "core/render/forest.h"
#include "core/render/graph.h"

enum browser_key { /* keys without a character */
	KEY_UP = 256,
	KEY_DOWN,
	KEY_LEFT,
	KEY_RIGHT,
	KEY_PAGE_UP,
	KEY_PAGE_DOWN,
	KEY_HOME,
	KEY_END,
	KEY_ENTER,
	KEY_TAB,
	KEY_ESCAPE,
	KEY_BACKSPACE,
	KEY_REDRAW, /* the size is another, or something has written on the screen */
	KEY_QUIT,
};

/* What a key asks of the program. */
enum browser_wish {
	BROWSER_STAY,
	BROWSER_QUIT,
	BROWSER_SAVE, /* into the file that browser.typed names */
	BROWSER_RESTART, /* from zero */
};

enum browser_prompt {
	PROMPT_NONE,
	PROMPT_SEARCH,
	PROMPT_SAVE,
	PROMPT_HELP,
};

struct browser_options {
	enum graph_root root; /* of the tree; DEFAULT: COMM */
	enum forest_view view;
	bool is_live; /* it can be paused and restarted */
	bool is_colored;
	bool is_utf8; /* bars may be made of blocks */
	const char *save_name; /* borrowed; NULL: nothing can be saved */
};

struct browser {
	struct browser_options options;
	const struct graph_caption *caption;
	struct stacks stacks;
	VEC(struct tree *) waiting; /* batches */

	/* what is shown */
	enum forest_view view;
	struct forest forests[FOREST_NR_VIEWS];
	uint8_t roots[FOREST_NR_VIEWS]; /* enum graph_root */
	uint32_t focus; /* of the callers */
	struct forest_zoom zoom;
	bool is_by_total; /* order of functions */
	bool is_paused, is_ended;
	bool is_working; /* there is more for browser_work() */

	/* where */
	VEC(uint32_t) lines; /* nodes that are shown, in order */
	size_t cursor, first; /* in lines: the cursor, the first on the screen */
	uint32_t kept[FOREST_NR_VIEWS]; /* node of the cursor while another view is shown */
	size_t kept_above[FOREST_NR_VIEWS]; /* lines above it on the screen */
	bool is_touched[FOREST_NR_VIEWS]; /* what is open, and where the cursor is, is the user's choice */
	bool is_stale; /* the forest has changed since the lines were made */
	size_t rows, columns; /* of the screen */

	/* search, and names that are typed */
	enum browser_prompt prompt;
	struct buf typed;
	struct match *match; /* what is searched for, or NULL */
	VEC(uint8_t) matching; /* by frame */
	VEC(uint8_t) marks; /* by node */
	VEC(uint32_t) opened; /* by the search that is being typed */
	uint32_t origin; /* node of the cursor when it began */
	uint64_t matched; /* value of the stacks that match */
	char message[160]; /* instead of the last line, until the next key */
};

/* `caption` is borrowed, and may change. */
void browser_init(struct browser *browser, const struct graph_caption *caption, const struct browser_options *options);
void browser_done(struct browser *browser);

/* More stacks: a tree with `every_root`, not built; it is freed. browser_work() takes them in. */
void browser_take(struct browser *browser, struct tree *batch);

/* Forgets all stacks. */
void browser_restart(struct browser *browser);

/* Does a piece of what is to be done, a few milliseconds of it. True: there is more. */
bool browser_work(struct browser *browser);

/* The size of the screen; at least five rows are drawn, one of them a line of the tree. */
void browser_resize(struct browser *browser, size_t rows, size_t columns);

enum browser_wish browser_press(struct browser *browser, int key);

/* Shown instead of the last line, until the next key. */
__attribute__((format(printf, 2, 3))) void browser_say(struct browser *browser, const char *format, ...);

/* The screen, a line for each row, with sequences for colours (ECMA-48). */
void browser_draw(struct browser *browser, struct buf *ret_screen);

/* ---- shared by browser*.c ---- */

enum {
	BROWSER_EDGE_ROWS = 4, /* title, views, head of the columns, status */
};

enum browser_mark {
	MARK_MATCH = 1, /* the node itself matches */
	MARK_BELOW = 2, /* something below it does */
	MARK_COVERED = 4, /* something above it does */
	MARK_INSIDE = 8, /* the node is in the branch that is shown */
};

static inline struct forest *browser_forest(struct browser *browser)
{
	return &browser->forests[browser->view];
}

uint32_t browser_top(const struct browser *browser); /* the node whose branch is shown: 0, or that of the zoom */
size_t browser_shown(const struct browser *browser); /* lines on the screen */
void browser_settle(struct browser *browser); /* makes the lines again if the forest has grown */
void browser_lay_out(struct browser *browser,
		     uint32_t node); /* after opening and closing: the cursor goes to the node */
uint32_t browser_cursor(const struct browser *browser); /* its node */
/* The nodes below a node, in the order of their lines, at the end of a list. */
void browser_push_children(struct browser *browser, uint32_t node, struct u32_list *list);

/* browser_search.c */
void browser_mark(struct browser *browser);
void browser_find(struct browser *browser, bool backwards);
void browser_begin_search(struct browser *browser);
void browser_search_grown(
	struct browser *browser); /* marks what has come; a search that had found nothing is repeated while it is typed */
void browser_search_typed(struct browser *browser);
void browser_end_search(struct browser *browser, bool is_kept);
