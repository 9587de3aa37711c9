/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A view of the live screen: the stacks as a call tree, a list of functions, or a tree of callers. It grows with the stacks, in steps, so
 * that no key has to wait. Nodes are only added, and keep their numbers.
 */
#pragma once

#include "core/render/stacks.h"

enum forest_view {
	FOREST_TREE, /* callers above callees */
	FOREST_FUNCTIONS, /* every function once */
	FOREST_CALLERS, /* innermost functions above their callers */
	FOREST_NR_VIEWS
};

/* A part of the stacks: those whose path, with `root` as the first node, begins with these frames. */
struct forest_zoom {
	uint8_t root; /* enum graph_root */
	struct u32_list path; /* empty: all */
};

struct forest_question {
	uint8_t view; /* enum forest_view */
	uint8_t root; /* enum graph_root, the kind of the first nodes; NONE: functions */
	uint32_t focus; /* only callers of this frame; 0: all */
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
	VEC(struct forest_node) nodes; /* [0] is the root; parents have lower numbers than their children */
	uint32_t *slots; /* node numbers, hashed by parent and frame; 0: free */
	size_t nr_slots;
	VEC(uint64_t) taken; /* for each stack: the part of its value that is in the nodes */
	size_t next; /* stack to process */
	VEC(uint32_t) path; /* of the current stack */
	VEC(uint64_t) seen; /* for each frame: the last stack with it, for functions */
	uint64_t nr_added;
};

void forest_init(struct forest *forest, const struct forest_question *question);
void forest_done(struct forest *forest);

/* Adds the new values of stacks, about `budget` frames. True: there is more. */
bool forest_work(struct forest *forest, const struct stacks *stacks, size_t budget);

/* Call when the stacks have changed: all are processed again. */
void forest_look_again(struct forest *forest);

/* The child of a node for a frame; 0: none. */
uint32_t forest_child(const struct forest *forest, uint32_t parent, uint32_t frame);
