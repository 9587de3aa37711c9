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

/*
 * Stands in for the name of a waker: an interrupt, or why there is none; "" where nobody asked for one, NULL when there is
 * a name.
 */
const char *waker_label(const struct profile *profile, const struct merged_row *row);

/* The label at the root end of a stack that is not whole; NULL for one that is. */
const char *stack_root_label(const struct merged_stack *stack);

/* One row in the form of the view, with everything that ends it. */
void text_row(struct sheet *sheet, const struct merged_row *row);
void folded_row(struct sheet *sheet, const struct merged_row *row);
void event_row(struct sheet *sheet, const struct merged_row *row,
	       const struct profile_interval *interval); /* VIEW_SNOOP */
void wake_text_row(struct sheet *sheet, const struct merged_row *row);   /* VIEW_OFFWAKE, VIEW_WAKE */
void wake_folded_row(struct sheet *sheet, const struct merged_row *row); /* the same */

/* Parts of rows that several forms have: a label or a stack as lines, and those of folded lines, root first. */
void text_label(struct sheet *sheet, const char *label);
void text_frame(struct sheet *sheet, uint32_t at, bool kernel); /* the frame at this place of stack_frames */
void text_stack(struct sheet *sheet, const struct merged_stack *stack, bool kernel);
void text_durations(struct sheet *sheet, const struct merged_row *row); /* lines below its number */
void text_all_durations(struct sheet *sheet, const struct profile_interval *interval);
void folded_label(struct sheet *sheet, const char *label);
void folded_missing(struct sheet *sheet, const struct merged_stack *stack, const char *missed); /* the labels alone */
void folded_stack(struct sheet *sheet, const struct merged_stack *stack, const char *missed, bool annotate);
void folded_end(struct sheet *sheet, const struct merged_row *row, size_t line);

/*
 * Frames that stand for something that is not there. They begin with '[', which escape.h keeps names from doing.
 * The two of bcc keep bcc's words.
 */
#define LABEL_UNKNOWN "[unknown]"
#define LABEL_MISSED_KERNEL "[Missed Kernel Stack]"
#define LABEL_MISSED_USER "[Missed User Stack]"
#define LABEL_TRUNCATED "[truncated]"
#define LABEL_CUT "[truncated by --max-depth]"
#define LABEL_LOST "[stack lost: ring full]"
#define LABEL_UNFINISHED "[unfinished]"
