/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The screen of a profile: a call tree, hot functions or callers, which grow while the user moves in them. Input are keys and stacks,
 * output are lines of text; core/run/tui.h drives the terminal. No call takes long: browser_work() does long work in steps. Texts of the
 * trees are safe to print.
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
	KEY_REDRAW, /* the screen has another size, or something was written on it */
	KEY_QUIT,
};

/* What the program has to do after a key. */
enum browser_wish {
	BROWSER_STAY,
	BROWSER_QUIT,
	BROWSER_SAVE, /* to the file named in browser.typed */
	BROWSER_RESTART, /* with zero values */
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
	bool is_live; /* can be paused and restarted */
	bool is_colored;
	bool is_utf8; /* the terminal can show block characters */
	const char *save_name; /* borrowed; NULL: saving is not possible */
};

struct browser {
	struct browser_options options;
	const struct graph_caption *caption;
	struct stacks stacks;
	VEC(struct tree *) waiting; /* batches to add */

	/* views */
	enum forest_view view;
	struct forest forests[FOREST_NR_VIEWS];
	uint8_t roots[FOREST_NR_VIEWS]; /* enum graph_root */
	uint32_t focus; /* function whose callers are shown; 0: all */
	struct forest_zoom zoom;
	bool is_by_total; /* functions are ordered by total */
	bool is_paused, is_ended;
	bool is_working; /* browser_work() has more to do */

	/* position */
	VEC(uint32_t) lines; /* shown nodes, in order */
	size_t cursor, first; /* indices in `lines`: of the cursor, and of the first line on the screen */
	uint32_t kept[FOREST_NR_VIEWS]; /* the cursor's node in a view that is not shown */
	size_t kept_above[FOREST_NR_VIEWS]; /* and the lines above it on the screen */
	bool is_touched[FOREST_NR_VIEWS]; /* the user has opened branches or moved the cursor */
	bool is_stale; /* the forest has grown since `lines` was made */
	size_t rows, columns; /* of the screen */

	/* search, and text that is typed */
	enum browser_prompt prompt;
	struct buf typed;
	struct match *match; /* pattern that is searched; NULL: none */
	VEC(uint8_t) matching; /* by frame */
	VEC(uint8_t) marks; /* by node */
	VEC(uint32_t) opened; /* by the search for the text typed so far */
	uint32_t origin; /* the cursor's node when the search began */
	uint64_t matched; /* value of the stacks that match */
	char message[160]; /* shown in the last line until the next key */
};

/* `caption` is borrowed; it may change later. */
void browser_init(struct browser *browser, const struct graph_caption *caption, const struct browser_options *options);
void browser_done(struct browser *browser);

/* Adds stacks: a tree with `every_root` that is not built, and is freed. browser_work() processes it. */
void browser_take(struct browser *browser, struct tree *batch);

/* Removes all stacks. */
void browser_restart(struct browser *browser);

/* Works for some milliseconds. True: there is more to do. */
bool browser_work(struct browser *browser);

/* Sets the size of the screen. At least five rows are drawn, one of them a line of the tree. */
void browser_resize(struct browser *browser, size_t rows, size_t columns);

enum browser_wish browser_press(struct browser *browser, int key);

/* Shows a message in the last line until the next key. */
__attribute__((format(printf, 2, 3))) void browser_say(struct browser *browser, const char *format, ...);

/* Adds one line per row of the screen, with colour sequences (ECMA-48). */
void browser_draw(struct browser *browser, struct buf *ret_screen);

/* ---- shared by browser*.c ---- */

enum {
	BROWSER_EDGE_ROWS = 4, /* title, views, column heads, status */
};

enum browser_mark {
	MARK_MATCH = 1, /* the node matches */
	MARK_BELOW = 2, /* a node below it matches */
	MARK_COVERED = 4, /* a node above it matches */
	MARK_INSIDE = 8, /* in the branch that is shown */
};

static inline struct forest *browser_forest(struct browser *browser)
{
	return &browser->forests[browser->view];
}

uint32_t browser_top(const struct browser *browser); /* the root of what is shown: node 0, or that of the zoom */
size_t browser_shown(const struct browser *browser); /* lines on the screen */
void browser_settle(struct browser *browser); /* updates the lines if the forest has grown */
void browser_lay_out(struct browser *browser, uint32_t node); /* makes the lines, and moves the cursor to the node */
uint32_t browser_cursor(const struct browser *browser); /* the cursor's node */
/* Adds the children of a node to the list, in the order of their lines. */
void browser_push_children(struct browser *browser, uint32_t node, struct u32_list *list);

/* browser_search.c */
void browser_mark(struct browser *browser);
void browser_find(struct browser *browser, bool backwards);
void browser_begin_search(struct browser *browser);
void browser_search_grown(
	struct browser *browser); /* marks new nodes; repeats a search without results that is still being typed */
void browser_search_typed(struct browser *browser);
void browser_end_search(struct browser *browser, bool is_kept);
