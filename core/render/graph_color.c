/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Colours by name: a hash of the text selects a hue in the range of the palette. The hash has no seed, so a function has the same colour in
 * all pictures. Black text has a contrast of at least 4.5 in all ranges, the limit of the accessibility guideline (WCAG 2.1, 1.4.3);
 * tests/unit/test_graph.c measures it.
 */
#include <string.h>

#include "core/render/graph.h"

struct range {
	uint16_t hue, hue_width;      /* degrees */
	uint8_t saturation, lightness; /* percent */
	uint8_t lightness_width;
};

static const struct range palettes[COLORS_NR] = {
	[COLORS_HOT] = { 8, 44, 92, 58, 10 },     [COLORS_MEM] = { 100, 50, 55, 58, 16 },
	[COLORS_IO] = { 200, 26, 75, 66, 14 },    [COLORS_WAKEUP] = { 166, 26, 50, 60, 16 },
	[COLORS_CHAIN] = { 174, 20, 50, 60, 16 }, [COLORS_RED] = { 0, 8, 85, 66, 12 },
	[COLORS_GREEN] = { 96, 24, 60, 56, 16 },  [COLORS_BLUE] = { 208, 16, 85, 68, 12 },
	[COLORS_YELLOW] = { 50, 8, 85, 52, 14 },  [COLORS_PURPLE] = { 282, 16, 70, 72, 10 },
	[COLORS_AQUA] = { 176, 14, 60, 56, 14 },  [COLORS_ORANGE] = { 26, 10, 92, 60, 10 },
};

static const struct range kinds[TREE_NR_KINDS] = {
	[TREE_USER] = { 10, 42, 92, 60, 10 },   [TREE_KERNEL] = { 196, 20, 70, 66, 14 },
	[TREE_JIT] = { 96, 24, 60, 56, 16 },    [TREE_INLINED] = { 174, 12, 60, 58, 12 },
	[TREE_WAKER] = { 282, 16, 70, 72, 10 }, [TREE_PROCESS] = { 40, 10, 24, 76, 8 },
	[TREE_LABEL] = { 0, 1, 0, 74, 8 },      [TREE_DELIMITER] = { 0, 1, 0, 86, 1 },
	[TREE_ALL] = { 40, 1, 20, 84, 1 },
};

/* FNV-1a with a final mix, so that all bits depend on all letters. */
static uint32_t hash_text(const char *text)
{
	uint32_t hash = 2166136261u;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 16777619u;
	hash ^= hash >> 16;
	hash *= 0x7feb352du;
	return hash ^ hash >> 15;
}

/* hsl() of CSS Color 4: hue in degrees, saturation and lightness from 0 to 1. */
static uint32_t rgb(double hue, double saturation, double lightness)
{
	double chroma = saturation * (lightness < 0.5 ? lightness : 1 - lightness);
	uint32_t color = 0;

	for (int channel = 0; channel < 3; channel++) {
		static const int shift[] = { 0, 8, 4 };
		double k = hue / 30 + shift[channel], distance;

		while (k >= 12)
			k -= 12;
		distance = k - 3 < 9 - k ? k - 3 : 9 - k;
		distance = distance > 1 ? 1 : distance < -1 ? -1 : distance;
		color = color << 8 | (uint32_t)((lightness - chroma * distance) * 255 + 0.5);
	}
	return color;
}

static uint32_t pick(const struct range *range, uint32_t hash)
{
	double hue = range->hue + (double)(hash % 256) / 256 * range->hue_width;
	double lightness = range->lightness + (double)(hash / 256 % 256) / 256 * range->lightness_width;

	return rgb(hue, range->saturation / 100.0, lightness / 100);
}

static const struct range *java_range(const struct tree *tree, const struct tree_frame *frame)
{
	switch (frame->kind) {
	case TREE_JIT:
		return &palettes[COLORS_GREEN];
	case TREE_INLINED:
		return &palettes[COLORS_AQUA];
	case TREE_KERNEL:
		return &palettes[COLORS_ORANGE];
	default:
		return strstr(strtab_get(&tree->texts, frame->text), "::") ? &palettes[COLORS_YELLOW]
									   : &palettes[COLORS_RED];
	}
}

/* The states of `wall`, which are frames at the root of its stacks, and its reasons have their own colours. */
static const struct range *state_range(const char *text)
{
	static const struct {
		const char *text;
		enum graph_colors colors;
	} states[] = {
		{ "[on CPU]", COLORS_ORANGE },    { "[runnable]", COLORS_YELLOW }, { "[blocked S]", COLORS_BLUE },
		{ "[blocked D]", COLORS_PURPLE }, { "[stopped]", COLORS_GREEN },   { "[unknown state]", COLORS_RED },
		{ "[run queue]", COLORS_YELLOW },
	};

	for (size_t i = 0; i < sizeof(states) / sizeof(*states); i++)
		if (!strcmp(text, states[i].text))
			return &palettes[states[i].colors];
	return &kinds[TREE_LABEL];
}

uint32_t graph_color(const struct tree *tree, uint32_t position, enum graph_colors colors)
{
	const struct tree_frame *frame = &tree->frames.data[position];
	uint32_t hash = hash_text(strtab_get(&tree->texts, frame->text));
	const struct range *range = &palettes[colors];

	if (frame->kind == TREE_DELIMITER || frame->kind == TREE_ALL || colors <= COLORS_KIND)
		range = frame->kind == TREE_LABEL ? state_range(strtab_get(&tree->texts, frame->text))
						  : &kinds[frame->kind];
	else if (colors == COLORS_JAVA)
		range = java_range(tree, frame);
	else if (colors == COLORS_CHAIN && frame->kind == TREE_WAKER)
		range = &palettes[COLORS_PURPLE];
	return pick(range, hash);
}

uint32_t graph_kind_color(uint8_t kind)
{
	return pick(&kinds[kind], 128 + 128 * 256);
}

uint32_t graph_diff_color(int64_t change, uint64_t largest, bool negate)
{
	uint64_t size = change < 0 ? -(uint64_t)change : (uint64_t)change;
	double share = largest ? (double)size / (double)largest : 0;

	if (!change)
		return 0xf4f4f4;
	if ((change < 0) != negate)
		return rgb(212, 0.85, 0.95 - 0.29 * share);
	return rgb(6, 0.9, 0.95 - 0.29 * share);
}

int64_t graph_change(const struct tree *tree, const struct tree_node *node)
{
	return (int64_t)(node->total[TREE_NOW] - tree_before(tree, node->total[TREE_BEFORE]));
}

uint64_t graph_largest_change(const struct tree *tree)
{
	uint64_t largest = 0;

	for (size_t i = 1; i < tree->nodes.nr; i++) {
		int64_t change = graph_change(tree, &tree->nodes.data[i]);
		uint64_t size = change < 0 ? -(uint64_t)change : (uint64_t)change;

		if (size > largest)
			largest = size;
	}
	return largest;
}
