/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/render/stacks.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"

void stacks_init(struct stacks *stacks)
{
	static const struct tree_options options = { .every_root = true };

	*stacks = (struct stacks){};
	tree_init(&stacks->tree, &options);
}

static void drop_batch(struct stacks *stacks)
{
	if (stacks->batch)
		tree_done(stacks->batch);
	free(stacks->batch);
	free(stacks->frames);
	stacks->batch = NULL;
	stacks->frames = NULL;
}

void stacks_done(struct stacks *stacks)
{
	drop_batch(stacks);
	hashidx_done(&stacks->index);
	tree_done(&stacks->tree);
}

void stacks_take(struct stacks *stacks, struct tree *batch)
{
	drop_batch(stacks);
	stacks->batch = batch;
	stacks->frames = xcalloc(batch->frames.nr, sizeof(*stacks->frames));
	stacks->next = 0;
}

static bool same_stack(const void *context, uint32_t position, const void *key)
{
	const struct tree *tree = context;
	const struct tree_stack *stored = &tree->stacks.data[position], *wanted = key;

	return stored->nr == wanted->nr &&
	       !memcmp(tree->pool.data + stored->first, tree->pool.data + wanted->first, wanted->nr * sizeof(uint32_t));
}

static uint32_t frame_of(struct stacks *stacks, uint32_t frame)
{
	uint32_t *known = &stacks->frames[frame];

	if (!*known)
		*known = 1 + tree_take_frame(&stacks->tree, stacks->batch, frame);
	return *known - 1;
}

/* Prevents overflow of sums, as in tree.c. */
static uint64_t within_limit(struct tree *tree, uint64_t value)
{
	uint64_t room = (1ull << 62) - tree->sum[TREE_NOW], taken = value < room ? value : room;

	tree->sum[TREE_NOW] += taken;
	return taken;
}

/* Writes the stack to the end of the pool, where it stays if it is new. */
static void add_stack(struct stacks *stacks, const struct tree_stack *added)
{
	struct tree *tree = &stacks->tree;
	struct tree_stack stack = { .first = tree->pool.nr, .nr = added->nr };
	uint32_t position;

	for (uint32_t i = 0; i < added->nr; i++)
		vec_push(&tree->pool, frame_of(stacks, stacks->batch->pool.data[added->first + i]));
	position = hashidx_find_or_add(&stacks->index,
				       hash_bytes(tree->pool.data + stack.first, stack.nr * sizeof(uint32_t)),
				       same_stack, tree, &stack, tree->stacks.nr);
	if (position == tree->stacks.nr)
		vec_push(&tree->stacks, stack);
	else
		tree->pool.nr = stack.first;
	tree->stacks.data[position].value[TREE_NOW] += within_limit(tree, added->value[TREE_NOW]);
}

bool stacks_work(struct stacks *stacks, size_t budget)
{
	const struct tree *batch = stacks->batch;

	for (size_t used = 0; batch && used < budget && stacks->next < batch->stacks.nr; stacks->next++) {
		const struct tree_stack *added = &batch->stacks.data[stacks->next];

		used += added->nr;
		if (added->nr >= STACKS_ROOTS)
			add_stack(stacks, added);
	}
	if (batch && stacks->next < batch->stacks.nr)
		return true;
	drop_batch(stacks);
	return false;
}
