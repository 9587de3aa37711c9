/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two profiles in one tree: what grew and what shrank. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/base/escape.h"
#include "core/base/names.h"
#include "core/formats/profile_file.h"
#include "core/naming/local_files.h"
#include "core/render/documents.h"
#include "core/render/filter.h"
#include "core/render/render.h"
#include "core/run/output.h"
#include "core/run/run.h"

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

static int read_side(const char *path, const char *debug_directories, const struct filter *filter, enum graph_root root,
		     struct profile *profile)
{
	_cleanup_(buf_done) struct buf notes = {};
	int err = profile_read(path, profile, &notes);

	if (!err && local_files_is_needed(profile))
		err = local_files_name(profile, debug_directories, NULL);
	err = err ?: filter_apply(filter, profile);
	err = err ?: tree_require_root(profile, root);
	if (!err)
		say_notes(path, profile, &notes);
	return err;
}

/* ---- the tree ---- */

struct difference {
	const struct output_options *options;
	const struct profile *before, *now;
	struct tree tree;
	const char *note; /* for pictures, or "" */
	bool is_told; /* on stderr, once */
	enum graph_root root; /* settled */
};

static void grow(struct difference *difference, enum graph_root root)
{
	const struct tree_options options = {
		.root = root,
		.reverse = difference->options->reverse,
		.normalize = difference->options->normalize,
	};

	tree_init(&difference->tree, &options);
	tree_add_all(&difference->tree, difference->before, TREE_BEFORE);
	tree_add_all(&difference->tree, difference->now, TREE_NOW);
	tree_build(&difference->tree);
	difference->root = root;
}

/* Keeps the chosen root, with a note that nothing can be compared with it. */
static void keep_apart(struct difference *difference)
{
	static const struct {
		const char *what, *note;
	} roots[] = {
		[GRAPH_ROOT_COMM] = { "command", "no command is in both profiles" },
		[GRAPH_ROOT_PID] = { "process", "no process is in both profiles" },
		[GRAPH_ROOT_TID] = { "thread", "no thread is in both profiles" },
		[GRAPH_ROOT_CONTAINER] = { "container", "no container is in both profiles" },
	};

	difference->note = roots[difference->root].note;
	if (difference->is_told)
		return;
	difference->is_told = true;
	fprintf(stderr,
		"NOTE: no %s is in both profiles, so no stack is in both; --root none compares them without it\n",
		roots[difference->root].what);
}

/*
 * A tree of two programs with different names has not one stack in common as long as it begins with the command. Then
 * it begins with the functions. The page keeps the commands, and begins without them.
 */
static void compare(struct difference *difference)
{
	enum graph_root asked = difference->options->root;

	difference->note = "";
	grow(difference, asked ? asked : GRAPH_ROOT_COMM);
	if (tree_has_common_process(&difference->tree))
		return;
	if (asked) {
		keep_apart(difference);
		return;
	}
	if (!difference->is_told)
		fputs("NOTE: no command is in both profiles: stacks are compared without the command; --root comm "
		      "keeps it\n",
		      stderr);
	difference->is_told = true;
	difference->note = "no command is in both profiles: stacks begin with their functions";
	if (difference->options->format == OUTPUT_HTML) {
		difference->root = GRAPH_ROOT_NONE;
		return;
	}
	tree_done(&difference->tree);
	grow(difference, GRAPH_ROOT_NONE);
}

/* ---- title and legend ---- */

static void add_side(struct buf *text, const struct difference *difference, int column, const char *path)
{
	escape_add(text, path_name(path), ESCAPE_LINE);
	buf_adds(text, " (");
	buf_add_grouped(text, difference->tree.nodes.data[0].total[column]);
	buf_addf(text, " %s)", tree_unit(column == TREE_NOW ? difference->now : difference->before));
}

/* Which profiles are compared cannot be seen in a picture, and it outlives the command. */
static void add_sides(struct buf *text, const struct difference *difference, const char *before, const char *now)
{
	add_side(text, difference, TREE_BEFORE, before);
	buf_adds(text, " to ");
	add_side(text, difference, TREE_NOW, now);
	if (difference->options->normalize)
		buf_adds(text, ", normalized");
}

static int write_out(const struct output_options *options, const struct difference *difference, const char *sides)
{
	_cleanup_(caption_done) struct caption caption;
	_cleanup_(buf_done) struct buf bytes = {}, legend = {};

	buf_addf(&legend, "%s, from %s", options->negate ? "blue: grew, red: shrank" : "red: grew, blue: shrank",
		 sides);
	caption_init(&caption, options, difference->now);
	caption.graph.diff = true;
	caption.graph.subtitle = buf_text(&legend);
	caption.graph.sides = sides;
	caption.graph.note = difference->note;
	if (!options->title)
		caption.graph.title = "Difference";
	if (options->format != OUTPUT_FOLDED)
		return output_write_tree(options, &difference->tree, &caption.graph);
	render_two_columns(&difference->tree, &bytes);
	return output_bytes(options, &bytes);
}

static int check_formats(const struct output_options *options)
{
	const uint32_t allowed = 1U << OUTPUT_DEFAULT | 1U << OUTPUT_TEXT | 1U << OUTPUT_FOLDED | 1U << OUTPUT_SVG |
				 1U << OUTPUT_HTML;

	if (output_options_forms(options) & ~allowed)
		return fail_usage("argument --format: diff supports text, folded, svg and html");
	return output_check(options);
}

/* Only a warning: folded text has no unit and counts as samples, which may be wrong. */
static void compare_units(const struct profile *first, const struct profile *second)
{
	const char *unit = tree_unit(first), *other = tree_unit(second);

	if (strcmp(unit, other) != 0)
		fprintf(stderr, "WARNING: comparing %s with %s\n", unit, other);
}

struct comparison {
	const struct output_options *options;
	struct difference difference;
	const char *before, *now;
};

/* Each form begins with what suits it. */
static int write_numbered(void *context, size_t number)
{
	struct comparison *comparison = context;
	struct difference *difference = &comparison->difference;
	struct output_options settled = output_options_of(comparison->options, number);
	_cleanup_(buf_done) struct buf sides = {};
	int err;

	if (settled.format == OUTPUT_DEFAULT || settled.format == OUTPUT_TEXT)
		settled.format = OUTPUT_TOP;
	difference->options = &settled;
	compare(difference);
	settled.root = difference->root;
	add_sides(&sides, difference, comparison->before, comparison->now);
	err = write_out(&settled, difference, buf_text(&sides));
	tree_done(&difference->tree);
	return err;
}

int run_diff(const char *before, const char *now, const char *debug_directories, const struct output_options *options,
	     const struct filter *filter)
{
	_cleanup_(profile_done) struct profile first, second;
	struct comparison comparison = {
		.options = options,
		.difference = { .before = &first, .now = &second },
		.before = before,
		.now = now,
	};
	int err;

	profile_init(&first);
	profile_init(&second);
	err = check_formats(options);
	err = err ?: read_side(before, debug_directories, filter, options->root, &first);
	err = err ?: read_side(now, debug_directories, filter, options->root, &second);
	if (err)
		return err;
	compare_units(&first, &second);
	return output_each(options, write_numbered, &comparison);
}
