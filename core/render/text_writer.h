/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state of a text report: what to show, the escaped text of every frame (made once, because a frame is in many
 * stacks), and the output, which goes to the stream in large pieces. Private to render/.
 */
#pragma once

#include "core/base/buf.h"
#include "core/base/escape.h"
#include "core/base/stream.h"
#include "core/profile/profile.h"
#include "core/render/merge.h"

struct frame_text {
	size_t start; /* in frame_bytes */
	size_t length; /* 0: not made yet; no frame has an empty line */
};

struct text_writer {
	const struct profile *profile;
	const struct profile_view *view;
	const struct durations *durations; /* of merged rows; NULL where the view does not show them */
	struct stream out;
	struct buf frame_bytes;
	struct frame_text *frames;
};

void writer_init(struct text_writer *writer, const struct profile *profile, const struct profile_view *view, FILE *out);
void writer_done(struct text_writer *writer);

/*
 * Adds a frame: a whole line `name+0xoff [module] FILE:LINE` with the parts that the view wants, or `;name` in folded
 * mode; "[unknown]" if it has no name. With view.addresses the caller adds the indent and the address first.
 */
void writer_add_frame(struct text_writer *writer, uint32_t frame);

/* The same for the `nr` frames of a stack, the last one first, as folded lines have them. */
void writer_add_frames(struct text_writer *writer, const uint32_t *frames, uint32_t nr);

/*
 * Adds ":file.c:31", where a source is known: for forms whose names stand side by side. '?' for a place of no line. After a function of an
 * interpreter " (file.py:31)".
 */
void add_short_line(const struct profile *profile, const struct profile_frame *frame, enum escape_form form,
		    struct buf *text);

/* The same with the whole path, for FRAME_INTERPRETER only. */
void add_interpreter_line(const struct profile *profile, const struct profile_frame *frame, enum escape_form form,
			  struct buf *text);

/* Adds what every frame's line begins with: two spaces for stackcount, a tab for stacksnoop, four for profile. */
void writer_add_indent(const struct text_writer *writer, struct buf *text);

/* Adds a name of the profile, escaped as the view needs it. */
void writer_add_name(struct text_writer *writer, string_id string);

/* Whether the view asks for a delimiter between the stacks of this row. */
bool writer_separates(const struct text_writer *writer, const struct merged_row *row);
