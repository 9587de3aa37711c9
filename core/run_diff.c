/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two profiles in one tree: what grew and what shrank. */
#include <errno.h>
#include <stdio.h>

#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/engine/elsewhere.h"
#include "core/engine/profile_read.h"
#include "core/output.h"
#include "core/render/documents.h"
#include "core/run.h"

static int add(const char *path, const struct filter *filter, struct tree *tree, int column, struct profile *profile)
{
	_cleanup_(buf_done) struct buf notes = {};
	int err = profile_read(path, profile, &notes);

	if (!err && elsewhere_is_needed(profile))
		err = elsewhere_name(profile, NULL);
	if (!err)
		err = filter_apply(filter, profile);
	if (err)
		return err;
	fputs(buf_text(&notes), stderr);
	tree_add_all(tree, profile, column);
	return 0;
}

static int write_out(const struct output_options *options, const struct tree *tree, const struct profile *profile)
{
	_cleanup_(caption_done) struct caption caption;
	_cleanup_(buf_done) struct buf bytes = {};

	caption_init(&caption, options, profile);
	caption.graph.diff = true;
	caption.graph.subtitle = options->negate ? "blue: grew, red: shrank" : "red: grew, blue: shrank";
	if (!options->title)
		caption.graph.title = "Difference";
	if (options->format != OUTPUT_FOLDED)
		return output_write_tree(options, tree, &caption.graph);
	render_two_columns(tree, &bytes);
	return output_bytes(options, &bytes);
}

static int check_format(const struct output_options *options)
{
	switch (options->format) {
	case OUTPUT_DEFAULT:
	case OUTPUT_TEXT:
	case OUTPUT_FOLDED:
	case OUTPUT_SVG:
	case OUTPUT_HTML:
		return output_check(options);
	default:
		return fail_usage("argument --format: a difference can be text, folded, svg or html");
	}
}

int run_diff(const char *before, const char *now, const struct output_options *options, const struct filter *filter)
{
	const struct tree_options tree_options = { .root = options->root, .reverse = options->reverse };
	struct output_options settled = *options;
	_cleanup_(profile_done) struct profile first, second;
	_cleanup_(tree_done) struct tree tree;
	int err;

	profile_init(&first);
	profile_init(&second);
	tree_init(&tree, &tree_options);
	err = check_format(options);
	if (!err)
		err = add(before, filter, &tree, TREE_BEFORE, &first);
	if (!err)
		err = add(now, filter, &tree, TREE_NOW, &second);
	if (err)
		return err;
	if (options->normalize)
		tree_normalize(&tree);
	tree_build(&tree);
	if (settled.format == OUTPUT_DEFAULT || settled.format == OUTPUT_TEXT)
		settled.format = OUTPUT_TOP;
	return write_out(&settled, &tree, &second);
}
