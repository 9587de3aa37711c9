/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Folded lines for flame graphs: comm;user root..leaf;[-;]kernel root..leaf count.
 */
#include <inttypes.h>

#include "core/render/rows.h"

void folded_label(struct sheet *sheet, const char *label)
{
	buf_addc(&sheet->out.text, ';');
	buf_adds(&sheet->out.text, label);
}

static void add_labels(struct sheet *sheet, const struct merged_stack *stack, bool kernel)
{
	if (stack->status == STACK_UNREADABLE)
		folded_label(sheet, kernel ? LABEL_MISSED_KERNEL : LABEL_MISSED_USER);
	if (stack_root_label(stack))
		folded_label(sheet, stack_root_label(stack));
}

void folded_stack(struct sheet *sheet, const struct merged_stack *stack, bool kernel, bool up)
{
	if (up)
		add_labels(sheet, stack, kernel);
	if (up && stack->nr)
		sheet_add_frames(sheet, &sheet->profile->stack_frames.data[stack->first], stack->nr);
	for (uint32_t i = 0; !up && i < stack->nr; i++)
		sheet_add_frame(sheet, sheet->profile->stack_frames.data[stack->first + i]);
	if (!up)
		add_labels(sheet, stack, kernel);
}

/* Root first, each frame with a mark; an inlined call has its own. */
static void add_marked_kernel(struct sheet *sheet, const struct merged_stack *stack)
{
	add_labels(sheet, stack, true);
	for (uint32_t i = stack->nr; i > 0; i--) {
		uint32_t frame = sheet->profile->stack_frames.data[stack->first + i - 1];

		sheet_add_frame(sheet, frame);
		if (!sheet->profile->frames.data[frame].level)
			buf_adds(&sheet->out.text, "_[k]");
	}
}

static void add_comm(struct sheet *sheet, const struct merged_row *row)
{
	const struct profile_record *record = &sheet->profile->records.data[row->sleeper];

	if (row->lost && (sheet->view->style == VIEW_PROFILE || view_shows_time(sheet->view)))
		buf_adds(&sheet->out.text, LABEL_UNKNOWN);
	else if (view_shows_process(sheet->view))
		sheet_add_name(sheet, record->comm);
	if (sheet->view->by_thread) /* as stackcollapse-perf.pl --tid */
		buf_addf(&sheet->out.text, "-%" PRIu32 "/%" PRIu32, record->tgid, record->tid);
}

void folded_end(struct sheet *sheet, const struct merged_row *row, size_t line)
{
	escape_last_number(&sheet->out.text, line);
	buf_addc(&sheet->out.text, ' ');
	buf_addu(&sheet->out.text, row_value(sheet->view, row));
	buf_addc(&sheet->out.text, '\n');
}

void folded_row(struct sheet *sheet, const struct merged_row *row)
{
	size_t line = sheet->out.text.nr;

	add_comm(sheet, row);
	if (row->lost) {
		folded_label(sheet, LABEL_LOST);
	} else {
		folded_stack(sheet, &row->user, false, true);
		if (sheet_separates(sheet, row))
			folded_label(sheet, "-");
		if (sheet->view->annotate)
			add_marked_kernel(sheet, &row->kernel);
		else
			folded_stack(sheet, &row->kernel, true, true);
	}
	if (row->reason == WAKER_UNFINISHED)
		folded_label(sheet, LABEL_UNFINISHED);
	folded_end(sheet, row, line);
}
