/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Flame graphs as SVG. Boxes are drawn in preorder. A box that is too narrow is omitted with everything above it, so the size of the file
 * depends on the width of the picture, not on the number of stacks. Lengths are rounded to hundredths of a pixel, so that the same tree
 * gives the same bytes everywhere.
 */
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/escape.h"
#include "core/render/graph.h"
#include "render_scripts.h"

enum {
	SIDE = 10,       /* pixels left and right of the boxes */
	ROW = 17, /* height of a row of boxes, including the gap */
	TOP = 58,        /* title and subtitle */
	LINE = 16, /* height of a line of text: missing stacks, legend, notes */
	NOTES = 12, /* maximum of note lines */
	BOTTOM = 40, /* details of the box under the pointer, and the matched share */
	DEFAULT_WIDTH = 1200,
	DEFAULT_MIN_WIDTH = 8, /* thousandths of a percent: a tenth of a pixel */
	GLYPH = 708,     /* hundredths of a pixel: width of a letter of 12 pixels */
};

struct drawing {
	const struct tree *tree;
	const struct output_options *options;
	const struct graph_caption *caption;
	struct buf *out;
	uint64_t whole; /* value of the full width */
	uint64_t smallest; /* smaller boxes are omitted */
	uint64_t largest_change;
	uint32_t width;       /* pixels of the boxes */
	uint32_t top;         /* of the boxes */
	uint32_t depth; /* of drawn boxes */
	uint32_t height;
	uint64_t *offset; /* for each depth: offset of the next box */
	uint32_t *colors; /* by frame; bit 24 is set when computed */
};

/* ---- boxes ---- */

/* False for a node that is too narrow. Nothing above it is drawn either. */
static bool is_drawn(const struct drawing *drawing, const struct tree_node *node)
{
	return node->total[TREE_NOW] && node->total[TREE_NOW] >= drawing->smallest;
}

static void measure(struct drawing *drawing)
{
	const struct tree *tree = drawing->tree;

	for (size_t i = 0; i < tree->nodes.nr;) {
		const struct tree_node *node = &tree->nodes.data[i];

		if (is_drawn(drawing, node) && node->depth > drawing->depth)
			drawing->depth = node->depth;
		i = is_drawn(drawing, node) ? i + 1 : node->end;
	}
}

static void add_length(struct buf *out, uint64_t hundredths)
{
	buf_addu(out, hundredths / 100);
	if (hundredths % 100) {
		buf_addc(out, '.');
		buf_addc(out, (char)('0' + hundredths / 10 % 10));
		if (hundredths % 10)
			buf_addc(out, (char)('0' + hundredths % 10));
	}
}

static uint64_t scaled(const struct drawing *drawing, uint64_t value)
{
	return (uint64_t)((double)value / (double)drawing->whole * drawing->width * 100 + 0.5);
}

static void add_color(struct drawing *drawing, const struct tree_node *node)
{
	uint32_t color, *made = &drawing->colors[node->frame];

	if (drawing->caption->diff) {
		color = graph_diff_color(graph_change(drawing->tree, node), drawing->largest_change,
					 drawing->options->negate);
	} else {
		if (!*made)
			*made = graph_color(drawing->tree, node->frame, drawing->options->colors) | 1 << 24;
		color = *made & 0xffffff;
	}
	buf_addf(drawing->out, "#%06x", color);
}

static void add_change(struct drawing *drawing, const struct tree_node *node)
{
	uint64_t before = tree_before(drawing->tree, node->total[TREE_BEFORE]);

	buf_adds(drawing->out, "; before ");
	buf_add_grouped(drawing->out, before);
	buf_adds(drawing->out, ", ");
	percent_add(drawing->out, node->total[TREE_BEFORE], drawing->tree->nodes.data[0].total[TREE_BEFORE], 0);
	buf_adds(drawing->out, "; change ");
	change_add(drawing->out, node->total[TREE_NOW], before);
}

static void add_tooltip(struct drawing *drawing, const struct tree_node *node, const char *name)
{
	const char *module = tree_module(drawing->tree, node->frame);

	buf_adds(drawing->out, "<title>");
	xml_add(drawing->out, name);
	if (*module && drawing->tree->frames.data[node->frame].kind != TREE_LABEL) {
		buf_adds(drawing->out, " [");
		xml_add(drawing->out, module);
		buf_addc(drawing->out, ']');
	}
	buf_adds(drawing->out, " (");
	buf_add_grouped(drawing->out, node->total[TREE_NOW]);
	buf_addc(drawing->out, ' ');
	xml_add(drawing->out, drawing->caption->unit);
	buf_adds(drawing->out, ", ");
	percent_add(drawing->out, node->total[TREE_NOW], drawing->whole, 0);
	if (drawing->caption->diff)
		add_change(drawing, node);
	buf_adds(drawing->out, ")</title>");
}

