/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a view of the live screen shows: the stacks as a call tree, as a list of functions, or as a tree of callers. It
 * grows with the stacks, in steps, so that a key never waits for it. Nodes are only added, and keep their numbers.
 */
#pragma once

#include "core/render/stacks.h"

enum forest_view {
	FOREST_TREE, /* callers above what they call */
	FOREST_FUNCTIONS, /* every function once */
	FOREST_CALLERS, /* the innermost function above its callers */
	FOREST_NR_VIEWS
};

/* A part of the stacks: those whose path, grouped by `root`, begins with these frames. */
struct forest_zoom {
	uint8_t root; /* enum graph_root */
	struct u32_list path; /* empty: all */
};

struct forest_question {
	uint8_t view; /* enum forest_view */
	uint8_t root; /* enum graph_root: what the first nodes are; GRAPH_ROOT_NONE: functions */
	uint32_t focus; /* callers of this frame; 0: of all */
	const struct forest_zoom *zoom; /* borrowed; NULL: all stacks */
};

struct forest_node {
	uint32_t frame, parent;
	uint32_t first_child, next_sibling; /* 0: none */
	uint32_t depth;
	bool is_open; /* for the reader */
	uint64_t self, total;
};

struct forest {
	struct forest_question question;
	VEC(struct forest_node) nodes; /* [0] is the root; parents come before their children */
	uint32_t *slots; /* nodes by parent and frame; 0: free */
	size_t nr_slots;
	VEC(uint64_t) taken; /* by stack: the value that the nodes contain */
	size_t next; /* stack to look at */
	VEC(uint32_t) path; /* of the stack at hand */
	VEC(uint64_t) seen; /* by frame: the last stack that had it, for functions */
	uint64_t nr_added;
};

void forest_init(struct forest *forest, const struct forest_question *question);
void forest_done(struct forest *forest);

/* Takes what the stacks have more than before, some `budget` frames of it. True: there is more. */
bool forest_work(struct forest *forest, const struct stacks *stacks, size_t budget);

/* Looks at all stacks again: to be called when they have changed. */
void forest_look_again(struct forest *forest);

/* The node for a frame below a node, or 0. */
uint32_t forest_child(const struct forest *forest, uint32_t parent, uint32_t frame);
