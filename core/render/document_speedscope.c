/* SPDX-License-Identifier: GPL-2.0-or-later */
/* speedscope's format: a table of frames, and stacks as indices into it, root first, each with its weight. */
#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/json.h"
#include "core/render/documents.h"
#include "core/render/render.h"

static void add_frames(const struct tree *tree, struct json *json, struct stream *stream)
{
	json_begin(json, "frames", '[');
	for (uint32_t i = 0; i < tree->frames.nr; i++) {
		const struct tree_frame *frame = &tree->frames.data[i];
		const char *file = frame->source ? strtab_get(&tree->texts, frame->source) : tree_module(tree, i);

		stream_turn(stream);
		json_begin(json, NULL, '{');
		json_text(json, "name", tree_text(tree, i));
		if (*file)
			json_text(json, "file", file);
		if (frame->line)
			json_number(json, "line", frame->line);
		json_end(json, '}');
	}
	json_end(json, ']');
}

static void add_stack(const struct tree *tree, const struct tree_node *node, uint32_t *path, struct json *json)
{
	const uint32_t nr = node->depth;

	for (uint32_t depth = nr; depth > 0; depth--) {
		path[depth - 1] = node->frame;
		node = &tree->nodes.data[node->parent];
	}
	json_begin(json, NULL, '[');
	for (uint32_t i = 0; i < nr; i++)
		json_number(json, NULL, path[i]);
	json_end(json, ']');
}

/* Every node with a self value is the leaf of one sample; with times, every moment is a sample. */
static void add_samples(const struct tree *tree, struct json *json, struct stream *stream)
{
	_cleanup_(freep) uint32_t *path = xcalloc((size_t)tree->max_depth + 1, sizeof(*path));

	json_begin(json, "samples", '[');
	for (size_t i = 0; i < tree->moments.nr; i++) {
		stream_turn(stream);
		add_stack(tree, &tree->nodes.data[tree->moments.data[i].node], path, json);
	}
	for (size_t i = 1; i < tree->nodes.nr && !tree->moments.nr; i++) {
		if (!tree->nodes.data[i].self[TREE_NOW])
			continue;
		stream_turn(stream);
		add_stack(tree, &tree->nodes.data[i], path, json);
	}
	json_end(json, ']');
}

/* In the order of the samples. */
static void add_weights(const struct tree *tree, struct json *json, struct stream *stream)
{
	json_begin(json, "weights", '[');
	for (size_t i = 0; i < tree->moments.nr; i++) {
		stream_turn(stream);
		json_number(json, NULL, tree->moments.data[i].value);
	}
	for (size_t i = 1; i < tree->nodes.nr && !tree->moments.nr; i++) {
		if (!tree->nodes.data[i].self[TREE_NOW])
			continue;
		stream_turn(stream);
		json_number(json, NULL, tree->nodes.data[i].self[TREE_NOW]);
	}
	json_end(json, ']');
}

static void add_profile(const struct tree *tree, const char *name, const char *unit, struct json *json,
			struct stream *stream)
{
	json_begin(json, NULL, '{');
	json_text(json, "type", "sampled");
	json_text(json, "name", name);
	json_text(json, "unit", unit);
	json_number(json, "startValue", 0);
	json_number(json, "endValue", tree->nodes.data[0].total[TREE_NOW]);
	add_samples(tree, json, stream);
	add_weights(tree, json, stream);
	json_end(json, '}');
}

/* The title and, if the run was ended early, a line about that. */
static void add_name(const char *title, const struct profile_interval *intervals, size_t nr, struct buf *name)
{
	buf_adds(name, title);
	for (size_t i = 0; i < nr; i++) {
		if (intervals[i].losses[ST_LOSS_CUT])
			buf_addc(name, '\n');
		render_add_cut(&intervals[i], name);
	}
}

void document_speedscope(const struct profile *profile, const struct output_options *options,
			 const struct profile_interval *intervals, size_t nr, struct stream *stream)
{
	const struct tree_options tree_options = {
		.root = options->root,
		.reverse = options->reverse,
		.lines_apart = true,
		.times = profile->view.times,
	};
	_cleanup_(caption_done) struct caption caption;
	_cleanup_(tree_done) struct tree tree;
	struct json json = { .text = &stream->text };
	_cleanup_(buf_done) struct buf name = {};

	caption_init(&caption, options, profile);
	add_name(caption.title, intervals, nr, &name);
	tree_init(&tree, &tree_options);
	for (size_t i = 0; i < nr; i++)
		tree_add(&tree, profile, &intervals[i], TREE_NOW);
	tree_build(&tree);
	json_begin(&json, NULL, '{');
	json_text(&json, "$schema", "https://www.speedscope.app/file-format-schema.json");
	json_text(&json, "exporter", "stacktool");
	json_text(&json, "name", buf_text(&name));
	json_number(&json, "activeProfileIndex", 0);
	json_begin(&json, "shared", '{');
	add_frames(&tree, &json, stream);
	json_end(&json, '}');
	json_begin(&json, "profiles", '[');
	add_profile(&tree, caption.title, view_shows_time(&profile->view) ? "microseconds" : "none", &json, stream);
	json_end(&json, ']');
	json_end(&json, '}');
	buf_addc(&stream->text, '\n');
}
