/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The page is one file: style, script, and the tree as data. A content security policy forbids network access. The data is ASCII JSON
 * without markup characters, so no name can end its element; the script inserts names only as text.
 */
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/escape.h"
#include "core/base/json.h"
#include "core/render/graph.h"
#include "render_scripts.h"

/* Base 32, least significant digit first. All digits but the last are from the second half of the alphabet. */
static void add_number(struct buf *out, uint64_t number)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz+-";
	char text[16];
	size_t nr = 0;

	while (number >= 32) {
		text[nr++] = digits[32 + number % 32];
		number /= 32;
	}
	text[nr++] = digits[number];
	buf_add(out, text, nr);
}

/* The moments of the tree in microseconds since the first one: each as the time since the moment before, the node and the value. */
static void add_moments(const struct tree *tree, const struct graph_times *times, struct json *json)
{
	uint64_t first = times->edges ? times->edges[0] : tree->moments.data[0].time_ns, before = 0;

	json_begin(json, "times", '{');
	json_number(json, "n", tree->moments.nr);
	json_number(json, "clock", times->clock_ms);
	json_begin(json, "edges", '[');
	for (size_t i = 0; i < times->nr_edges; i++)
		json_number(json, NULL, (times->edges[i] - first) / 1000);
	json_end(json, ']');
	json_key(json, "moments");
	buf_addc(json->text, '"');
	for (size_t i = 0; i < tree->moments.nr; i++) {
		const struct tree_moment *moment = &tree->moments.data[i];
		uint64_t time = (moment->time_ns - first) / 1000;

		add_number(json->text, time - before);
		add_number(json->text, moment->node);
		add_number(json->text, moment->value);
		before = time;
	}
	buf_addc(json->text, '"');
	json_end(json, '}');
}

/* Nodes in preorder. A depth is stored as the number of levels above a child of the previous node. */
static void add_nodes(const struct tree *tree, bool diff, struct buf *out)
{
	int64_t depth = -1;

	for (size_t i = 0; i < tree->nodes.nr; i++) {
		const struct tree_node *node = &tree->nodes.data[i];

		add_number(out, (uint64_t)(depth + 1 - (int64_t)node->depth));
		add_number(out, node->frame);
		add_number(out, node->self[TREE_NOW]);
		if (diff)
			add_number(out, node->self[TREE_BEFORE]);
		depth = node->depth;
	}
}

/* The source file and line of each frame; nothing if no frame has any. */
static void add_lines_of_frames(const struct tree *tree, struct json *json)
{
	bool any = false;

	for (uint32_t i = 0; i < tree->frames.nr; i++)
		any |= tree->frames.data[i].source != 0;
	if (!any)
		return;
	json_begin(json, "sources", '[');
	for (uint32_t i = 0; i < tree->frames.nr; i++)
		json_text(json, NULL, strtab_get(&tree->texts, tree->frames.data[i].source));
	json_end(json, ']');
	json_begin(json, "lines", '[');
	for (uint32_t i = 0; i < tree->frames.nr; i++)
		json_number(json, NULL, tree->frames.data[i].line);
	json_end(json, ']');
}

static void add_frames(const struct tree *tree, enum graph_colors colors, struct json *json)
{
	json_begin(json, "names", '[');
	for (uint32_t i = 0; i < tree->frames.nr; i++)
		json_text(json, NULL, tree_text(tree, i));
	json_end(json, ']');
	json_begin(json, "modules", '[');
	for (uint32_t i = 0; i < tree->frames.nr; i++)
		json_text(json, NULL, tree->frames.data[i].kind == TREE_LABEL ? "" : tree_module(tree, i));
	json_end(json, ']');
	json_begin(json, "kinds", '[');
	for (uint32_t i = 0; i < tree->frames.nr; i++)
		json_number(json, NULL, tree->frames.data[i].kind);
	json_end(json, ']');
	json_key(json, "colors");
	buf_addc(json->text, '"');
	for (uint32_t i = 0; i < tree->frames.nr; i++)
		buf_addf(json->text, "%06x", graph_color(tree, i, colors));
	buf_addc(json->text, '"');
}

