/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The call tree, and pictures and documents made of it: sums, colours, and names that try to be markup. */
#include "core/render/graph.h"

#include <jansson.h>

#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/formats/text_read.h"
#include "core/render/documents.h"
#include "core/render/filter.h"
#include "tests/unit/profile_text.h"
#include "tests/harness.h"

static void grow(const char *text, const struct tree_options *options, struct tree *tree)
{
	_cleanup_(profile_done) struct profile profile;

	profile_of_text(text, &profile);
	tree_init(tree, options);
	tree_add_all(tree, &profile, TREE_NOW);
	tree_build(tree);
}

static uint32_t find(const struct tree *tree, const char *name)
{
	for (uint32_t i = 0; i < tree->nodes.nr; i++)
		if (!strcmp(tree_text(tree, tree->nodes.data[i].frame), name))
			return i;
	return UINT32_MAX;
}

/* ---- the tree ---- */

static void check_tree(const struct tree *tree)
{
	for (uint32_t i = 0; i < tree->nodes.nr; i++) {
		const struct tree_node *node = &tree->nodes.data[i];
		uint64_t sum = node->self[TREE_NOW];

		assert_true(node->end > i && node->end <= tree->nodes.nr);
		for (uint32_t child = i + 1; child < node->end; child = tree->nodes.data[child].end) {
			assert_int_equal(tree->nodes.data[child].parent, i);
			assert_int_equal(tree->nodes.data[child].depth, node->depth + 1);
			sum += tree->nodes.data[child].total[TREE_NOW];
		}
		assert_int_equal(sum, node->total[TREE_NOW]);
	}
}

TEST(a_tree_adds_up)
{
	_cleanup_(buf_done) struct buf text = {};
	uint64_t seed = 7, total = 0;

	for (int line = 0; line < 3000; line++) {
		uint64_t count = 1 + (uint64_t)line % 7;

		buf_addf(&text, "app%d", line % 3);
		for (int depth = 0; depth < line % 40; depth++) {
			seed = seed * 6364136223846793005 + 1442695040888963407;
			buf_addf(&text, ";f%d", (int)(seed >> 60));
		}
		buf_addf(&text, " %d\n", (int)count);
		total += count;
	}
	for (int reverse = 0; reverse < 2; reverse++) {
		_cleanup_(tree_done) struct tree tree;

		grow(buf_text(&text), &(struct tree_options){ .reverse = reverse }, &tree);
		check_tree(&tree);
		assert_int_equal(tree.nodes.data[0].total[TREE_NOW], total);
	}
}

TEST(siblings_stand_in_the_order_of_their_names)
{
	_cleanup_(tree_done) struct tree tree;

	grow("a;z 1\na;b 1\na;m 1\na;b;c 1\n", &(struct tree_options){ .root = GRAPH_ROOT_NONE }, &tree);
	assert_int_equal(find(&tree, "b"), 1);
	assert_int_equal(find(&tree, "c"), 2);
	assert_int_equal(find(&tree, "m"), 3);
	assert_int_equal(find(&tree, "z"), 4);
}

static void grow_difference(const char *before, const char *now, const struct tree_options *options, struct tree *tree)
{
	_cleanup_(profile_done) struct profile first, second;

	profile_of_text(before, &first);
	profile_of_text(now, &second);
	tree_init(tree, options);
	tree_add_all(tree, &first, TREE_BEFORE);
	tree_add_all(tree, &second, TREE_NOW);
	tree_build(tree);
}

/* Rounded each for itself, 1,000 stacks of one sample became nothing beside a profile of 100. */
TEST(small_stacks_stay_when_normalized)
{
	_cleanup_(buf_done) struct buf before = {}, lines = {};
	_cleanup_(tree_done) struct tree tree;
	uint64_t sum = 0;

	for (int i = 0; i < 1000; i++)
		buf_addf(&before, "app;%s;f%d 1\n", i % 4 ? "most" : "some", i);
	grow_difference(buf_text(&before), "app;most;f1 60\napp;some;f0 40\n",
			&(struct tree_options){ .normalize = true }, &tree);
	assert_int_equal(tree_before(&tree, tree.nodes.data[0].total[TREE_BEFORE]), 100);
	assert_int_equal(tree.nodes.data[0].total[TREE_NOW], 100);
	assert_int_equal(tree_before(&tree, tree.nodes.data[find(&tree, "most")].total[TREE_BEFORE]), 75);
	assert_int_equal(graph_change(&tree, &tree.nodes.data[find(&tree, "some")]), 40 - 25);
	render_two_columns(&tree, &lines);
	for (const char *line = buf_text(&lines); *line; line = strchr(line, '\n') + 1) {
		unsigned int one;

		assert_int_equal(sscanf(strchr(line, ' '), " %u", &one), 1);
		sum += one;
	}
	assert_int_equal(sum, 100);
}

