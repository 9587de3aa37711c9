/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stacks that a live screen shows, each once, with the value that it has so far. New values come as batches: trees
 * with `every_root` that are not built. Stacks are never removed and never move to another number.
 */
#pragma once

#include "core/render/tree.h"

#define STACKS_ROOTS (GRAPH_ROOT_NONE - GRAPH_ROOT_COMM) /* so many frames before each stack */

struct stacks {
	struct tree tree; /* never built; tree.stacks are what is kept */
	struct hashidx index; /* of tree.stacks */
	struct tree *batch; /* being added; NULL: none */
	uint32_t *frames; /* by frame of the batch: 1 + the frame of `tree` */
	size_t next; /* stack of the batch */
};

void stacks_init(struct stacks *stacks);
void stacks_done(struct stacks *stacks);

/* Begins to add a batch, which is freed when all of it is added. The batch before it must be finished. */
void stacks_take(struct stacks *stacks, struct tree *batch);

/* Adds a part of the batch, some `budget` frames. True: there is more. */
bool stacks_work(struct stacks *stacks, size_t budget);

/* The frames of a stack, the root first, without those that stand before them. */
static inline const uint32_t *stack_frames_of(const struct stacks *stacks, size_t number, uint32_t *ret_nr)
{
	const struct tree_stack *stack = &stacks->tree.stacks.data[number];

	*ret_nr = stack->nr - STACKS_ROOTS;
	return stacks->tree.pool.data + stack->first + STACKS_ROOTS;
}

/* What a stack begins with if it is grouped by `root`; 0: nothing. */
static inline uint32_t stack_root_of(const struct stacks *stacks, size_t number, enum graph_root root)
{
	const struct tree_stack *stack = &stacks->tree.stacks.data[number];

	if (root < GRAPH_ROOT_COMM || root >= GRAPH_ROOT_NONE)
		return 0;
	return stacks->tree.pool.data[stack->first + (root - GRAPH_ROOT_COMM)];
}
