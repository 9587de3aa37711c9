/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Folded text of anyone becomes a profile, and that every form of output: none may trip, and sums stay. */
#include "core/base/err.h"
#include "core/formats/text_read.h"
#include "core/render/documents.h"
#include "tests/fuzz/fuzz.h"

static void draw(const struct profile *profile, bool reverse)
{
	static const struct output_options options = { .width = 300 };
	const struct tree_options tree_options = { .reverse = reverse, .delimited = true };
	_cleanup_(caption_done) struct caption caption;
	_cleanup_(buf_done) struct buf svg = {}, html = {}, text = {};
	_cleanup_(tree_done) struct tree tree;

	caption_init(&caption, &options, profile);
	tree_init(&tree, &tree_options);
	tree_add_all(&tree, profile, TREE_NOW);
	tree_build(&tree);
	graph_svg(&tree, &options, &caption.graph, &svg);
	graph_html(&tree, &options, &caption.graph, &html);
	render_tree(&tree, &options, &caption.graph, &text);
	render_functions(&tree, &options, &caption.graph, &text);
	render_two_columns(&tree, &text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct output_options options;
	_cleanup_(stream_done) struct stream json = {}, speedscope = {};
	_cleanup_(buf_done) struct buf pprof = {};
	_cleanup_(profile_done) struct profile profile;
	_cleanup_(buf_done) struct buf notes = {};

	err_clear();
	if (folded_decode((const char *)data, size, "fuzz", &profile, &notes))
		return 0;
	draw(&profile, false);
	draw(&profile, true);
	document_json(&profile, profile.intervals.data, profile.intervals.nr, &json);
	document_speedscope(&profile, &options, profile.intervals.data, profile.intervals.nr, &speedscope);
	if (document_pprof(&profile, profile.intervals.data, profile.intervals.nr, &pprof))
		abort();
	return 0;
}
