/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/render/text_writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/escape.h"
#include "core/base/names.h"

enum {
	SHORT_NAME = 64, /* bytes of a frame's text that are copied without a call */
	ROW_MAX_BYTES = 256 << 20, /* 131,070 frames with a name of 2 KB */
};

void writer_init(struct text_writer *writer, const struct profile *profile, const struct profile_view *view, FILE *out)
{
	*writer = (struct text_writer){
		.profile = profile,
		.view = view,
		.out = { .out = out },
		.frames = xcalloc(profile->frames.nr, sizeof(*writer->frames)),
	};
}

void writer_done(struct text_writer *writer)
{
	stream_done(&writer->out);
	buf_done(&writer->frame_bytes);
	free(writer->frames);
	writer->frames = NULL;
}

void writer_add_indent(const struct text_writer *writer, struct buf *text)
{
	static const char *const indents[VIEW_NR_STYLES] = { [VIEW_STACKCOUNT] = "  ", [VIEW_SNOOP] = "\t" };
	const char *indent = indents[writer->view->style];

	buf_adds(text, indent ? indent : "    ");
}

static void add_line_number(const struct profile_frame *frame, struct buf *text)
{
	if (frame->line)
		buf_addf(text, ":%u", frame->line);
	else
		buf_adds(text, ":?");
}

static void add_path_line(const char *path, const struct profile_frame *frame, enum escape_form form, struct buf *text)
{
	escape_add(text, path, form);
	add_line_number(frame, text);
}

void add_short_line(const struct profile *profile, const struct profile_frame *frame, enum escape_form form,
		    struct buf *text)
{
	const char *path = path_name(profile_string(profile, frame->source));

	buf_adds(text, frame->kind == FRAME_INTERPRETER ? " (" : ":");
	add_path_line(path, frame, form, text);
	if (frame->kind == FRAME_INTERPRETER)
		buf_addc(text, ')');
}

void add_interpreter_line(const struct profile *profile, const struct profile_frame *frame, enum escape_form form,
			  struct buf *text)
{
	buf_adds(text, " (");
	add_path_line(profile_string(profile, frame->source), frame, form, text);
	buf_addc(text, ')');
}

/* As in bcc, folded lines have only names, but "FILE![unknown]". Source lines are added as in stackcollapse-perf.pl. */
static void make_folded(struct text_writer *writer, const struct profile_frame *frame, struct buf *text)
{
	buf_addc(text, ';');
	if (frame_shows_file(writer->profile, writer->view, frame)) {
		escape_add(text, profile_string(writer->profile, frame->module), ESCAPE_FOLDED);
		buf_addc(text, '!');
	}
	if (frame->name)
		escape_add(text, profile_string(writer->profile, frame->name),
			   frame->kind == FRAME_TEXT ? ESCAPE_LINE : ESCAPE_FOLDED);
	else
		buf_adds(text, LABEL_UNKNOWN);
	buf_adds(text, frame_mark(frame));
	if (frame->source)
		add_short_line(writer->profile, frame, ESCAPE_FOLDED, text);
	if (frame->level && writer->view->annotate)
		buf_adds(text, "_[i]");
}

static void make_line(struct text_writer *writer, const struct profile_frame *frame, struct buf *text)
{
	const struct profile_view *view = writer->view;

	if (!view->addresses)
		writer_add_indent(writer, text);
	if (frame->name)
		escape_add(text, profile_string(writer->profile, frame->name),
			   frame->kind == FRAME_TEXT ? ESCAPE_LINE : ESCAPE_NAME);
	else
		buf_adds(text, LABEL_UNKNOWN);
	if (frame->kind == FRAME_INTERPRETER) {
		add_interpreter_line(writer->profile, frame, ESCAPE_NAME, text);
		buf_addc(text, '\n');
		return;
	}
	buf_adds(text, frame_mark(frame));
	if (frame->level)
		buf_adds(text, " (inlined)");
	else if (view->offsets && frame->name && frame->kind != FRAME_TEXT)
		buf_addf(text, "+0x%jx", (uintmax_t)frame->offset);
	if (view->modules && frame->module) {
		buf_adds(text, " [");
		escape_add(text, profile_string(writer->profile, frame->module), ESCAPE_MODULE);
		buf_addc(text, ']');
	}
	if (frame->source) {
		buf_addc(text, ' ');
		escape_add(text, profile_string(writer->profile, frame->source), ESCAPE_NAME);
		add_line_number(frame, text);
	}
	buf_addc(text, '\n');
}