/* A sum is rounded once: that of a function does not depend on what its stacks begin with. */
TEST(normalized_sums_are_those_of_every_root)
{
	_cleanup_(buf_done) struct buf before = {};

	for (int i = 0; i < 300; i++)
		buf_addf(&before, "app%d;f 1\napp%d;g 2\n", i, i);
	for (int root = GRAPH_ROOT_COMM; root <= GRAPH_ROOT_NONE; root++) {
		const struct tree_options options = { .root = (enum graph_root)root, .normalize = true };
		_cleanup_(tree_done) struct tree tree;
		_cleanup_(freep) struct tree_function *functions = NULL;

		grow_difference(buf_text(&before), "app0;f 7\n", &options, &tree);
		functions = tree_functions(&tree);
		for (size_t i = 0; i < tree.frames.nr; i++) {
			const struct tree_function *function = &functions[i];
			const char *name = tree_text(&tree, function->frame);

			if (!strcmp(name, "f") || !strcmp(name, "g"))
				assert_int_equal(tree_before(&tree, function->self[TREE_BEFORE]), *name == 'f' ? 2 : 5);
		}
	}
}

TEST(what_is_gone_and_who_is_in_both_is_known)
{
	static const struct {
		const char *before, *now;
		uint64_t gone;
		bool common;
	} cases[] = {
		{ "v1;f 2\nv1;f;g 3\n", "v2;f 7\n", 5, false },
		{ "v1;f 2\nv1;f;g 3\n", "v1;f 7\n", 3, true },
		{ "v1;f 2\nv2;f 3\n", "v2;f;g 7\nv3;f 1\n", 2, true },
		{ "v1 2\n", "v1;f 1\n", 0, true },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		_cleanup_(tree_done) struct tree tree;

		grow_difference(cases[i].before, cases[i].now, &(struct tree_options){}, &tree);
		assert_int_equal(tree_gone(&tree), cases[i].gone);
		assert_int_equal(tree_has_common_process(&tree), cases[i].common);
	}
}

TEST(functions_that_call_themselves_count_once)
{
	_cleanup_(tree_done) struct tree tree;
	_cleanup_(freep) struct tree_function *functions = NULL;

	grow("a;f;g;f 3\na;f 4\na;g;f;f;f 5\n", &(struct tree_options){}, &tree);
	functions = tree_functions(&tree);
	for (size_t i = 0; i < tree.frames.nr; i++) {
		const struct tree_function *function = &functions[i];

		if (!strcmp(tree_text(&tree, function->frame), "f")) {
			assert_int_equal(function->self[TREE_NOW], 12);
			assert_int_equal(function->total[TREE_NOW], 12);
		}
	}
}

static const struct tree_frame *frame_of(const struct tree *tree, const char *name)
{
	return &tree->frames.data[tree->nodes.data[find(tree, name)].frame];
}

/* The tree of a function main() in each of these modules, at its own address. */
static void grow_main_in(const char *const *modules, size_t nr, struct tree *tree)
{
	_cleanup_(profile_done) struct profile profile;
	struct profile_interval interval = {};

	profile_init(&profile);
	for (uint64_t address = 1; address <= nr; address++) {
		struct profile_frame frame = { .kind = FRAME_USER_RAW, .where = address };
		struct profile_record record = { .id = { address, 1 }, .user_status = STACK_OK, .nr_user = 1 };
		uint32_t position;

		frame.name = profile_add_string(&profile, "main");
		frame.module = profile_add_string(&profile, modules[address - 1]);
		position = profile_add_frame(&profile, &frame);
		profile_add_record(&profile, &record, &position, &address);
		profile_count(&profile, &interval, record.id, 1, 0);
	}
	vec_push(&profile.intervals, interval);
	tree_init(tree, &(struct tree_options){});
	tree_add_all(tree, &profile, TREE_NOW);
	tree_build(tree);
}

static void expect_kind(const char *module, enum tree_kind kind)
{
	_cleanup_(tree_done) struct tree tree;

	grow_main_in(&module, 1, &tree);
	assert_int_equal(frame_of(&tree, "main")->kind, kind);
}

TEST(code_made_at_run_time_is_told_by_its_map)
{
	expect_kind("perf-7.map", TREE_JIT);
	expect_kind("jit-7.dump", TREE_JIT);
	expect_kind("jit-7.map", TREE_USER);
	expect_kind("libjit-7.dump.so", TREE_USER);
}