/* Adds as much of the name as fits. The script does the same after zooming. */
static void add_label(struct drawing *drawing, const char *name, uint64_t width)
{
	const uint32_t room = width > 600 ? (uint32_t)((width - 600) / GLYPH) : 0;
	_cleanup_(buf_done) struct buf cut = {};

	if (room < 3)
		return;
	text_cut_add(&cut, name, room, "..");
	xml_add(drawing->out, buf_text(&cut));
}

static uint32_t row_of(const struct drawing *drawing, uint32_t depth)
{
	return drawing->options->inverted ? drawing->top + depth * ROW : drawing->top + (drawing->depth - depth) * ROW;
}

static void add_box(struct drawing *drawing, const struct tree_node *node, uint64_t offset)
{
	const char *name = tree_text(drawing->tree, node->frame);
	uint64_t left = scaled(drawing, offset), right = scaled(drawing, offset + node->total[TREE_NOW]);
	uint32_t y = row_of(drawing, node->depth);
	struct buf *out = drawing->out;

	buf_adds(out, "<g>");
	add_tooltip(drawing, node, name);
	buf_adds(out, "<rect x=\"");
	add_length(out, left + SIDE * 100);
	buf_adds(out, "\" y=\"");
	buf_addu(out, y);
	buf_adds(out, "\" width=\"");
	add_length(out, right - left);
	buf_adds(out, "\" height=\"16\" fill=\"");
	add_color(drawing, node);
	buf_adds(out, "\"/><text x=\"");
	add_length(out, left + SIDE * 100 + 300);
	buf_adds(out, "\" y=\"");
	buf_addu(out, y + 12);
	buf_adds(out, "\">");
	add_label(drawing, name, right - left);
	buf_adds(out, "</text></g>\n");
}

static void add_boxes(struct drawing *drawing)
{
	const struct tree *tree = drawing->tree;

	for (size_t i = 0; i < tree->nodes.nr;) {
		const struct tree_node *node = &tree->nodes.data[i];
		uint64_t offset = drawing->offset[node->depth];

		drawing->offset[node->depth] = offset + node->total[TREE_NOW];
		i = is_drawn(drawing, node) ? i + 1 : node->end;
		if (!is_drawn(drawing, node))
			continue;
		drawing->offset[node->depth + 1] = offset;
		add_box(drawing, node, offset);
	}
}

/* ---- head and foot ---- */

/* `x` and `y` in pixels. */
static void add_text(struct drawing *drawing, const char *id, uint32_t x, uint32_t y, const char *anchor,
		     const char *text)
{
	_cleanup_(buf_done) struct buf safe = {};

	escape_add(&safe, text, ESCAPE_LINE);
	buf_addf(drawing->out, "<text id=\"%s\" x=\"%u\" y=\"%u\" text-anchor=\"%s\">", id, x, y, anchor);
	xml_add(drawing->out, buf_text(&safe));
	buf_adds(drawing->out, "</text>\n");
}

static void add_button(struct drawing *drawing, const char *id, uint32_t x, uint32_t y, const char *anchor,
		       const char *text)
{
	buf_addf(
		drawing->out,
		"<text id=\"%s\" class=\"button\" role=\"button\" tabindex=\"0\" x=\"%u\" y=\"%u\" text-anchor=\"%s\">%s</text>\n",
		id, x, y, anchor, text);
}

static void add_head(struct drawing *drawing, uint32_t below)
{
	uint32_t width = drawing->width + 2 * SIDE;
	_cleanup_(buf_done) struct buf safe = {};

	escape_add(&safe, drawing->caption->title, ESCAPE_LINE);
	buf_addf(
		drawing->out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\" "
		"role=\"img\" aria-labelledby=\"title\" data-unit=\"",
		width, drawing->height, width, drawing->height);
	xml_add(drawing->out, drawing->caption->unit);
	buf_addf(drawing->out, "\" data-inverted=\"%d\">\n<title>", drawing->options->inverted);
	xml_add(drawing->out, buf_text(&safe));
	buf_adds(drawing->out, "</title>\n<style>\n");
	buf_add(drawing->out, script_graph_svg_css, script_graph_svg_css_size);
	buf_adds(drawing->out, "</style>\n");
	buf_addf(drawing->out, "<rect id=\"background\" width=\"%u\" height=\"%u\"/>\n", width, drawing->height);
	add_text(drawing, "title", width / 2, 24, "middle", drawing->caption->title);
	add_text(drawing, "subtitle", width / 2, 44, "middle", drawing->caption->subtitle);
	add_button(drawing, "reset", SIDE, 24, "start", "Reset zoom");
	add_button(drawing, "search", width - SIDE, 24, "end", "Search");
	add_button(drawing, "case", width - SIDE, 44, "end", "Ignore case: off");
	add_text(drawing, "details", SIDE, below - 14, "start", " ");
	add_text(drawing, "matched", width - SIDE, below - 14, "end", " ");
}

/* Widths show the values now. Stacks that only the earlier profile has get a sentence, but no box. */
static void add_missing(const struct drawing *drawing, struct buf *text)
{
	const struct tree *tree = drawing->tree;
	uint64_t gone = tree_gone(tree);

	buf_adds(text, drawing->caption->note);
	if (!gone)
		return;
	buf_adds(text, text->nr ? "; " : "");
	gone_add(text, tree, drawing->caption->unit);
	buf_adds(text, " and have no box");
}

