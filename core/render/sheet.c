/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/render/sheet.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/escape.h"

enum {
	SHEET_BYTES = 256 * 1024
};

void sheet_init(struct sheet *sheet, const struct profile *profile, const struct profile_view *view, FILE *out)
{
	*sheet = (struct sheet){
		.profile = profile,
		.view = view,
		.out = out,
		.frames = xcalloc(profile->frames.nr, sizeof(*sheet->frames)),
	};
}

void sheet_done(struct sheet *sheet)
{
	buf_done(&sheet->text);
	buf_done(&sheet->frame_bytes);
	free(sheet->frames);
	sheet->frames = NULL;
}

static void hand_over(struct sheet *sheet)
{
	errno = 0;
	if (!sheet->err && sheet->text.nr && fwrite(sheet->text.data, 1, sheet->text.nr, sheet->out) != sheet->text.nr)
		sheet->err = errno ? -errno : -EIO;
	buf_clear(&sheet->text);
}

void sheet_turn(struct sheet *sheet)
{
	if (sheet->text.nr >= SHEET_BYTES)
		hand_over(sheet);
}

int sheet_finish(struct sheet *sheet)
{
	hand_over(sheet);
	return sheet->err;
}

/* Folded lines are names alone, as bcc's are, whatever the view says for text. */
static void make_text(struct sheet *sheet, const struct profile_frame *frame, struct buf *text)
{
	const struct profile_view *view = sheet->view;
	const char *name = profile_string(sheet->profile, frame->name);

	if (frame->name)
		escape_add(text, name, view->folded ? ESCAPE_FOLDED : ESCAPE_NAME);
	else
		buf_adds(text, LABEL_UNKNOWN);
	if (view->folded)
		return;
	if (view->offsets && frame->name)
		buf_addf(text, "+0x%jx", (uintmax_t)frame->offset);
	if (view->modules && frame->module) {
		buf_adds(text, " [");
		escape_add(text, profile_string(sheet->profile, frame->module), ESCAPE_MODULE);
		buf_addc(text, ']');
	}
}

void sheet_add_frame(struct sheet *sheet, uint32_t frame)
{
	struct frame_text *text = &sheet->frames[frame];

	if (!text->length) {
		text->start = sheet->frame_bytes.nr;
		make_text(sheet, &sheet->profile->frames.data[frame], &sheet->frame_bytes);
		text->length = sheet->frame_bytes.nr - text->start;
	}
	buf_add(&sheet->text, sheet->frame_bytes.data + text->start, text->length);
}

void sheet_add_name(struct sheet *sheet, uint32_t string)
{
	escape_add(&sheet->text, profile_string(sheet->profile, string),
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
