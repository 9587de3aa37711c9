/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The format of `perf script`, for FlameScope, speedscope, the Firefox profiler and stackcollapse-perf.pl: one sample per row, with its
 * time, and its value as the period. Readers detect the format by the first line, so nothing precedes the first sample.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/base/escape.h"
#include "core/render/documents.h"
#include "core/render/merge.h"
#include "core/render/render.h"
#include "core/render/text_writer.h"

struct writer {
	const struct profile *profile;
	struct buf *out;
};

static void add_text(struct writer *writer, string_id string)
{
	escape_add(writer->out, profile_string(writer->profile, string), ESCAPE_LINE);
}

/* A line that begins with # would be a comment. Leading spaces are removed, so a command of only spaces is empty. */
static void add_command(struct writer *writer, string_id string)
{
	const char *text = profile_string(writer->profile, string);

	text += strspn(text, " ");
	if (*text == '#')
		buf_addc(writer->out, ' ');
	escape_add(writer->out, *text ? text : LABEL_UNKNOWN, ESCAPE_LINE);
}

/* Replaces spaces, because an event is one word. */
static void add_event(struct writer *writer, string_id string)
{
	size_t at = writer->out->nr;

	escape_add(writer->out, string ? profile_string(writer->profile, string) : "samples", ESCAPE_LINE);
	for (; at < writer->out->nr; at++)
		if (writer->out->data[at] == ' ')
			writer->out->data[at] = '_';
}

/* Kernel modules are in brackets, files have their path, generated code has the name of its perf map or jitdump. */
static void add_dso(struct writer *writer, const struct profile_frame *frame)
{
	const char *module = profile_string(writer->profile, frame->module);

	if (frame->kind == FRAME_USER_FILE) {
		add_text(writer, writer->profile->files.data[frame->file].path);
	} else if (frame->kind == FRAME_KERNEL && (!frame->module || !strcmp(module, "kernel"))) {
		buf_adds(writer->out, "[kernel.kallsyms]");
	} else if (frame->kind == FRAME_KERNEL) {
		buf_addc(writer->out, '[');
		add_text(writer, frame->module);
		buf_addc(writer->out, ']');
	} else if (frame->module) {
		add_text(writer, frame->module);
	} else {
		buf_adds(writer->out,
			 frame->kind == FRAME_TEXT && frame->is_kernel ? "[kernel.kallsyms]" : "[unknown]");
	}
}

static void add_frame(struct writer *writer, uint32_t at)
{
	const struct profile *profile = writer->profile;
	const struct profile_frame *frame = &profile->frames.data[profile->stack_frames.data[at]];

	buf_addf(writer->out, "\t%16" PRIx64 " ", profile->stack_addresses.data[at]);
	if (frame->name)
		add_text(writer, frame->name);
	else
		buf_adds(writer->out, LABEL_UNKNOWN);
	buf_adds(writer->out, frame_mark(frame));
	if (frame->level) {
		buf_adds(writer->out, " (inlined)\n");
		return;
	}
	if (frame->kind == FRAME_INTERPRETER) {
		add_interpreter_line(profile, frame, ESCAPE_LINE, writer->out);
		buf_addc(writer->out, '\n');
		return;
	}
	if (frame->name && frame->kind != FRAME_TEXT)
		buf_addf(writer->out, "+0x%" PRIx64, frame->offset);
	buf_adds(writer->out, " (");
	add_dso(writer, frame);
	buf_adds(writer->out, ")\n");
}

static void add_name(struct writer *writer, const char *text)
{
	buf_addf(writer->out, "\t%16x ", 0);
	escape_add(writer->out, text, ESCAPE_LINE);
	buf_adds(writer->out, " ([unknown])\n");
}

static void add_stack(struct writer *writer, const struct merged_stack *stack)
{
	for (uint32_t i = 0; i < stack->nr; i++)
		add_frame(writer, stack->first + i);
	if (stack_root_label(stack))
		add_name(writer, stack_root_label(stack));
}

/* The waker stands upside down above the sleeper, as in other formats: the innermost frames of both meet. */
static void add_waker(struct writer *writer, const struct merged_row *row)
{
	const struct merged_stack *stacks[] = { &row->waker_user, &row->waker_kernel };
	const char *label = waker_label(writer->profile, row);

	if (label && !*label)
		return;
	add_name(writer,
		 label ? label : profile_string(writer->profile, writer->profile->records.data[row->waker].comm));
	for (size_t i = 0; i < 2; i++)
		for (uint32_t at = stacks[i]->nr; at > 0; at--)
			add_frame(writer, stacks[i]->first + at - 1);
	if (row->waker != PROFILE_NONE)
		add_name(writer, "--");
}

static void add_row(struct writer *writer, const struct merged_row *row)
{
	const struct profile *profile = writer->profile;
	const struct profile_record *record = &profile->records.data[row->sleeper];
	uint32_t cpu = profile->records.data[profile->view.times ? row->record : row->sleeper].cpu;
	uint64_t value = row_value(&profile->view, row);

	if (!value)
		return;
	add_command(writer, record->comm);
	buf_addf(writer->out, " %" PRIu32 "/%" PRIu32 " [%03" PRIu32 "] %" PRIu64 ".%06" PRIu64 ": %10" PRIu64 " ",
		 record->tgid, record->tid ? record->tid : record->tgid, cpu, row->time_ns / NSEC_PER_SEC,
		 row->time_ns / 1000 % 1000000, value);
	add_event(writer, profile->event);
	buf_adds(writer->out, ": \n");
	add_waker(writer, row);
	if (row->lost) {
		add_name(writer, LABEL_LOST);
	} else {
		add_stack(writer, &row->kernel);
		add_stack(writer, &row->user);
	}
	buf_addc(writer->out, '\n');
}

static int compare_times(const void *left, const void *right)
{
	const struct merged_row *a = left, *b = right;

	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	return (a->record > b->record) - (a->record < b->record);
}

void document_perf(const struct profile *profile, const struct profile_interval *intervals, size_t nr,
		   struct stream *stream)
{
	struct writer writer = { profile, &stream->text };
	struct profile_view view = profile->view;

	view.by_name = false;
	for (size_t i = 0; i < nr; i++) {
		_cleanup_(merged_done) struct merged merged = {};

		merge_interval(profile, &intervals[i], &view, APART_RECORDS, &merged);
		if (merged.rows.nr)
			qsort(merged.rows.data, merged.rows.nr, sizeof(*merged.rows.data), compare_times);
		for (size_t at = 0; at < merged.rows.nr && !stream->err; at++) {
			add_row(&writer, &merged.rows.data[at]);
			stream_turn(stream);
		}
		render_add_cut(&intervals[i], writer.out);
	}
}
