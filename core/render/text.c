/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows as bcc prints them without -f: one frame per line, leaf first, kernel above user, then the process, the count
 * and an empty line. stackcount and profile differ in nearly every detail of it.
 */
#include <inttypes.h>

#include "core/render/sheet.h"

static bool is_stackcount(const struct sheet *sheet)
{
	return sheet->view->style == VIEW_STACKCOUNT;
}

void text_label(struct sheet *sheet, const char *label)
{
	sheet_add_indent(sheet, &sheet->out.text);
	buf_adds(&sheet->out.text, label);
	buf_addc(&sheet->out.text, '\n');
}

/* The column widths are those of bcc: stackcount -v, and profile -A for either kind of stack. */
static void add_address(struct sheet *sheet, uint64_t address, bool kernel)
{
	sheet_add_indent(sheet, &sheet->out.text);
	if (is_stackcount(sheet) || sheet->view->style == VIEW_WAKE)
		buf_addf(&sheet->out.text, "%-16" PRIx64 " ", address);
	else if (kernel)
		buf_addf(&sheet->out.text, "0x%-16" PRIx64 " ", address);
	else
		buf_addf(&sheet->out.text, "0x%016" PRIx64 " ", address);
}

void text_frame(struct sheet *sheet, uint32_t at, bool kernel)
{
	if (sheet->view->addresses)
		add_address(sheet, sheet->profile->stack_addresses.data[at], kernel);
	sheet_add_frame(sheet, sheet->profile->stack_frames.data[at]);
}

void text_stack(struct sheet *sheet, const struct merged_stack *stack, bool kernel)
{
	if (stack->status == STACK_UNREADABLE)
		text_label(sheet, kernel ? LABEL_MISSED_KERNEL : LABEL_MISSED_USER);
	for (uint32_t at = stack->first; at < stack->first + stack->nr; at++)
		text_frame(sheet, at, kernel);
	if (stack_root_label(stack))
		text_label(sheet, stack_root_label(stack));
}

static void add_stacks(struct sheet *sheet, const struct merged_row *row)
{
	if (row->reason == WAKER_UNFINISHED)
		text_label(sheet, LABEL_UNFINISHED);
	if (row->lost) {
		text_label(sheet, LABEL_LOST);
		return;
	}
	text_stack(sheet, &row->kernel, true);
	if (sheet_separates(sheet, row))
		buf_adds(&sheet->out.text, "    --\n");
	text_stack(sheet, &row->user, false);
}

/* "tgid" or "tgid/tid"; what times tell of is a thread's. */
static void add_ids(struct sheet *sheet, const struct profile_record *record)
{
	bool both = sheet->view->by_thread;

	buf_addu(&sheet->out.text, sheet->view->style == VIEW_OFFCPU && !both ? record->tid : record->tgid);
	if (both)
		buf_addf(&sheet->out.text, "/%" PRIu32, record->tid);
}

/* "    comm [pid]"; a row of which no process is known has none. */
static void add_stackcount_process(struct sheet *sheet, const struct profile_record *record)
{
	const struct profile_view *view = sheet->view;

	if (!view->per_process || view->no_process_line || (!record->tgid && !record->comm))
		return;
	buf_adds(&sheet->out.text, "    ");
	sheet_add_name(sheet, record->comm);
	buf_adds(&sheet->out.text, " [");
	add_ids(sheet, record);
	buf_adds(&sheet->out.text, "]\n");
}

static void add_profile_process(struct sheet *sheet, const struct merged_row *row, const struct profile_record *record)
{
	buf_adds(&sheet->out.text, "    -                ");
	if (row->lost)
		buf_adds(&sheet->out.text, LABEL_UNKNOWN);
	else
		sheet_add_name(sheet, record->comm);
	buf_adds(&sheet->out.text, " (");
	add_ids(sheet, record);
	buf_adds(&sheet->out.text, ")\n");
}

void text_row(struct sheet *sheet, const struct merged_row *row)
{
	const struct profile_record *record = &sheet->profile->records.data[row->sleeper];

	add_stacks(sheet, row);
	if (is_stackcount(sheet)) {
		add_stackcount_process(sheet, record);
		buf_adds(&sheet->out.text, "    ");
		buf_addu(&sheet->out.text, row->count);
	} else {
		add_profile_process(sheet, row, record);
		buf_adds(&sheet->out.text, "        ");
		buf_addu(&sheet->out.text, row_value(sheet->view, row));
	}
	buf_addc(&sheet->out.text, '\n');
	text_durations(sheet, row);
	buf_addc(&sheet->out.text, '\n');
}
