/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The call tree of a profile: what flame graphs, tree and top reports and differences are drawn from.
 *
 * Stacks are turned into sequences of numbers (root first, or leaf first when reversed), sorted, and laid down as a tree
 * in preorder: the subtree of node i is the nodes i to nodes[i].end, children stand in the order of their texts, and a
 * drawing that is too narrow to be seen is left out by jumping to `end`. No pointers, no recursion: stacks of strangers
 * are as deep as they like.
 *
 * A tree has two columns of values, so that two profiles can be compared; an ordinary tree leaves the second at zero.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base/hashidx.h"
#include "core/base/strtab.h"
#include "core/base/vec.h"
#include "core/plan/output_options.h"
#include "core/profile/profile.h"

enum tree_kind {
	TREE_USER,
	TREE_KERNEL,
	TREE_JIT,
	TREE_INLINED,
	TREE_WAKER,
	TREE_PROCESS,
	TREE_LABEL,     /* stands for something that is not there: "[unknown]" */
	TREE_DELIMITER, /* "-" between the stacks */
	TREE_ALL,       /* the root */
	TREE_NR_KINDS
};

struct tree_options {
	enum graph_root root;
	bool reverse; /* the leaf comes first: callers of each function */
	bool delimited;
	bool lines_apart; /* source lines are no part of the text, but tell frames apart */
	bool normalize; /* what is shown of the values before is scaled to the sum of those now: tree_before() */
};

/* What a box of a flame graph shows. Frames with the same text and kind are one. */
struct tree_frame {
	string_id text;   /* in tree.texts, safe to print */
	string_id module; /* likewise; 0 none, or several */
	uint8_t kind;    /* enum tree_kind */
	bool several_modules;
	string_id source; /* with options.lines_apart: in tree.texts; 0 none */
	uint32_t line;
};

enum {
	TREE_NOW,
	TREE_BEFORE,
	TREE_COLUMNS
};

struct tree_node {
	uint32_t frame;
	uint32_t parent;
	uint32_t end;   /* one behind the last node below this one */
	uint32_t depth; /* of the root: 0 */
	uint64_t self[TREE_COLUMNS], total[TREE_COLUMNS];
};

struct tree_stack {
	size_t first; /* in pool */
	uint32_t nr;
	uint64_t value[TREE_COLUMNS];
};

struct tree {
	struct tree_options options;
	struct strtab texts;
	VEC(struct tree_frame) frames;
	struct hashidx frame_index;
	VEC(struct tree_node) nodes; /* [0] is the root; filled by tree_build */
	uint32_t max_depth;

	VEC(uint32_t) pool; /* of the stacks until tree_build */
	VEC(struct tree_stack) stacks;
	uint64_t sum[TREE_COLUMNS];
};

void tree_init(struct tree *tree, const struct tree_options *options);
void tree_done(struct tree *tree);

/* Adds the rows of an interval to a column. Of the view only which stacks are wanted counts. */
void tree_add(struct tree *tree, const struct profile *profile, const struct profile_interval *interval, int column);

/* -ENODATA where the profile has not kept what the trees are to begin with. */
int tree_require_root(const struct profile *profile, enum graph_root root);

/* Adds all intervals. */
void tree_add_all(struct tree *tree, const struct profile *profile, int column);

/* Makes the nodes. After it nothing can be added. */
void tree_build(struct tree *tree);

/*
 * A sum of values before as it is shown. With options.normalize it is scaled to the sum of the values now, so that profiles
 * of different length compare. Each sum is rounded once, so it is the same whatever the tree begins with.
 */
uint64_t tree_before(const struct tree *tree, uint64_t sum);

/* How much of the values before is in branches that have no value now: nothing is drawn for them. Not scaled. */
uint64_t tree_gone(const struct tree *tree);

/*
 * False when the processes that the stacks begin with are others before and now: then all stacks are new or gone. True
 * where one of the two profiles names no process.
 */
bool tree_has_common_process(const struct tree *tree);

const char *tree_text(const struct tree *tree, uint32_t frame);
const char *tree_module(const struct tree *tree, uint32_t frame);

/* What one function has in all its places. A function that calls itself is counted once. */
struct tree_function {
	uint32_t frame;
	uint64_t self[TREE_COLUMNS], total[TREE_COLUMNS];
};

/* One per frame of the tree, same positions; the caller frees them. */
struct tree_function *tree_functions(const struct tree *tree);

/*
 * For qsort_r() of what begins with the number of a node, with the tree as the context: by value, and ties against the tree's
 * order, so that what is taken from the end comes as it is shown.
 */
int tree_lighter_first(const void *left, const void *right, void *tree);

/* "samples", "events": escaped, of a profile that goes into the tree. */
const char *tree_unit(const struct profile *profile);
