/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The call tree of a profile: what flame graphs, tree and top reports and differences are drawn from.
 *
 * Stacks become sequences of numbers (root first, or leaf first if reversed), are sorted, and form a tree in preorder:
 * the subtree of node i is the nodes i to nodes[i].end - 1, siblings are sorted by text, and a subtree that is too
 * small to show is skipped by going on at `end`. Without pointers and recursion, hostile stacks may have any depth.
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
	bool every_root; /* stacks begin with the texts of all roots from COMM to CONTAINER, the frame 0 for those that are not known */
	bool reverse; /* the leaf comes first: callers of each function */
	bool delimited;
	bool lines_apart; /* source and line are members of a frame, not a part of its text */
	bool normalize; /* show the values before scaled to the sum of those now: tree_before() */
	bool times; /* keep when the values occurred: tree.moments */
};

/* What a box of a flame graph shows. Frames with the same text and kind are one. */
struct tree_frame {
	string_id text; /* in tree.texts, safe to print */
	string_id module; /* likewise; 0 none, or several */
	uint8_t kind; /* enum tree_kind */
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
	uint32_t end; /* one after the last node of its subtree */
	uint32_t depth; /* of the root: 0 */
	uint64_t self[TREE_COLUMNS], total[TREE_COLUMNS];
};

struct tree_stack {
	size_t first; /* in pool */
	uint64_t time_ns; /* CLOCK_MONOTONIC; of an event, or the begin of its interval */
	uint32_t nr;
	uint64_t value[TREE_COLUMNS];
};

/* A part of the self value of a node, and when it occurred. */
struct tree_moment {
	uint64_t time_ns; /* as that of the stack */
	uint64_t value;
	uint32_t node;
};

struct tree {
	struct tree_options options;
	struct strtab texts;
	VEC(struct tree_frame) frames;
	struct hashidx frame_index;
	VEC(struct tree_node) nodes; /* [0] is the root; filled by tree_build */
	VEC(struct tree_moment)
	moments; /* with options.times, of TREE_NOW: by time, then by node; filled by tree_build */
	uint32_t max_depth;

	VEC(uint32_t) pool; /* of the stacks until tree_build */
	VEC(struct tree_stack) stacks;
	uint64_t sum[TREE_COLUMNS];
};

void tree_init(struct tree *tree, const struct tree_options *options);
void tree_done(struct tree *tree);

/* Adds the rows of an interval to a column. */
void tree_add(struct tree *tree, const struct profile *profile, const struct profile_interval *interval, int column);

/* 0, or -ENODATA with a recorded cause if the profile lacks what `root` shows, such as thread ids. */
int tree_require_root(const struct profile *profile, enum graph_root root);

/* Adds all intervals. */
void tree_add_all(struct tree *tree, const struct profile *profile, int column);

/* The frame that equals a frame of another tree; it is added if it is new. */
uint32_t tree_take_frame(struct tree *tree, const struct tree *other, uint32_t frame);

/* Makes the nodes. After it nothing can be added. */
void tree_build(struct tree *tree);

/*
 * A sum of values before, as it is shown: with options.normalize, scaled to the sum of the values now, so that profiles
 * of different length can be compared.
 */
uint64_t tree_before(const struct tree *tree, uint64_t sum);

/* The sum of the values before in branches that have no value now, and thus no box. Not scaled. */
uint64_t tree_gone(const struct tree *tree);

/* Whether some process is in both columns; if none is, all stacks are new or gone. True if one of the columns names no process. */
bool tree_has_common_process(const struct tree *tree);

const char *tree_text(const struct tree *tree, uint32_t frame);
const char *tree_module(const struct tree *tree, uint32_t frame);

/* The values of a function in all its places. Recursive calls are counted once. */
struct tree_function {
	uint32_t frame;
	uint64_t self[TREE_COLUMNS], total[TREE_COLUMNS];
};

/* One per frame of the tree, same positions; the caller frees them. */
struct tree_function *tree_functions(const struct tree *tree);

/* For qsort_r() of them, without a context: by self, the largest first. */
int tree_busier_first(const void *left, const void *right, void *unused);

/* Whether a frame stands for code: not for a process, or the border between two stacks. */
bool tree_is_code(const struct tree_frame *frame);

/*
 * For qsort_r() of elements that begin with the number of a node, with the tree as the context: ascending by value, ties
 * in reverse order of the tree, for lists that are taken from the end.
 */
int tree_lighter_first(const void *left, const void *right, void *tree);

/* The unit of a profile, such as "samples". Not escaped: it may come from a file. */
const char *tree_unit(const struct profile *profile);
