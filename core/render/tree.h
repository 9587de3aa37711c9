/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The call tree of a profile, for flame graphs, tree and top reports and differences.
 *
 * Stacks become sequences of frame numbers (root first, or leaf first if reversed), are sorted, and form a tree in preorder: the subtree of
 * node i is the nodes i to nodes[i].end - 1, siblings are sorted by text, and continuing at `end` skips a subtree. There are no pointers
 * and no recursion, so hostile stacks may have any depth.
 *
 * A tree has two columns of values, to compare two profiles; otherwise the second is zero.
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
	TREE_LABEL, /* stands for something that is missing: "[unknown]" */
	TREE_DELIMITER, /* "-" between the stacks */
	TREE_ALL,       /* the root */
	TREE_NR_KINDS
};

struct tree_options {
	enum graph_root root;
	bool every_root; /* stacks begin with the nodes of all roots from COMM to CONTAINER; frame 0 stands for an unknown one */
	bool reverse; /* leaf first: callers of each function */
	bool delimited;
	bool lines_apart; /* source and line are members of a frame, not part of its text */
	bool normalize; /* scales the earlier values to the sum of those now: tree_before() */
	bool times; /* fills tree.moments */
};

/* A box of a flame graph. Frames with the same text and kind are one. */
struct tree_frame {
	string_id text; /* in tree.texts; safe to print */
	string_id module; /* the same; 0: none or several */
	uint8_t kind; /* enum tree_kind */
	bool several_modules;
	string_id source; /* in tree.texts, with options.lines_apart; 0: none */
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
	uint32_t end; /* index after the last node of its subtree */
	uint32_t depth; /* 0 for the root */
	uint64_t self[TREE_COLUMNS], total[TREE_COLUMNS];
};

struct tree_stack {
	size_t first; /* in pool */
	uint64_t time_ns; /* of an event, or the start of its interval; CLOCK_MONOTONIC */
	uint32_t nr;
	uint64_t value[TREE_COLUMNS];
};

/* A part of the self value of a node, and when it occurred. */
struct tree_moment {
	uint64_t time_ns; /* as in tree_stack */
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
	moments; /* with options.times, of TREE_NOW: by time, then by node; filled by tree_build() */
	uint32_t max_depth;

	VEC(uint32_t) pool; /* frames of the stacks, until tree_build() */
	VEC(struct tree_stack) stacks;
	uint64_t sum[TREE_COLUMNS];
};

void tree_init(struct tree *tree, const struct tree_options *options);
void tree_done(struct tree *tree);

/* Adds the rows of an interval to a column. */
void tree_add(struct tree *tree, const struct profile *profile, const struct profile_interval *interval, int column);

/* 0, or -ENODATA with a recorded cause if the profile lacks what `root` needs, such as thread ids. */
int tree_require_root(const struct profile *profile, enum graph_root root);

/* Adds all intervals. */
void tree_add_all(struct tree *tree, const struct profile *profile, int column);

/* The frame that is equal to one of another tree; added if it is new. */
uint32_t tree_take_frame(struct tree *tree, const struct tree *other, uint32_t frame);

/* Makes the nodes. Nothing can be added afterwards. */
void tree_build(struct tree *tree);

/* A sum of earlier values as shown: options.normalize scales it to the sum of the values now. */
uint64_t tree_before(const struct tree *tree, uint64_t sum);

/* The sum of earlier values in branches that have no value now, and so no box. Not scaled. */
uint64_t tree_gone(const struct tree *tree);

/* Whether a process is in both columns. If not, all stacks are new or gone. True if a column names no process. */
bool tree_has_common_process(const struct tree *tree);

const char *tree_text(const struct tree *tree, uint32_t frame);
const char *tree_module(const struct tree *tree, uint32_t frame);

/* The values of a function at all its nodes. Recursive calls are counted once. */
struct tree_function {
	uint32_t frame;
	uint64_t self[TREE_COLUMNS], total[TREE_COLUMNS];
};

/* One per frame of the tree, in the same order; the caller frees them. */
struct tree_function *tree_functions(const struct tree *tree);

/* For qsort_r() of these, without a context: the largest self first. */
int tree_busier_first(const void *left, const void *right, void *unused);

/* Whether a frame is code: not a process, and not the border between two stacks. */
bool tree_is_code(const struct tree_frame *frame);

/*
 * For qsort_r() of elements that begin with a node number, with the tree as the context: ascending by value, ties in reverse order of the
 * tree, for lists that are read from the end.
 */
int tree_lighter_first(const void *left, const void *right, void *tree);

/* The unit of a profile, such as "samples". Not escaped, and untrusted in a saved profile. */
const char *tree_unit(const struct profile *profile);