static void make_text(struct text_writer *writer, uint32_t frame, struct frame_text *ret_text)
{
	const struct profile_frame *place = &writer->profile->frames.data[frame];
	size_t start = writer->frame_bytes.nr;

	if (writer->view->folded)
		make_folded(writer, place, &writer->frame_bytes);
	else
		make_line(writer, place, &writer->frame_bytes);
	*ret_text = (struct frame_text){ start, writer->frame_bytes.nr - start };
	vec_reserve(&writer->frame_bytes, writer->frame_bytes.nr + SHORT_NAME);
	memset(writer->frame_bytes.data + writer->frame_bytes.nr, 0, SHORT_NAME);
}

/*
 * An inlined buf_add(), because it runs for every frame of every row. Copying a fixed number of bytes needs no call, and most names are
 * short; make_text() makes so many bytes readable after each name.
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

void writer_add_frame(struct text_writer *writer, uint32_t frame)
{
	struct frame_text *text = &writer->frames[frame];

	/* A hostile profile of 1 KB can unpack to a stack of 131,070 frames with a name of 1 MB. */
	if (writer->out.text.nr > ROW_MAX_BYTES)
		writer->out.err = writer->out.err ?: -EFBIG;
	if (writer->out.err)
		return;
	if (!text->length)
		make_text(writer, frame, text);
	add_quickly(&writer->out.text, writer->frame_bytes.data + text->start, text->length);
}

/* Adds frames, last first, while their text exists and is short; returns the number left. Prints 100,000 stacks 5 % faster. */
static uint32_t add_short_names(struct text_writer *writer, const uint32_t *frames, uint32_t nr)
{
	const struct frame_text *texts = writer->frames;
	const char *bytes = writer->frame_bytes.data;
	char *at, *end;

	if (writer->out.text.room <= SHORT_NAME)
		return nr;
	at = writer->out.text.data + writer->out.text.nr;
	end = writer->out.text.data + writer->out.text.room - SHORT_NAME - 1;
	for (; nr && at < end; nr--) {
		const struct frame_text *text = &texts[frames[nr - 1]];

		if (!text->length || text->length > SHORT_NAME)
			break;
		memcpy(at, bytes + text->start, SHORT_NAME);
		at += text->length;
	}
	writer->out.text.nr = (size_t)(at - writer->out.text.data);
	writer->out.text.data[writer->out.text.nr] = '\0';
	return nr;
}

void writer_add_frames(struct text_writer *writer, const uint32_t *frames, uint32_t nr)
{
	while (nr) {
		nr = add_short_names(writer, frames, nr);
		if (nr)
			writer_add_frame(writer, frames[--nr]);
	}
}

void writer_add_name(struct text_writer *writer, string_id string)
{
	escape_add(&writer->out.text, profile_string(writer->profile, string),
		   writer->view->folded ? ESCAPE_FOLDED : ESCAPE_NAME);
}

/* stackcount always prints a delimiter if the view has both stacks, profile only if the row has both. */
bool writer_separates(const struct text_writer *writer, const struct merged_row *row)
{
	const struct profile_view *view = writer->view;

	if (!view->delimited || !view->want_kernel || !view->want_user)
		return false;
	return view->style == VIEW_STACKCOUNT || (row->kernel.nr && row->user.nr);
}