static void expect_module(const char *first, const char *second, const char *wanted)
{
	_cleanup_(tree_done) struct tree tree;

	grow_main_in((const char *const[]){ first, second }, 2, &tree);
	assert_string_equal(tree_module(&tree, tree.nodes.data[find(&tree, "main")].frame), wanted);
}

TEST(functions_of_one_name_are_in_no_module)
{
	expect_module("ls", "ls", "ls");
	expect_module("ls", "", "ls");
	expect_module("", "ls", "ls");
	expect_module("ls", "cat", "");
}

TEST(suffixes_become_kinds)
{
	_cleanup_(tree_done) struct tree tree;

	grow("a;x_[j];y_[i];-;z_[k];[lib] 1\n", &(struct tree_options){}, &tree);
	assert_int_equal(frame_of(&tree, "x")->kind, TREE_JIT);
	assert_int_equal(frame_of(&tree, "y")->kind, TREE_INLINED);
	assert_int_equal(frame_of(&tree, "z")->kind, TREE_KERNEL);
	assert_int_equal(frame_of(&tree, "[lib]")->kind, TREE_LABEL);
	assert_int_equal(frame_of(&tree, "a")->kind, TREE_PROCESS);
}

TEST(a_tree_keeps_when_its_values_occurred)
{
	static const char text[] = "a 1/1 [000] 3.5: 2 c: \n\t1 f (x)\n\na 1/1 [000] 1.0: 3 c: \n\t1 f (x)\n\n"
				   "a 1/1 [000] 2.0: 7 c: \n\t1 g (x)\n\n";
	const uint64_t times[] = { 1000000000, 2000000000, 3500000000 }, values[] = { 3, 7, 2 };
	const char *const names[] = { "f", "g", "f" };
	_cleanup_(buf_done) struct buf notes = {};
	_cleanup_(profile_done) struct profile profile;
	_cleanup_(tree_done) struct tree tree;

	assert_int_equal(perf_script_decode(text, sizeof(text) - 1, "x", &profile, &notes), 0);
	tree_init(&tree, &(struct tree_options){ .times = true });
	tree_add_all(&tree, &profile, TREE_NOW);
	tree_build(&tree);
	check_tree(&tree);
	assert_int_equal(tree.moments.nr, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(tree.moments.data[i].time_ns, times[i]);
		assert_int_equal(tree.moments.data[i].value, values[i]);
		assert_int_equal(tree.moments.data[i].node, find(&tree, names[i]));
	}
	assert_int_equal(tree.nodes.data[find(&tree, "f")].self[TREE_NOW], 5);
}

static void expect_cut(const char *text, uint32_t room, const char *wanted)
{
	_cleanup_(buf_done) struct buf cut = {};

	text_cut_add(&cut, text, room, "..");
	assert_string_equal(buf_text(&cut), wanted);
}

TEST(a_long_name_loses_its_middle)
{
	expect_cut("function", 8, "function");
	expect_cut("function", 7, "fu..ion");
	expect_cut("function", 3, "..n");
	expect_cut("function", 2, "..");
	expect_cut("äöüß€", 4, "ä..€");
}

TEST(a_picture_tells_where_and_when)
{
	_cleanup_(buf_done) struct buf whole = {}, nothing = {};
	_cleanup_(profile_done) struct profile profile;
	struct profile_interval intervals[2] = {
		{ .start_ns = 5 * NSEC_PER_SEC, .end_ns = 6 * NSEC_PER_SEC, .wall_end_ns = 1795285501 * NSEC_PER_SEC },
		{ .start_ns = 6 * NSEC_PER_SEC, .end_ns = 7 * NSEC_PER_SEC + NSEC_PER_SEC / 2 },
	};

	profile_of_text("a;b 1\n", &profile);
	caption_add_about(&nothing, &profile, profile.intervals.data, profile.intervals.nr);
	assert_string_equal(buf_text(&nothing), "");
	profile.hostname = profile_add_string(&profile, "web1");
	profile.kernel_release = profile_add_string(&profile, "6.1.0");
	profile.host.machine = profile_add_string(&profile, "x86_64");
	profile.host.nr_cpus = 8;
	profile.tool_version = profile_add_string(&profile, "0.1.0");
	profile.utc_offset_s = 3600;
	caption_add_about(&whole, &profile, intervals, 2);
	assert_string_equal(buf_text(&whole),
			    "web1, Linux 6.1.0 x86_64, 8 CPUs; 2026-11-21 19:25:00, 2.5 s; stacktool 0.1.0");
}

