/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Profiles in the formats of other programs (docs/reference/formats.md), and call trees as text. Pure functions of
 * the profile; all of them report the losses.
 * Those that take a stream write row by row; stream->err is the first failed write.
 */
#pragma once

#include "core/base/buf.h"
#include "core/base/stream.h"
#include "core/plan/output_options.h"
#include "core/profile/profile.h"
#include "core/render/graph.h"
#include "core/render/tree.h"

/* One JSON document, schema version 1: docs/reference/profile.schema.json. */
void document_json(const struct profile *profile, const struct profile_interval *intervals, size_t nr,
		   struct stream *stream);

/* https://www.speedscope.app/file-format-schema.json: one profile per interval. */
void document_speedscope(const struct profile *profile, const struct output_options *options,
			 const struct profile_interval *intervals, size_t nr, struct stream *stream);

/* A gzip'd pprof profile; all intervals are added up. -EIO with a recorded cause when zlib fails. */
int document_pprof(const struct profile *profile, const struct profile_interval *intervals, size_t nr,
		   struct buf *ret_bytes);

/* Text of perf script: one sample per record and interval, by time. The wakers of off-CPU time are not in it. */
void document_perf(const struct profile *profile, const struct profile_interval *intervals, size_t nr,
		   struct stream *stream);

/* The tree as indented lines, the heaviest branch first: total and self with their share. */
void render_tree(const struct tree *tree, const struct output_options *options, const struct graph_caption *caption,
		 struct buf *ret_text);

/* Functions by their own time, or by what grew and shrank when the caption says diff. */
void render_top(const struct tree *tree, const struct output_options *options, const struct graph_caption *caption,
		struct buf *ret_text);

/* Lines "stack before now". */
void render_two_columns(const struct tree *tree, struct buf *ret_text);

/* What a picture of this profile says about itself. */
struct caption {
	struct graph_caption graph;
	char *title, *subtitle, *unit;
};

void caption_init(struct caption *caption, const struct output_options *options, const struct profile *profile);
void caption_done(struct caption *caption);
