/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stacks of a live screen, each once, with its value so far. New values come in batches: trees with `every_root` that are not built.
 * Stacks are never removed and keep their numbers.
 */
#pragma once

#include "core/render/tree.h"

#define STACKS_ROOTS (GRAPH_ROOT_NONE - GRAPH_ROOT_COMM) /* number of frames before each stack */

struct stacks {
	struct tree tree; /* never built; only tree.stacks is used */
	struct hashidx index; /* of tree.stacks */
	struct tree *batch; /* being added; NULL: none */
	uint32_t *frames; /* for each frame of the batch: 1 + the frame of `tree`; 0: not yet */
	size_t next; /* next stack of the batch */
};

void stacks_init(struct stacks *stacks);
void stacks_done(struct stacks *stacks);

/* Starts to add a batch, which is freed when all of it is added. The batch before it must be finished. */
void stacks_take(struct stacks *stacks, struct tree *batch);

/* Adds a part of the batch, about `budget` frames. True: there is more. */
bool stacks_work(struct stacks *stacks, size_t budget);

/* The frames of a stack, root first, without the STACKS_ROOTS frames. */
static inline const uint32_t *stack_frames_of(const struct stacks *stacks, size_t number, uint32_t *ret_nr)
{
	const struct tree_stack *stack = &stacks->tree.stacks.data[number];

	*ret_nr = stack->nr - STACKS_ROOTS;
	return stacks->tree.pool.data + stack->first + STACKS_ROOTS;
}

/* The first node of a stack when grouped by `root`; 0: none. */
static inline uint32_t stack_root_of(const struct stacks *stacks, size_t number, enum graph_root root)
{
	const struct tree_stack *stack = &stacks->tree.stacks.data[number];

	if (root < GRAPH_ROOT_COMM || root >= GRAPH_ROOT_NONE)
		return 0;
	return stacks->tree.pool.data[stack->first + (root - GRAPH_ROOT_COMM)];
}