static void add_caption(const char *key, const char *text, struct json *json)
{
	_cleanup_(buf_done) struct buf safe = {};

	escape_add(&safe, text, ESCAPE_LINE);
	json_text(json, key, buf_text(&safe));
}

static void add_lines(const char *key, const char *text, struct json *json)
{
	json_begin(json, key, '[');
	while (text && *text) {
		size_t length = strcspn(text, "\n");
		_cleanup_(freep) char *line = xstrndup(text, length);

		add_caption(NULL, line, json);
		text += length + (text[length] != '\0');
	}
	json_end(json, ']');
}

static void add_data(const struct tree *tree, const struct output_options *options, const struct graph_caption *caption,
		     struct buf *out)
{
	static const char *const groups[] = {
		[GRAPH_ROOT_DEFAULT] = "comm", [GRAPH_ROOT_COMM] = "comm",           [GRAPH_ROOT_PID] = "pid",
		[GRAPH_ROOT_TID] = "tid",      [GRAPH_ROOT_CONTAINER] = "container", [GRAPH_ROOT_NONE] = "none",
	};
	struct json json = { .text = out };

	json_begin(&json, NULL, '{');
	add_caption("title", caption->title, &json);
	add_caption("subtitle", caption->subtitle, &json);
	add_caption("unit", caption->unit, &json);
	add_caption("note", caption->note ? caption->note : "", &json);
	add_lines("notes", caption->losses, &json);
	add_caption("about", caption->about ? caption->about : "", &json);
	json_text(&json, "group", groups[options->root]);
	json_text(&json, "finest", groups[tree->options.root]);
	json_bool(&json, "diff", caption->diff);
	json_bool(&json, "normalize", tree->options.normalize);
	json_bool(&json, "negate", options->negate);
	json_bool(&json, "inverted", options->inverted);
	json_number(&json, "least", options->min_width);
	json_number(&json, "n", tree->nodes.nr);
	add_frames(tree, options->colors, &json);
	add_lines_of_frames(tree, &json);
	json_key(&json, "nodes");
	buf_addc(out, '"');
	add_nodes(tree, caption->diff, out);
	buf_addc(out, '"');
	if (caption->times && tree->moments.nr)
		add_moments(tree, caption->times, &json);
	json_end(&json, '}');
}

void graph_html(const struct tree *tree, const struct output_options *options, const struct graph_caption *caption,
		struct buf *ret_html)
{
	_cleanup_(buf_done) struct buf safe = {};

	escape_add(&safe, caption->title, ESCAPE_LINE);
	buf_adds(
		ret_html,
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
		"script-src 'unsafe-inline'\">\n"
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>");
	xml_add(ret_html, buf_text(&safe));
	buf_adds(ret_html, "</title>\n<style>\n");
	buf_add(ret_html, script_graph_page_css, script_graph_page_css_size);
	buf_adds(ret_html, "</style>\n</head>\n<body>\n");
	buf_add(ret_html, script_graph_page_html, script_graph_page_html_size);
	buf_adds(ret_html, "<script id=\"data\" type=\"application/json\">\n");
	add_data(tree, options, caption, ret_html);
	buf_adds(ret_html, "\n</script>\n<script>\n");
	buf_add(ret_html, script_graph_page_tree_js, script_graph_page_tree_js_size);
	buf_add(ret_html, script_graph_page_view_js, script_graph_page_view_js_size);
	buf_add(ret_html, script_graph_page_time_js, script_graph_page_time_js_size);
	buf_add(ret_html, script_graph_page_menu_js, script_graph_page_menu_js_size);
	buf_add(ret_html, script_graph_page_js, script_graph_page_js_size); /* starts the page */
	buf_adds(ret_html, "</script>\n</body>\n</html>\n");
}
