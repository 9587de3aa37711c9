/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two profiles in one tree: what grew and what shrank. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/base/escape.h"
#include "core/engine/elsewhere.h"
#include "core/engine/profile_read.h"
#include "core/output.h"
#include "core/render/documents.h"
#include "core/render/render.h"
#include "core/run.h"

/* What is missing from a profile is missing from the difference; the lines are those of a report, below the file's name. */
static void say_notes(const char *path, const struct profile *profile, const struct buf *of_reading)
{
	_cleanup_(buf_done) struct buf name = {};
	_cleanup_(freep) char *text = NULL;
	size_t length = 0;
	FILE *notes = open_memstream(&text, &length);

	if (!notes)
		return;
	fputs(buf_text(of_reading), notes);
	for (size_t i = 0; i < profile->intervals.nr; i++)
		render_notes(profile, &profile->intervals.data[i], notes);
	fclose(notes);
	escape_add(&name, path, ESCAPE_LINE);
	if (length)
		fprintf(stderr, "%s:\n%s", buf_text(&name), text);
}

static int add(const char *path, const char *debug_directories, const struct filter *filter, struct tree *tree,
	       int column, struct profile *profile)
{
	_cleanup_(buf_done) struct buf notes = {};
	int err = profile_read(path, profile, &notes);

	if (!err && elsewhere_is_needed(profile))
		err = elsewhere_name(profile, debug_directories, NULL);
	if (!err)
		err = filter_apply(filter, profile);
	if (!err)
		err = tree_require_root(profile, tree->options.root);
	if (err)
		return err;
	say_notes(path, profile, &notes);
	tree_add_all(tree, profile, column);
	return 0;
}

static void add_file_name(struct buf *text, const char *path)
{
	const char *slash = strrchr(path, '/');

	escape_add(text, slash ? slash + 1 : path, ESCAPE_LINE);
}

/* Which profiles a picture compares cannot be seen in it, and it outlives the command. */
static void add_legend(struct buf *text, const struct output_options *options, const char *before, const char *now)
{
	buf_adds(text, options->negate ? "blue: grew, red: shrank" : "red: grew, blue: shrank");
	buf_adds(text, ", from ");
	add_file_name(text, before);
	buf_adds(text, " to ");
	add_file_name(text, now);
	if (options->normalize)
		buf_adds(text, ", normalized");
}

static int write_out(const struct output_options *options, const struct tree *tree, const struct profile *profile,
		     const char *legend)
{
	_cleanup_(caption_done) struct caption caption;
	_cleanup_(buf_done) struct buf bytes = {};

	caption_init(&caption, options, profile);
	caption.graph.diff = true;
	caption.graph.subtitle = legend;
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

/* Folded text does not say what it counts, and is taken for samples: so it may be right all the same. */
static void compare_units(const struct profile *first, const struct profile *second)
{
	const char *unit = tree_unit(first), *other = tree_unit(second);

	if (strcmp(unit, other) != 0)
		fprintf(stderr, "WARNING: %s are compared with %s\n", unit, other);
}

int run_diff(const char *before, const char *now, const char *debug_directories, const struct output_options *options,
	     const struct filter *filter)
{
	const struct tree_options tree_options = { .root = options->root, .reverse = options->reverse };
	struct output_options settled = *options;
	_cleanup_(profile_done) struct profile first, second;
	_cleanup_(tree_done) struct tree tree;
	_cleanup_(buf_done) struct buf legend = {};
	int err;

	profile_init(&first);
	profile_init(&second);
	tree_init(&tree, &tree_options);
	err = check_format(options);
	if (!err)
		err = add(before, debug_directories, filter, &tree, TREE_BEFORE, &first);
	if (!err)
		err = add(now, debug_directories, filter, &tree, TREE_NOW, &second);
	if (err)
		return err;
	compare_units(&first, &second);
	tree_build(&tree);
	if (options->normalize)
		tree_normalize(&tree);
	if (settled.format == OUTPUT_DEFAULT || settled.format == OUTPUT_TEXT)
		settled.format = OUTPUT_TOP;
	add_legend(&legend, options, before, now);
	return write_out(&settled, &tree, &second, buf_text(&legend));
}
