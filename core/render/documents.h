/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Profiles in the formats of other programs (docs/reference/formats.md), and call trees as text. Pure functions of the profile. Only JSON
 * and pprof contain all losses; for other formats render_notes() prints them, and render_add_cut() adds the worst one. Functions with a
 * stream write row by row; stream->err is the first failed write.
 */
#pragma once

#include "core/base/buf.h"
#include "core/base/stream.h"
#include "core/plan/output_options.h"
#include "core/profile/profile.h"
#include "core/render/graph.h"
#include "core/render/tree.h"

/* Schema version 1: docs/reference/profile.schema.json. */
void document_json(const struct profile *profile, const struct profile_interval *intervals, size_t nr,
		   struct stream *stream);

/* https://www.speedscope.app/file-format-schema.json; all intervals are added up. */
void document_speedscope(const struct profile *profile, const struct output_options *options,
			 const struct profile_interval *intervals, size_t nr, struct stream *stream);

/* A gzip'd pprof profile; all intervals are added up. 0, or -EIO with a recorded cause if zlib fails. */
int document_pprof(const struct profile *profile, const struct profile_interval *intervals, size_t nr,
		   struct buf *ret_bytes);

/* The output of perf script: one sample per record and interval, by time. */
void document_perf(const struct profile *profile, const struct profile_interval *intervals, size_t nr,
		   struct stream *stream);

/* The tree as indented lines, the heaviest branch first: total and self with their shares. */
void render_tree(const struct tree *tree, const struct output_options *options, const struct graph_caption *caption,
		 struct buf *ret_text);

/* A table of functions, by self value; for a difference, by the size of the change. */
void render_functions(const struct tree *tree, const struct output_options *options,
		      const struct graph_caption *caption, struct buf *ret_text);

/* For a terminal: totals, the heaviest call tree and the functions with the largest self, within the rows and columns of the options. */
void render_summary(const struct tree *tree, const struct output_options *options, const struct graph_caption *caption,
		    struct buf *ret_text);

/* Lines "stack before now", the format of flamegraph.pl for differences. */
void render_two_columns(const struct tree *tree, struct buf *ret_text);

/* The texts of a picture, which it owns. */
struct caption {
	struct graph_caption graph;
	char *title, *subtitle, *unit;
};

void caption_init(struct caption *caption, const struct output_options *options, const struct profile *profile);
void caption_done(struct caption *caption);

/* Adds where and when the profile was recorded: "web1, Linux 6.1.0 x86_64, 8 CPUs; 2026-11-26 18:12:54, 9.5 s; stacktool 0.1.0". */
void caption_add_about(struct buf *text, const struct profile *profile, const struct profile_interval *intervals,
		       size_t nr);
