/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pictures of a call tree: flame graphs as SVG and as an HTML page. Pure functions: the same tree and options give the same bytes. Texts of
 * the tree are untrusted, and are escaped for XML, HTML or JSON.
 */
#pragma once

#include <stdbool.h>

#include "core/base/buf.h"
#include "core/plan/output_options.h"
#include "core/render/tree.h"

/* Texts around a picture, not escaped. */
struct graph_caption {
	const char *title;
	const char *subtitle; /* may be "" */
	const char *unit;     /* "samples" */
	bool diff; /* the tree's second column has the earlier profile */
	const char *sides; /* differences: "before.stk (59 samples) to now.stk (178 samples)" */
	const char *note; /* differences: a remark about the comparison; may be "" */
	const char *losses; /* the lines of render_notes() about the numbers; NULL: none */
	const char *words; /* a summary of the run in place of the total; NULL: none */
	const char *about; /* host, time and duration of the run; NULL: none */
	const struct graph_times *times; /* of a tree with moments; NULL: none */
};

/* Relates the moments of a tree to the run. */
struct graph_times {
	const uint64_t *edges; /* ns: starts of intervals, and the end of the last; NULL: each event has a time */
	size_t nr_edges;
	uint64_t clock_ms; /* the host's local time at the first moment, ms since 1970; 0: unknown */
};

/* A self-contained SVG with zoom and search. */
void graph_svg(const struct tree *tree, const struct output_options *options, const struct graph_caption *caption,
	       struct buf *ret_svg);

/* A self-contained HTML page that draws on a canvas. */
void graph_html(const struct tree *tree, const struct output_options *options, const struct graph_caption *caption,
		struct buf *ret_html);

/* ---- shared by the two ---- */

/* The colour of a box as 0xrrggbb, light enough for black text. A name always has the same colour. */
uint32_t graph_color(const struct tree *tree, uint32_t frame, enum graph_colors colors);

/* The colour of a kind of frames in the legend: the middle of its range. */
uint32_t graph_kind_color(uint8_t kind);

/* Red for growth, blue for decrease, white for no change, by its share of the largest change. */
uint32_t graph_diff_color(int64_t change, uint64_t largest, bool negate);

/* The change of a node's total between the columns. */
int64_t graph_change(const struct tree *tree, const struct tree_node *node);
uint64_t graph_largest_change(const struct tree *tree);

/* Adds text for XML and HTML, for elements and quoted attributes. */
void xml_add(struct buf *buf, const char *text);
/* Adds the difference with a sign, "+12", or "0". */
void change_add(struct buf *buf, uint64_t now, uint64_t before);
/* Adds "10 samples before (14.49%) are in stacks that no longer occur". */
void gone_add(struct buf *buf, const struct tree *tree, const char *unit);
/* Adds part / whole as "12.34%", padded on the left to `width` characters. */
void percent_add(struct buf *buf, uint64_t part, uint64_t whole, int width);
/* The bytes of the first `nr_characters` characters of a text, or of a shorter text. */
size_t text_prefix(const char *text, size_t nr_characters);
/* The number of characters of a text. */
uint32_t text_width(const char *text);
/* Adds a text of at most `room` characters. In a longer text `left_out` replaces the middle. */
void text_cut_add(struct buf *buf, const char *text, uint32_t room, const char *left_out);
/* The colour sequence (SGR) for a kind of frames on a terminal, or "". */
const char *terminal_color(uint8_t kind);
