/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pictures of a call tree: flame graphs as SVG and as an HTML page. Pure functions: the same tree and options give the
 * same bytes. Texts of the tree are untrusted and are escaped for XML, HTML or JSON.
 */
#pragma once

#include <stdbool.h>

#include "core/base/buf.h"
#include "core/plan/output_options.h"
#include "core/render/tree.h"

/* The texts around a picture. They are not escaped. */
struct graph_caption {
	const char *title;
	const char *subtitle; /* or "" */
	const char *unit;     /* "samples" */
	bool diff;            /* the tree's second column is the profile before */
	const char *sides;    /* of a difference: "before.stk (59 samples) to now.stk (178 samples)" */
	const char *note;     /* of a difference: what to know before looking, or "" */
	const char *losses;   /* what render_notes() prints about the numbers, a line each, or NULL */
	const char *words;    /* a summary of the run in place of the total, or NULL */
	const char *about;    /* host, time and duration of the run, or NULL */
	const struct graph_times *times; /* of a tree with moments, or NULL */
};

/* What relates the moments of a tree to the run. */
struct graph_times {
	const uint64_t *edges; /* ns, ascending: of intervals, and the end of the last; NULL: each event has a time */
	size_t nr_edges;
	uint64_t clock_ms; /* the host's local time at the first moment, since 1970; 0 unknown */
};

/* A self-contained SVG with zoom and search. */
void graph_svg(const struct tree *tree, const struct output_options *options, const struct graph_caption *caption,
	       struct buf *ret_svg);

/* A self-contained page that draws on a canvas. */
void graph_html(const struct tree *tree, const struct output_options *options, const struct graph_caption *caption,
		struct buf *ret_html);

/* ---- shared by the two ---- */

/* The colour of a box as 0xrrggbb, always light enough for black text. The same name has the same colour everywhere. */
uint32_t graph_color(const struct tree *tree, uint32_t frame, enum graph_colors colors);

/* The colour of a kind of frames in the legend: a middle one of its range. */
uint32_t graph_kind_color(uint8_t kind);

/* Red for what grew, blue for what shrank, white for what stayed, by its share of the largest change. */
uint32_t graph_diff_color(int64_t change, uint64_t largest, bool negate);

/* The change of a node between the columns: of the time in it, or with what it calls. */
int64_t graph_change(const struct tree *tree, const struct tree_node *node);
uint64_t graph_largest_change(const struct tree *tree);

/* Adds text for XML and HTML, in elements and in quoted attributes. */
void xml_add(struct buf *buf, const char *text);
/* Adds the difference with its sign, "+12", or "0". */
void change_add(struct buf *buf, uint64_t now, uint64_t before);
/* Adds "10 samples before (14.49%) are in stacks that no longer occur". */
void gone_add(struct buf *buf, const struct tree *tree, const char *unit);
/* Adds part / whole as "12.34%", with spaces before it up to `width` characters. */
void percent_add(struct buf *buf, uint64_t part, uint64_t whole, int width);
/* The bytes of the first `nr_characters` characters of a text, or of all of a shorter one. */
size_t text_prefix(const char *text, size_t nr_characters);
/* How many characters a text has. */
uint32_t text_width(const char *text);
/* Adds a text of at most `room` characters: a longer one loses its middle, because both ends of a name say more. */
void text_cut_add(struct buf *buf, const char *text, uint32_t room, const char *left_out);
/* The sequence (SGR) for the colour of a kind of frames on a terminal, or "". */
const char *terminal_color(uint8_t kind);
