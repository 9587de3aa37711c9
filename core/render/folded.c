/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Folded lines for flame graphs: comm;user root..leaf;[-;]kernel root..leaf count. */
#include <inttypes.h>

#include "core/render/rows.h"

void folded_label(struct text_writer *writer, const char *label)
{
	buf_addc(&writer->out.text, ';');
	buf_adds(&writer->out.text, label);
}

static void add_labels(struct text_writer *writer, const struct merged_stack *stack, bool kernel)
{
	if (stack->status == STACK_UNREADABLE)
		folded_label(writer, kernel ? LABEL_MISSED_KERNEL : LABEL_MISSED_USER);
	if (stack_root_label(stack))
		folded_label(writer, stack_root_label(stack));
}

void folded_stack(struct text_writer *writer, const struct merged_stack *stack, bool kernel, bool up)
{
	if (up)
		add_labels(writer, stack, kernel);
	if (up && stack->nr)
		writer_add_frames(writer, &writer->profile->stack_frames.data[stack->first], stack->nr);
	for (uint32_t i = 0; !up && i < stack->nr; i++)
		writer_add_frame(writer, writer->profile->stack_frames.data[stack->first + i]);
	if (!up)
		add_labels(writer, stack, kernel);
}

/* Adds frames root first, each with a mark; inlined calls have their own mark. */
static void add_marked_kernel(struct text_writer *writer, const struct merged_stack *stack)
{
	add_labels(writer, stack, true);
	for (uint32_t i = stack->nr; i > 0; i--) {
		uint32_t frame = writer->profile->stack_frames.data[stack->first + i - 1];

		writer_add_frame(writer, frame);
		if (!writer->profile->frames.data[frame].level)
			buf_adds(&writer->out.text, "_[k]");
	}
}

static void add_comm(struct text_writer *writer, const struct merged_row *row)
{
	const struct profile_record *record = &writer->profile->records.data[row->sleeper];

	if (row->lost && (writer->view->style == VIEW_PROFILE || view_shows_time(writer->view)))
		buf_adds(&writer->out.text, LABEL_UNKNOWN);
	else if (view_shows_process(writer->view))
		writer_add_name(writer, record->comm);
	if (writer->view->by_thread) /* as in stackcollapse-perf.pl --tid */
		buf_addf(&writer->out.text, "-%" PRIu32 "/%" PRIu32, record->tgid, record->tid);
}

void folded_end(struct text_writer *writer, const struct merged_row *row, size_t line)
{
	escape_last_number(&writer->out.text, line);
	buf_addc(&writer->out.text, ' ');
	buf_addu(&writer->out.text, row_value(writer->view, row));
	buf_addc(&writer->out.text, '\n');
}

void folded_row(struct text_writer *writer, const struct merged_row *row)
{
	size_t line = writer->out.text.nr;

	add_comm(writer, row);
	if (row->lost) {
		folded_label(writer, LABEL_LOST);
	} else {
		folded_stack(writer, &row->user, false, true);
		if (writer_separates(writer, row))
			folded_label(writer, "-");
		if (writer->view->annotate)
			add_marked_kernel(writer, &row->kernel);
		else
			folded_stack(writer, &row->kernel, true, true);
	}
	if (row->reason == WAKER_UNFINISHED)
		folded_label(writer, LABEL_UNFINISHED);
	folded_end(writer, row, line);
}