/* ---- below the boxes: legend and notes ---- */

static void add_legend(struct drawing *drawing, uint32_t y)
{
	static const struct {
		uint8_t kind;
		const char *name;
	} entries[] = {
		{ TREE_USER, "user" },       { TREE_KERNEL, "kernel" }, { TREE_JIT, "JIT" },
		{ TREE_INLINED, "inlined" }, { TREE_WAKER, "waker" },   { TREE_LABEL, "not known" },
	};
	bool is_there[TREE_NR_KINDS] = {};
	uint32_t x = SIDE;

	if (drawing->caption->diff || drawing->options->colors > COLORS_KIND)
		return;
	for (size_t i = drawing->tree->frames.nr; i > 0; i--)
		is_there[drawing->tree->frames.data[i - 1].kind] = true;
	buf_adds(drawing->out, "<g id=\"legend\">");
	for (size_t i = 0; i < sizeof(entries) / sizeof(*entries); i++) {
		if (!is_there[entries[i].kind])
			continue;
		buf_addf(drawing->out, "<rect x=\"%u\" y=\"%u\" width=\"10\" height=\"10\" fill=\"#%06x\"/>", x, y - 9,
			 graph_kind_color(entries[i].kind));
		buf_addf(drawing->out, "<text x=\"%u\" y=\"%u\">%s</text>", x + 14, y, entries[i].name);
		x += 14 + 8 * (uint32_t)strlen(entries[i].name) + 12;
	}
	buf_adds(drawing->out, "</g>\n");
}

static uint32_t nr_notes(const char *losses)
{
	uint32_t nr = 0;

	for (; losses && *losses; losses++)
		nr += *losses == '\n';
	return nr < NOTES ? nr : NOTES;
}

/* A note that is too long for the picture is truncated by the viewer; its tooltip has all of it. */
static void add_notes(struct drawing *drawing, uint32_t y)
{
	const char *text = drawing->caption->losses;

	for (uint32_t i = nr_notes(text); i > 0; i--, y += LINE) {
		size_t length = strcspn(text, "\n");
		_cleanup_(freep) char *line = xstrndup(text, length);
		_cleanup_(buf_done) struct buf safe = {};

		escape_add(&safe, line, ESCAPE_LINE);
		buf_addf(drawing->out, "<text class=\"note\" x=\"%u\" y=\"%u\">", SIDE, y);
		buf_adds(drawing->out, "<title>");
		xml_add(drawing->out, buf_text(&safe));
		buf_adds(drawing->out, "</title>");
		xml_add(drawing->out, buf_text(&safe));
		buf_adds(drawing->out, "</text>\n");
		text += length + 1;
	}
}

static void add_foot(struct drawing *drawing)
{
	buf_adds(drawing->out, "</g>\n<script type=\"text/ecmascript\"><![CDATA[\n");
	buf_add(drawing->out, script_graph_svg_js, script_graph_svg_js_size);
	buf_adds(drawing->out, "]]></script>\n</svg>\n");
}

void graph_svg(const struct tree *tree, const struct output_options *options, const struct graph_caption *caption,
	       struct buf *ret_svg)
{
	uint32_t share = options->min_width ? options->min_width : DEFAULT_MIN_WIDTH;
	struct drawing drawing = {
		.tree = tree,
		.options = options,
		.caption = caption,
		.out = ret_svg,
		.whole = tree->nodes.data[0].total[TREE_NOW],
		.width = (options->width ? options->width : DEFAULT_WIDTH) - 2 * SIDE,
	};
	_cleanup_(buf_done) struct buf missing = {};
	uint32_t below;

	drawing.smallest = (uint64_t)((double)drawing.whole * share / 100000);
	if (caption->diff) {
		drawing.largest_change = graph_largest_change(tree);
		add_missing(&drawing, &missing);
	}
	drawing.top = missing.nr ? TOP + LINE : TOP;
	measure(&drawing);
	below = drawing.top + (drawing.depth + 1) * ROW + BOTTOM;
	drawing.height = below + (1 + nr_notes(caption->losses)) * LINE;
	drawing.offset = xcalloc((size_t)tree->max_depth + 2, sizeof(*drawing.offset));
	drawing.colors = xcalloc(tree->frames.nr, sizeof(*drawing.colors));
	add_head(&drawing, below);
	if (missing.nr)
		add_text(&drawing, "missing", (drawing.width + 2 * SIDE) / 2, 60, "middle", buf_text(&missing));
	add_legend(&drawing, below);
	add_notes(&drawing, below + LINE);
	buf_adds(ret_svg, "<g id=\"frames\">\n");
	if (drawing.whole)
		add_boxes(&drawing);
	else
		add_text(&drawing, "empty", drawing.width / 2 + SIDE, drawing.top + 12, "middle", "no stacks");
	add_foot(&drawing);
	free(drawing.offset);
	free(drawing.colors);
}