TEST(an_empty_profile_is_a_picture_too)
{
	static const struct output_options options;
	static const struct graph_caption caption = { .title = "t", .subtitle = "", .unit = "samples" };
	_cleanup_(buf_done) struct buf svg = {}, html = {}, text = {};
	_cleanup_(tree_done) struct tree tree;

	tree_init(&tree, &(struct tree_options){});
	tree_build(&tree);
	graph_svg(&tree, &options, &caption, &svg);
	graph_html(&tree, &options, &caption, &html);
	render_tree(&tree, &options, &caption, &text);
	render_functions(&tree, &options, &caption, &text);
	assert_non_null(strstr(buf_text(&svg), "no stacks"));
	assert_non_null(strstr(buf_text(&html), "</html>"));
}

TEST(stacks_may_be_empty)
{
	for (int reverse = 0; reverse < 2; reverse++) {
		_cleanup_(tree_done) struct tree tree;

		grow(" 5\n 6\n", &(struct tree_options){ .reverse = reverse }, &tree);
		assert_int_equal(tree.nodes.nr, 1);
		assert_int_equal(tree.nodes.data[0].total[TREE_NOW], 11);
	}
}

TEST(counts_beyond_all_bounds_stay_in_order)
{
	_cleanup_(tree_done) struct tree tree;

	grow("a;b 18446744073709551615\na;c 18446744073709551615\nb 7\n", &(struct tree_options){}, &tree);
	check_tree(&tree);
}

/* ---- colours ---- */

/* x to the power of 2.4, without libm: x^2 times the fifth root of x^2, by Newton. */
static double power_2_4(double x)
{
	double square = x * x, root = 1;

	for (int i = 0; i < 60; i++)
		root -= (root * root * root * root * root - square) / (5 * root * root * root * root);
	return square * root;
}

static double channel(uint32_t value)
{
	double c = value / 255.0;

	return c <= 0.03928 ? c / 12.92 : power_2_4((c + 0.055) / 1.055);
}

/* Of black text on the colour, by WCAG 2.1. */
static double contrast(uint32_t color)
{
	double luminance =
		0.2126 * channel(color >> 16) + 0.7152 * channel(color >> 8 & 255) + 0.0722 * channel(color & 255);

	return (luminance + 0.05) / 0.05;
}

TEST(black_text_can_be_read_on_every_colour)
{
	_cleanup_(buf_done) struct buf text = {};
	_cleanup_(tree_done) struct tree tree;

	for (int i = 0; i < 2000; i++)
		buf_addf(&text, "p%d;u%d;c::%d;j%d_[j];i%d_[i];w%d_[w];[l%d];-;k%d_[k] 1\n", i, i, i, i, i, i, i, i);
	grow(buf_text(&text), &(struct tree_options){ .delimited = true }, &tree);
	for (int colors = 0; colors < COLORS_NR; colors++)
		for (uint32_t frame = 0; frame < tree.frames.nr; frame++)
			assert_true(contrast(graph_color(&tree, frame, (enum graph_colors)colors)) >= 4.5);
	for (int64_t change = -100; change <= 100; change++)
		assert_true(contrast(graph_diff_color(change, 100, false)) >= 4.5);
	assert_true(contrast(0xe86bf0) >= 4.5); /* what search marks */
}

TEST(a_name_keeps_its_colour)
{
	_cleanup_(tree_done) struct tree one, two;

	grow("a;main 1\n", &(struct tree_options){}, &one);
	grow("b;c;d;main 7\n", &(struct tree_options){}, &two);
	assert_int_equal(graph_color(&one, one.nodes.data[find(&one, "main")].frame, COLORS_HOT),
			 graph_color(&two, two.nodes.data[find(&two, "main")].frame, COLORS_HOT));
}

/* ---- hostile names ---- */

static const char hostile[] =
	"</title><script>alert(1)</script>;]]><script>alert(2)</script>;\" onload=\"alert(3);' x='4;"
	"</script><!--;<![CDATA[;&#60;b;\xef\xbf\xbf;\xff\xfe;\xe2\x80\xae;\x01\x1b[2J;\\u003c;__proto__ 5\n";

static void check_no_markup(const struct buf *text)
{
	assert_null(strstr(buf_text(text), "<script>alert"));
	assert_null(strstr(buf_text(text), "]]><script"));
	assert_null(strstr(buf_text(text), "</script><!--"));
	assert_null(strstr(buf_text(text), "\xef\xbf\xbf"));
	assert_null(strstr(buf_text(text), "\xff\xfe"));
	assert_null(strstr(buf_text(text), "\xe2\x80\xae"));
	assert_null(strchr(buf_text(text), '\x1b'));
}

