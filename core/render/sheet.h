/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sheet a report is written on: what to show, the escaped text of every frame (made once per frame, because a
 * frame is in many stacks), and the text so far, handed to the stream in large pieces. Private to render/.
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

struct sheet {
	const struct profile *profile;
	const struct profile_view *view;
	const struct durations *durations; /* of merged rows; NULL where the view does not show them */
	struct stream out;
	struct buf frame_bytes;
	struct frame_text *frames;
};

void sheet_init(struct sheet *sheet, const struct profile *profile, const struct profile_view *view, FILE *out);
void sheet_done(struct sheet *sheet);

/*
 * Adds a frame with what surrounds it: a line `name+0xoff [module] FILE:LINE` with its indent and end, as far as the view
 * asks for it, or `;name` in folded mode; "[unknown]" stands for a name that is not known. With view.addresses the line
 * begins behind the address: sheet_add_indent() and the address come first.
 */
void sheet_add_frame(struct sheet *sheet, uint32_t frame);

/* The same for the `nr` frames of a stack, the last one first, as folded lines have them. */
void sheet_add_frames(struct sheet *sheet, const uint32_t *frames, uint32_t nr);

/* Adds ":file.c:31", where a source is known: for forms whose names stand side by side. '?' for a place of no line. */
void add_short_line(const struct profile *profile, const struct profile_frame *frame, enum escape_form form,
		    struct buf *text);

/* Adds what every frame's line begins with: two spaces for stackcount, a tab for stacksnoop, four for profile. */
void sheet_add_indent(const struct sheet *sheet, struct buf *text);

/* Adds a name of the profile, escaped as the view needs it. */
void sheet_add_name(struct sheet *sheet, string_id string);

/* Whether the view asks for a delimiter between the stacks of this row. */
bool sheet_separates(const struct sheet *sheet, const struct merged_row *row);
