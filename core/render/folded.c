/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Folded lines for flame graphs: comm;user root..leaf;[-;]kernel root..leaf count.
 *
 * A reader takes the last space as the border to the count, so spaces inside names may stay. One exception:
 * flamegraph.pl and inferno read two numbers at the end as two columns ("before after"), so the space of a last
 * element that ends in a number is escaped.
 */
#include <ctype.h>
#include <inttypes.h>

#include "core/render/sheet.h"

static void add_label(struct sheet *sheet, const char *label)
{
	buf_addc(&sheet->out.text, ';');
	buf_adds(&sheet->out.text, label);
}

static void add_stack(struct sheet *sheet, const struct merged_stack *stack, const char *missed, bool annotate)
{
	const uint32_t *frames;

	if (stack->status == STACK_UNREADABLE)
		add_label(sheet, missed);
	if (stack_root_label(stack))
		add_label(sheet, stack_root_label(stack));
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

/* If the line so far ends in a space and a number, escapes the space. */
static void guard_count(struct buf *text, size_t line)
{
	static const char escaped[] = "\\x20";
	struct buf number = {};
	size_t at = text->nr;

	while (at > line && (isdigit((unsigned char)text->data[at - 1]) || text->data[at - 1] == '.'))
		at--;
	if (at == text->nr || at == line || text->data[at - 1] != ' ')
		return;
	buf_add(&number, text->data + at, text->nr - at);
	text->nr = at - 1;
	buf_adds(text, escaped);
	buf_add(text, number.data, number.nr);
	buf_done(&number);
}

void folded_end(struct sheet *sheet, const struct merged_row *row, size_t line)
{
	guard_count(&sheet->out.text, line);
	buf_addc(&sheet->out.text, ' ');
	buf_addu(&sheet->out.text, row_value(sheet->view, row));
	buf_addc(&sheet->out.text, '\n');
}

void folded_row(struct sheet *sheet, const struct merged_row *row)
{
	size_t line = sheet->out.text.nr;

	add_comm(sheet, row);
	if (row->lost) {
		add_label(sheet, LABEL_LOST);
	} else {
		add_stack(sheet, &row->user, LABEL_MISSED_USER, false);
		if (sheet_separates(sheet, row))
			add_label(sheet, "-");
		add_stack(sheet, &row->kernel, LABEL_MISSED_KERNEL, sheet->view->annotate);
	}
	if (row->reason == WAKER_UNFINISHED)
		add_label(sheet, LABEL_UNFINISHED);
	folded_end(sheet, row, line);
}