TEST(names_are_no_markup)
{
	const struct output_options options = { .title = "</title><script>alert(0)</script>\x1b" };
	const struct graph_caption caption = { .title = options.title, .subtitle = options.title, .unit = "samples" };
	_cleanup_(buf_done) struct buf svg = {}, html = {};
	_cleanup_(tree_done) struct tree tree;

	grow(hostile, &(struct tree_options){}, &tree);
	graph_svg(&tree, &options, &caption, &svg);
	graph_html(&tree, &options, &caption, &html);
	check_no_markup(&svg);
	assert_null(strstr(buf_text(&svg), "\" onload")); /* in the page it is in a JSON string: \" onload */
	check_no_markup(&html);
}

static void check_json(const struct buf *text)
{
	json_error_t error;
	json_t *root = json_loadb(text->data, text->nr, 0, &error);

	if (!root)
		fail_msg("%s at %d:%d", error.text, error.line, error.column);
	for (size_t i = 0; i < text->nr; i++)
		assert_true((unsigned char)text->data[i] < 0x7f && text->data[i] != '<');
	json_decref(root);
}

TEST(documents_are_json_in_ascii)
{
	_cleanup_(stream_done) struct stream json = {}, speedscope = {};
	_cleanup_(buf_done) struct buf pprof = {};
	_cleanup_(profile_done) struct profile profile;
	static const struct output_options options;

	profile_of_text(hostile, &profile);
	document_json(&profile, profile.intervals.data, 1, &json);
	document_speedscope(&profile, &options, profile.intervals.data, 1, &speedscope);
	check_json(&json.text);
	check_json(&speedscope.text);
	assert_int_equal(document_pprof(&profile, profile.intervals.data, 1, &pprof), 0);
	assert_memory_equal(pprof.data, "\x1f\x8b", 2);
}

/* Each row is a function of its own, and those after the middle are cut short: looking for their label took 17 s. */
TEST(many_cut_stacks_are_one_label)
{
	enum {
		NR = 200000
	};
	_cleanup_(profile_done) struct profile profile;
	_cleanup_(buf_done) struct buf pprof = {};
	struct profile_interval interval = {};
	const uint64_t address = 1;

	profile_init(&profile);
	for (uint64_t i = 1; i <= NR; i++) {
		const struct profile_frame frame = { .kind = FRAME_USER_RAW, .where = i };
		const struct profile_record record = {
			.id = { i, 1 },
			.nr_user = 1,
			.user_status = i > NR / 2 ? STACK_TRUNCATED : STACK_OK,
		};
		uint32_t position = profile_add_frame(&profile, &frame);

		profile_add_record(&profile, &record, &position, &address);
		profile_count(&profile, &interval, record.id, i, 0);
	}
	vec_push(&profile.intervals, interval);
	assert_int_equal(document_pprof(&profile, profile.intervals.data, 1, &pprof), 0);
}

/* ---- filters ---- */

static uint64_t total_with(const struct filter *filter)
{
	_cleanup_(profile_done) struct profile profile;
	uint64_t total = 0;

	profile_of_text("web;main;read 1\nweb;main;write 2\ndb;main;read;-;vfs_read_[k] 4\n", &profile);
	assert_int_equal(filter_apply(filter, &profile), 0);
	for (size_t i = 0; i < profile.intervals.data[0].rows.nr; i++)
		total += profile.intervals.data[0].rows.data[i].count;
	return total;
}

TEST(filters_keep_what_matches)
{
	_cleanup_(profile_done) struct profile profile;

	assert_int_equal(total_with(&(struct filter){}), 7);
	assert_int_equal(total_with(&(struct filter){ .include = "^read$" }), 5);
	assert_int_equal(total_with(&(struct filter){ .exclude = "^read$" }), 2);
	assert_int_equal(total_with(&(struct filter){ .include = "^vfs_" }), 4);
	assert_int_equal(total_with(&(struct filter){ .comm = "^web" }), 3);
	assert_int_equal(total_with(&(struct filter){ .comm = "^web", .exclude = "write" }), 1);
	profile_of_text("a 1\n", &profile);
	assert_int_equal(filter_apply(&(struct filter){ .tgids = { .data = (uint32_t[]){ 9 }, .nr = 1 } }, &profile),
			 -ENODATA);
	err_clear();
	assert_true(filter_apply(&(struct filter){ .include = "(" }, &profile) < 0);
	assert_int_equal(err_kind(), ERR_USAGE);
}
