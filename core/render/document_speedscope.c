/* SPDX-License-Identifier: GPL-2.0-or-later */
/* speedscope's own format: a table of frames, and stacks as positions in it, root first, each with its weight. */
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/render/documents.h"
#include "core/render/merge.h"

static void add_frames(const struct tree *tree, struct buf *out)
{
	for (uint32_t i = 0; i < tree->frames.nr; i++) {
		const char *module = tree_module(tree, i);

		buf_adds(out, i ? ",\n{\"name\":" : "\n{\"name\":");
		json_add_string(out, tree_text(tree, i));
		if (tree->frames.data[i].source)
			module = strtab_get(&tree->texts, tree->frames.data[i].source);
		if (*module) {
			buf_adds(out, ",\"file\":");
			json_add_string(out, module);
		}
		if (tree->frames.data[i].line)
			buf_addf(out, ",\"line\":%u", tree->frames.data[i].line);
		buf_addc(out, '}');
	}
}

/* Every node with a time of its own is the leaf of a stack. */
static void add_samples(const struct tree *tree, struct buf *samples, struct buf *weights)
{
	_cleanup_(freep) uint32_t *path = xcalloc((size_t)tree->max_depth + 1, sizeof(*path));

	for (size_t i = 1; i < tree->nodes.nr; i++) {
		const struct tree_node *node = &tree->nodes.data[i];

		path[node->depth] = node->frame;
		if (!node->self[TREE_NOW])
			continue;
		buf_adds(samples, samples->nr ? ",\n[" : "\n[");
		for (uint32_t depth = 1; depth <= node->depth; depth++) {
			if (depth > 1)
				buf_addc(samples, ',');
			buf_addu(samples, path[depth]);
		}
		buf_addc(samples, ']');
		if (weights->nr)
			buf_addc(weights, ',');
		buf_addu(weights, node->self[TREE_NOW]);
	}
}

static void add_profile(const struct tree *tree, const char *name, const char *unit, struct buf *out)
{
	_cleanup_(buf_done) struct buf samples = {}, weights = {};

	add_samples(tree, &samples, &weights);
	buf_adds(out, "{\"type\":\"sampled\",\"name\":");
	json_add_string(out, name);
	buf_addf(out, ",\"unit\":\"%s\",\"startValue\":0,\"endValue\":", unit);
	buf_addu(out, tree->nodes.data[0].total[TREE_NOW]);
	buf_adds(out, ",\"samples\":[");
	buf_add(out, samples.data, samples.nr);
	buf_adds(out, "],\n\"weights\":[");
	buf_add(out, weights.data, weights.nr);
	buf_adds(out, "]}");
}

void document_speedscope(const struct profile *profile, const struct output_options *options,
			 const struct profile_interval *intervals, size_t nr, struct buf *ret_json)
{
	const struct tree_options tree_options = {
		.root = options->root,
		.reverse = options->reverse,
		.lines_apart = true,
	};
	_cleanup_(caption_done) struct caption caption;
	_cleanup_(tree_done) struct tree tree;

	caption_init(&caption, options, profile);
	tree_init(&tree, &tree_options);
	for (size_t i = 0; i < nr; i++)
		tree_add(&tree, profile, &intervals[i], TREE_NOW);
	tree_build(&tree);
	buf_adds(
		ret_json,
		"{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"exporter\":\"stacktool\",\"name\":");
	json_add_string(ret_json, caption.title);
	buf_adds(ret_json, ",\"activeProfileIndex\":0,\n\"shared\":{\"frames\":[");
	add_frames(&tree, ret_json);
	buf_adds(ret_json, "]},\n\"profiles\":[");
	add_profile(&tree, caption.title, view_shows_time(&profile->view) ? "microseconds" : "none", ret_json);
	buf_adds(ret_json, "]}\n");
}
