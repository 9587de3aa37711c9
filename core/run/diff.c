/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compares two profiles in one tree. */
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
#include "core/run/words.h"

/* Losses of either profile make the difference wrong, so the notes of both are printed, after the file name. */
static void say_notes(const char *path, const struct buf *notes)
{
	_cleanup_(buf_done) struct buf name = {};

	escape_add(&name, path, ESCAPE_LINE);
	if (notes->nr)
		fprintf(stderr, "%s:\n%s", buf_text(&name), buf_text(notes));
}

/* Adds notes for pictures, which have one list: each line begins with the side. */
static void add_notes_of(const char *side, const struct buf *notes, struct buf *ret_lines)
{
	for (const char *line = buf_text(notes); *line;) {
		size_t length = strcspn(line, "\n");

		buf_addf(ret_lines, "%s: %.*s\n", side, (int)length, line);
		line += length + (line[length] != '\0');
	}
}

static int read_side(const char *path, const struct diff_request *request, struct profile *profile,
		     struct buf *ret_notes)
{
	int err = profile_read(path, profile, ret_notes);

	if (!err && local_files_is_needed(profile))
		err = local_files_name(profile, request->debug_directories, NULL);
	err = err ?: filter_apply(&request->filter, profile);
	err = err ?: tree_require_root(profile, request->output.root);
	profile->view.verbose |= request->verbose;
	for (size_t i = 0; !err && i < profile->intervals.nr; i++)
		render_add_notes(profile, &profile->intervals.data[i], ret_notes);
	if (!err)
		say_notes(path, ret_notes);
	return err;
}

struct difference {
	const struct output_options *options;
	const struct profile *before, *now;
	struct tree tree;
	const char *note; /* for pictures; may be "" */
	struct buf losses; /* for pictures: the notes of both profiles */
	bool is_told; /* the note was printed to stderr */
	enum graph_root root; /* root that is used */
};

static void grow(struct difference *difference, enum graph_root root)
{
	const struct tree_options options = {
		.root = root,
		.reverse = difference->options->reverse,
		.normalize = difference->options->normalize,
		.lines_apart = difference->options->format == OUTPUT_HTML,
	};

	tree_init(&difference->tree, &options);
	tree_add_all(&difference->tree, difference->before, TREE_BEFORE);
	tree_add_all(&difference->tree, difference->now, TREE_NOW);
	tree_build(&difference->tree);
	difference->root = root;
}

/* Keeps the given root, with a note that the two profiles have nothing in common. */
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

/* No command is in both profiles: the stacks begin with their functions. The HTML page has the commands, but hides them at first. */
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

static void add_side(struct buf *text, const struct difference *difference, int column, const char *path)
{
	escape_add(text, path_name(path), ESCAPE_LINE);
	buf_adds(text, " (");
	buf_add_grouped(text, difference->tree.nodes.data[0].total[column]);
	buf_addc(text, ' ');
	escape_add(text, tree_unit(column == TREE_NOW ? difference->now : difference->before), ESCAPE_LINE);
	buf_addc(text, ')');
}

/* Adds the names of the two profiles, which a saved picture needs. */
static void add_sides(struct buf *text, const struct difference *difference, const char *before, const char *now)
{
	add_side(text, difference, TREE_BEFORE, before);
	buf_adds(text, " to ");
	add_side(text, difference, TREE_NOW, now);
	if (difference->options->normalize)
		buf_adds(text, ", normalized");
}

static void say_file(const struct output_options *options, const struct difference *difference)
{
	_cleanup_(buf_done) struct buf content = {};

	if (!options->path)
		return;
	buf_add_grouped(&content, difference->tree.nodes.data[0].total[TREE_BEFORE]);
	buf_adds(&content, " to ");
	buf_add_grouped(&content, difference->tree.nodes.data[0].total[TREE_NOW]);
	buf_addc(&content, ' ');
	escape_add(&content, tree_unit(difference->now), ESCAPE_LINE);
	run_say_file(options->path, buf_text(&content));
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
	caption.graph.losses = buf_text(&difference->losses);
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
	return output_check(options, NULL);
}

/* Only warns: folded text has no unit and counts as samples, which may be wrong. */
static void compare_units(const struct profile *first, const struct profile *second)
{
	_cleanup_(buf_done) struct buf line = {};

	if (!strcmp(tree_unit(first), tree_unit(second)))
		return;
	buf_adds(&line, "WARNING: comparing ");
	escape_add(&line, tree_unit(first), ESCAPE_LINE);
	buf_adds(&line, " with ");
	escape_add(&line, tree_unit(second), ESCAPE_LINE);
	fprintf(stderr, "%s\n", buf_text(&line));
}

struct comparison {
	const struct diff_request *request;
	struct difference difference;
};

/* Makes the tree for each file, because the default root depends on the format. */
static int write_numbered(void *context, size_t number)
{
	struct comparison *comparison = context;
	struct difference *difference = &comparison->difference;
	struct output_options settled = output_options_of(&comparison->request->output, number);
	_cleanup_(buf_done) struct buf sides = {};
	int err;

	if (settled.format == OUTPUT_DEFAULT || settled.format == OUTPUT_TEXT)
		settled.format = OUTPUT_FUNCTIONS;
	difference->options = &settled;
	compare(difference);
	settled.root = difference->root;
	add_sides(&sides, difference, comparison->request->before, comparison->request->now);
	err = write_out(&settled, difference, buf_text(&sides));
	if (!err)
		say_file(&settled, difference);
	tree_done(&difference->tree);
	return err;
}

int run_diff(const struct diff_request *request)
{
	const struct output_options *options = &request->output;
	_cleanup_(profile_done) struct profile first, second;
	_cleanup_(buf_done) struct buf notes_before = {}, notes_now = {};
	struct comparison comparison = {
		.request = request,
		.difference = { .before = &first, .now = &second },
	};
	int err;

	profile_init(&first);
	profile_init(&second);
	err = check_formats(options);
	err = err ?: read_side(request->before, request, &first, &notes_before);
	err = err ?: read_side(request->now, request, &second, &notes_now);
	if (err)
		return err;
	compare_units(&first, &second);
	add_notes_of("before", &notes_before, &comparison.difference.losses);
	add_notes_of("now", &notes_now, &comparison.difference.losses);
	err = output_each(options, write_numbered, &comparison);
	buf_done(&comparison.difference.losses);
	return err;
}
