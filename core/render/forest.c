/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/render/forest.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"

enum {
	FIRST_SLOTS = 1024, /* a power of two */
};

void forest_init(struct forest *forest, const struct forest_question *question)
{
	*forest = (struct forest){ .question = *question, .nr_slots = FIRST_SLOTS };
	forest->slots = xcalloc(forest->nr_slots, sizeof(*forest->slots));
	vec_push(&forest->nodes, (struct forest_node){});
}

void forest_done(struct forest *forest)
{
	vec_done(&forest->nodes);
	vec_done(&forest->taken);
	vec_done(&forest->path);
	vec_done(&forest->seen);
	free(forest->slots);
	*forest = (struct forest){};
}

/* A hash table of node numbers. A hashidx would be three times as large, and grow with a long pause. */
static size_t slot_of(const struct forest *forest, uint32_t parent, uint32_t frame)
{
	uint64_t hash = ((uint64_t)parent << 32 | frame) * 0x9e3779b97f4a7c15ULL;

	return (size_t)(hash ^ hash >> 32) & (forest->nr_slots - 1);
}

static size_t find_slot(const struct forest *forest, uint32_t parent, uint32_t frame)
{
	size_t slot = slot_of(forest, parent, frame);

	for (; forest->slots[slot]; slot = (slot + 1) & (forest->nr_slots - 1)) {
		const struct forest_node *node = &forest->nodes.data[forest->slots[slot]];

		if (node->parent == parent && node->frame == frame)
			break;
	}
	return slot;
}

static void grow_slots(struct forest *forest)
{
	if (forest->nodes.nr < forest->nr_slots / 2)
		return;
	free(forest->slots);
	forest->nr_slots *= 4;
	forest->slots = xcalloc(forest->nr_slots, sizeof(*forest->slots));
	for (uint32_t node = 1; node < forest->nodes.nr; node++)
		forest->slots[find_slot(forest, forest->nodes.data[node].parent, forest->nodes.data[node].frame)] =
			node;
}

uint32_t forest_child(const struct forest *forest, uint32_t parent, uint32_t frame)
{
	return forest->slots[find_slot(forest, parent, frame)];
}

static uint32_t child_for(struct forest *forest, uint32_t parent, uint32_t frame)
{
	const size_t slot = find_slot(forest, parent, frame);
	uint32_t number = forest->slots[slot];
	struct forest_node node = { .frame = frame, .parent = parent };

	if (number)
		return number;
	number = (uint32_t)forest->nodes.nr;
	node.next_sibling = forest->nodes.data[parent].first_child;
	node.depth = forest->nodes.data[parent].depth + 1;
	forest->nodes.data[parent].first_child = number;
	vec_push(&forest->nodes, node);
	forest->slots[slot] = number;
	grow_slots(forest);
	return number;
}

static uint32_t step(struct forest *forest, uint32_t parent, uint32_t frame, uint64_t value)
{
	uint32_t node = child_for(forest, parent, frame);

	forest->nodes.data[node].total += value;
	return node;
}

/* Whether the stack is in the zoomed part. */
static bool is_asked(const struct forest *forest, const struct stacks *stacks, size_t number)
{
	const struct forest_zoom *zoom = forest->question.zoom;
	uint32_t nr, label;
	const uint32_t *frames = stack_frames_of(stacks, number, &nr);
	size_t at = 0;

	if (!zoom || !zoom->path.nr)
		return true;
	label = stack_root_of(stacks, number, (enum graph_root)zoom->root);
	if (label && zoom->path.data[at++] != label)
		return false;
	return nr >= zoom->path.nr - at &&
	       !memcmp(frames, zoom->path.data + at, (zoom->path.nr - at) * sizeof(*frames));
}

static void add_tree(struct forest *forest, uint32_t node, const uint32_t *frames, uint32_t nr, uint64_t value)
{
	for (uint32_t i = 0; i < nr; i++)
		node = step(forest, node, frames[i], value);
	forest->nodes.data[node].self += value;
}

/* Counts a recursive function once. */
static void add_functions(struct forest *forest, const struct stacks *stacks, uint32_t top, const uint32_t *frames,
			  uint32_t nr, uint64_t value)
{
	while (forest->seen.nr < stacks->tree.frames.nr)
		vec_push(&forest->seen, 0);
	forest->nr_added++;
	for (uint32_t i = 0; i < nr; i++) {
		if (forest->seen.data[frames[i]] == forest->nr_added ||
		    !tree_is_code(&stacks->tree.frames.data[frames[i]]))
			continue;
		forest->seen.data[frames[i]] = forest->nr_added;
		step(forest, top, frames[i], value);
	}
	if (nr && tree_is_code(&stacks->tree.frames.data[frames[nr - 1]]))
		forest->nodes.data[forest_child(forest, top, frames[nr - 1])].self += value;
}

/* Adds a path from the innermost function outwards, or from the outermost call of the focus. */
static void add_callers(struct forest *forest, uint32_t top, const uint32_t *frames, uint32_t nr, uint64_t value)
{
	const uint32_t focus = forest->question.focus;
	uint32_t end = nr, node = top;

	for (uint32_t i = 0; focus && i < nr && end == nr; i++)
		if (frames[i] == focus)
			end = i + 1;
	for (uint32_t i = end; i > 0; i--)
		node = step(forest, node, frames[i - 1], value);
	if (nr && (!focus || frames[nr - 1] == focus)) /* self: only of functions that were running */
		forest->nodes.data[forest_child(forest, top, frames[nr - 1])].self += value;
	forest->nodes.data[top].self += nr ? 0 : value;
}

static bool has_focus(const struct forest *forest, const uint32_t *frames, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++)
		if (frames[i] == forest->question.focus)
			return true;
	return !forest->question.focus;
}

static void add_value(struct forest *forest, const struct stacks *stacks, size_t number, uint64_t value)
{
	uint32_t nr, top = 0;
	const uint32_t *frames = stack_frames_of(stacks, number, &nr);
	const uint32_t label = stack_root_of(stacks, number, (enum graph_root)forest->question.root);

	if (!is_asked(forest, stacks, number) || !has_focus(forest, frames, nr))
		return;
	forest->nodes.data[0].total += value;
	if (label)
		top = step(forest, 0, label, value);
	if (forest->question.view == FOREST_TREE)
		add_tree(forest, top, frames, nr, value);
	else if (forest->question.view == FOREST_FUNCTIONS)
		add_functions(forest, stacks, top, frames, nr, value);
	else
		add_callers(forest, top, frames, nr, value);
}

void forest_look_again(struct forest *forest)
{
	forest->next = 0;
}

bool forest_work(struct forest *forest, const struct stacks *stacks, size_t budget)
{
	const size_t nr = stacks->tree.stacks.nr;

	while (forest->taken.nr < nr)
		vec_push(&forest->taken, 0);
	for (size_t used = 0; used < budget && forest->next < nr; forest->next++) {
		const struct tree_stack *stack = &stacks->tree.stacks.data[forest->next];
		uint64_t *taken = &forest->taken.data[forest->next];

		used++;
		if (stack->value[TREE_NOW] == *taken)
			continue;
		add_value(forest, stacks, forest->next, stack->value[TREE_NOW] - *taken);
		*taken = stack->value[TREE_NOW];
		used += stack->nr;
	}
	return forest->next < nr;
}
