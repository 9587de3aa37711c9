/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/render/sheet.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/escape.h"
#include "core/base/names.h"

enum {
	SHORT_NAME = 64, /* bytes with what stands before it */
	ROW_MAX_BYTES = 256 << 20, /* 131,070 frames with 2 KB of name each */
};

void sheet_init(struct sheet *sheet, const struct profile *profile, const struct profile_view *view, FILE *out)
{
	*sheet = (struct sheet){
		.profile = profile,
		.view = view,
		.out = { .out = out },
		.frames = xcalloc(profile->frames.nr, sizeof(*sheet->frames)),
	};
}

void sheet_done(struct sheet *sheet)
{
	stream_done(&sheet->out);
	buf_done(&sheet->frame_bytes);
	free(sheet->frames);
	sheet->frames = NULL;
}

void sheet_add_indent(const struct sheet *sheet, struct buf *text)
{
	static const char *const indents[VIEW_NR_STYLES] = { [VIEW_STACKCOUNT] = "  ", [VIEW_SNOOP] = "\t" };
	const char *indent = indents[sheet->view->style];

	buf_adds(text, indent ? indent : "    ");
}

static void add_line_number(const struct profile_frame *frame, struct buf *text)
{
	if (frame->line)
		buf_addf(text, ":%u", frame->line);
	else
		buf_adds(text, ":?");
}

void add_short_line(const struct profile *profile, const struct profile_frame *frame, enum escape_form form,
		    struct buf *text)
{
	buf_addc(text, ':');
	escape_add(text, path_name(profile_string(profile, frame->source)), form);
	add_line_number(frame, text);
}

/* Folded lines are names alone, as bcc's are, but for source lines, which are asked for: as stackcollapse-perf.pl has them. */
static void make_folded(struct sheet *sheet, const struct profile_frame *frame, struct buf *text)
{
	buf_addc(text, ';');
	if (frame->name)
		escape_add(text, profile_string(sheet->profile, frame->name),
			   frame->kind == FRAME_TEXT ? ESCAPE_LINE : ESCAPE_FOLDED);
	else
		buf_adds(text, LABEL_UNKNOWN);
	if (frame->source)
		add_short_line(sheet->profile, frame, ESCAPE_FOLDED, text);
	if (frame->level && sheet->view->annotate)
		buf_adds(text, "_[i]");
}

static void make_line(struct sheet *sheet, const struct profile_frame *frame, struct buf *text)
{
	const struct profile_view *view = sheet->view;

	if (!view->addresses)
		sheet_add_indent(sheet, text);
	if (frame->name)
		escape_add(text, profile_string(sheet->profile, frame->name),
			   frame->kind == FRAME_TEXT ? ESCAPE_LINE : ESCAPE_NAME);
	else
		buf_adds(text, LABEL_UNKNOWN);
	if (frame->level)
		buf_adds(text, " (inlined)");
	else if (view->offsets && frame->name && frame->kind != FRAME_TEXT)
		buf_addf(text, "+0x%jx", (uintmax_t)frame->offset);
	if (view->modules && frame->module) {
		buf_adds(text, " [");
		escape_add(text, profile_string(sheet->profile, frame->module), ESCAPE_MODULE);
		buf_addc(text, ']');
	}
	if (frame->source) {
		buf_addc(text, ' ');
		escape_add(text, profile_string(sheet->profile, frame->source), ESCAPE_NAME);
		add_line_number(frame, text);
	}
	buf_addc(text, '\n');
}

static void make_text(struct sheet *sheet, uint32_t frame, struct frame_text *ret_text)
{
	const struct profile_frame *place = &sheet->profile->frames.data[frame];
	size_t start = sheet->frame_bytes.nr;

	if (sheet->view->folded)
		make_folded(sheet, place, &sheet->frame_bytes);
	else
		make_line(sheet, place, &sheet->frame_bytes);
	*ret_text = (struct frame_text){ start, sheet->frame_bytes.nr - start };
	vec_reserve(&sheet->frame_bytes, sheet->frame_bytes.nr + SHORT_NAME);
	memset(sheet->frame_bytes.data + sheet->frame_bytes.nr, 0, SHORT_NAME);
}

/*
 * As buf_add(), inline: this runs once for every frame of every row. Most names are short, and to copy a fixed number of
 * bytes (there are as many behind each) takes no call.
 */
static inline void add_quickly(struct buf *text, const char *bytes, size_t nr_bytes)
{
	if (text->room - text->nr <= nr_bytes + SHORT_NAME)
		vec_reserve(text, text->nr + nr_bytes + SHORT_NAME + 1);
	if (nr_bytes <= SHORT_NAME)
		memcpy(text->data + text->nr, bytes, SHORT_NAME);
	else
		memcpy(text->data + text->nr, bytes, nr_bytes);
	text->nr += nr_bytes;
	text->data[text->nr] = '\0';
}

void sheet_add_frame(struct sheet *sheet, uint32_t frame)
{
	struct frame_text *text = &sheet->frames[frame];

	/* A saved profile of 1 KB can have a stack of as many frames with a name of 1 MB. */
	if (sheet->out.text.nr > ROW_MAX_BYTES)
		sheet->out.err = sheet->out.err ?: -EFBIG;
	if (sheet->out.err)
		return;
	if (!text->length)
		make_text(sheet, frame, text);
	add_quickly(&sheet->out.text, sheet->frame_bytes.data + text->start, text->length);
}

/*
 * The short names that have been made already; returns how many are left, from the leaf. Beside sheet_add_frame() for each this saves
 * 5 % of a report of 100,000 stacks.
 */
static uint32_t add_short_names(struct sheet *sheet, const uint32_t *frames, uint32_t nr)
{
	const struct frame_text *texts = sheet->frames;
	const char *bytes = sheet->frame_bytes.data;
	char *at, *end;

	if (sheet->out.text.room <= SHORT_NAME)
		return nr;
	at = sheet->out.text.data + sheet->out.text.nr;
	end = sheet->out.text.data + sheet->out.text.room - SHORT_NAME - 1;
	for (; nr && at < end; nr--) {
		const struct frame_text *text = &texts[frames[nr - 1]];

		if (!text->length || text->length > SHORT_NAME)
			break;
		memcpy(at, bytes + text->start, SHORT_NAME);
		at += text->length;
	}
	sheet->out.text.nr = (size_t)(at - sheet->out.text.data);
	sheet->out.text.data[sheet->out.text.nr] = '\0';
	return nr;
}

void sheet_add_frames(struct sheet *sheet, const uint32_t *frames, uint32_t nr)
{
	while (nr) {
		nr = add_short_names(sheet, frames, nr);
		if (nr)
			sheet_add_frame(sheet, frames[--nr]);
	}
}

void sheet_add_name(struct sheet *sheet, string_id string)
{
	escape_add(&sheet->out.text, profile_string(sheet->profile, string),
		   sheet->view->folded ? ESCAPE_FOLDED : ESCAPE_NAME);
}

/* stackcount always separates when both stacks were asked for; profile only when both are there. */
bool sheet_separates(const struct sheet *sheet, const struct merged_row *row)
{
	const struct profile_view *view = sheet->view;

	if (!view->delimited || !view->want_kernel || !view->want_user)
		return false;
	return view->style == VIEW_STACKCOUNT || (row->kernel.nr && row->user.nr);
}
