/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Folded lines for flame graphs: comm;user root..leaf;[-;]kernel root..leaf count.
 */
#include <inttypes.h>

#include "core/render/sheet.h"

void folded_label(struct sheet *sheet, const char *label)
{
	buf_addc(&sheet->out.text, ';');
	buf_adds(&sheet->out.text, label);
}

void folded_missing(struct sheet *sheet, const struct merged_stack *stack, const char *missed)
{
	if (stack->status == STACK_UNREADABLE)
		folded_label(sheet, missed);
	if (stack_root_label(stack))
		folded_label(sheet, stack_root_label(stack));
}

void folded_stack(struct sheet *sheet, const struct merged_stack *stack, const char *missed, bool annotate)
{
	const uint32_t *frames;

	folded_missing(sheet, stack, missed);
	if (!stack->nr)
		return;
	frames = sheet->profile->stack_frames.data + stack->first;
	if (!annotate) {
		sheet_add_frames(sheet, frames, stack->nr);
		return;
	}
	for (uint32_t i = stack->nr; i > 0; i--) {
		sheet_add_frame(sheet, frames[i - 1]);
		if (!sheet->profile->frames.data[frames[i - 1]].level) /* an inlined call has its own mark */
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
		folded_stack(sheet, &row->user, LABEL_MISSED_USER, false);
		if (sheet_separates(sheet, row))
			folded_label(sheet, "-");
		folded_stack(sheet, &row->kernel, LABEL_MISSED_KERNEL, sheet->view->annotate);
	}
	if (row->reason == WAKER_UNFINISHED)
		folded_label(sheet, LABEL_UNFINISHED);
	folded_end(sheet, row, line);
}
