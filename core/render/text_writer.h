/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state of a text report: what to show, the escaped text of every frame (made once, because a frame is in many stacks), and the output,
 * which is written in large pieces. Private to render/.
 */
#pragma once

#include "core/base/buf.h"
#include "core/base/escape.h"
#include "core/base/stream.h"
#include "core/profile/profile.h"
#include "core/render/merge.h"

struct frame_text {
	size_t start; /* in frame_bytes */
	size_t length; /* 0: not made yet; no frame's text is empty */
};

struct text_writer {
	const struct profile *profile;
	const struct profile_view *view;
	const struct durations *durations; /* of merged rows; NULL: not in the view */
	struct stream out;
	struct buf frame_bytes;
	struct frame_text *frames;
};

void writer_init(struct text_writer *writer, const struct profile *profile, const struct profile_view *view, FILE *out);
void writer_done(struct text_writer *writer);

/*
 * Adds a frame: a line `name+0xoff [module] FILE:LINE` with the parts that the view wants, or `;name` in folded mode; "[unknown]" if it has
 * no name. With view.addresses the caller adds indent and address first.
 */
void writer_add_frame(struct text_writer *writer, uint32_t frame);

/* Adds the `nr` frames of a stack, the last one first, as in folded lines. */
void writer_add_frames(struct text_writer *writer, const uint32_t *frames, uint32_t nr);

/* Adds ":file.c:31" ('?': unknown line) for several names in a line, or " (file.py:31)". Only if the source is known. */
void add_short_line(const struct profile *profile, const struct profile_frame *frame, enum escape_form form,
		    struct buf *text);

/* The same with the whole path; only for FRAME_INTERPRETER. */
void add_interpreter_line(const struct profile *profile, const struct profile_frame *frame, enum escape_form form,
			  struct buf *text);

/* Adds the indent of a frame's line: two spaces for stackcount, a tab for stacksnoop, else four spaces. */
void writer_add_indent(const struct text_writer *writer, struct buf *text);

/* Adds a string of the profile, escaped for the view. */
void writer_add_name(struct text_writer *writer, string_id string);

/* Whether a delimiter is printed between the stacks of this row. */
bool writer_separates(const struct text_writer *writer, const struct merged_row *row);
