/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows with a sleeper and its waker, as bcc's offwaketime and wakeuptime print them. In offwaketime the stacks of the waker
 * stand the other way round, so that the two meet where one wakes the other.
 */
#include <inttypes.h>

#include "core/render/rows.h"

/* In folded lines --per-thread puts the ids behind the name, as elsewhere. */
static void add_name(struct sheet *sheet, const struct profile_record *record)
{
	sheet_add_name(sheet, record->comm);
	if (sheet->view->by_thread && sheet->view->folded)
		buf_addf(&sheet->out.text, "-%" PRIu32 "/%" PRIu32, record->tgid, record->tid);
}

static void add_waker(struct sheet *sheet, const struct merged_row *row)
{
	const char *label = waker_label(sheet->profile, row);

	if (label)
		buf_adds(&sheet->out.text, label);
	else
		add_name(sheet, &sheet->profile->records.data[row->waker]);
}

static void add_sleeper(struct sheet *sheet, const struct merged_row *row)
{
	if (row->lost)
		buf_adds(&sheet->out.text, LABEL_UNKNOWN);
	else
		add_name(sheet, &sheet->profile->records.data[row->sleeper]);
}

/* Both stacks of the sleeper or of the waker. `up`: root first, so the user's before the kernel's. */
static void add_stacks(struct sheet *sheet, bool lost, const struct merged_stack *kernel,
		       const struct merged_stack *user, bool up)
{
	__typeof__(text_label) *add_label = sheet->view->folded ? folded_label : text_label;
	__typeof__(text_stack) *add_stack = sheet->view->folded ? folded_stack : text_stack;

	if (lost)
		add_label(sheet, LABEL_LOST);
	add_stack(sheet, up ? user : kernel, !up, up);
	if (sheet->view->delimited && kernel->nr && user->nr)
		add_label(sheet, "-");
	add_stack(sheet, up ? kernel : user, up, up);
}

/* ---- text ---- */

/* Behind a name: " tid" in offwaketime, " tgid/tid" with --per-thread. `record` is PROFILE_NONE for no thread. */
static void add_ids(struct sheet *sheet, uint32_t record)
{
	static const struct profile_record nobody;
	const struct profile_record *thread = record == PROFILE_NONE ? &nobody : &sheet->profile->records.data[record];

	if (sheet->view->by_thread && thread->tid)
		buf_addf(&sheet->out.text, " %" PRIu32 "/%" PRIu32, thread->tgid, thread->tid);
	else if (sheet->view->style == VIEW_OFFWAKE)
		buf_addf(&sheet->out.text, " %" PRIu32, thread->tid);
	buf_addc(&sheet->out.text, '\n');
}

static void add_waker_line(struct sheet *sheet, const struct merged_row *row)
{
	buf_adds(&sheet->out.text, "    waker:           ");
	add_waker(sheet, row);
	add_ids(sheet, row->waker);
}

static void add_target_line(struct sheet *sheet, const struct merged_row *row)
{
	buf_adds(&sheet->out.text, "    target:          ");
	add_sleeper(sheet, row);
	add_ids(sheet, row->sleeper);
}

void wake_text_row(struct sheet *sheet, const struct merged_row *row)
{
	bool both = sheet->view->style == VIEW_OFFWAKE;

	(both ? add_waker_line : add_target_line)(sheet, row);
	add_stacks(sheet, row->waker_lost, &row->waker_kernel, &row->waker_user, both);
	if (both) {
		text_label(sheet, "--               --");
		add_stacks(sheet, row->lost, &row->kernel, &row->user, false);
	}
	(both ? add_target_line : add_waker_line)(sheet, row);
	buf_addf(&sheet->out.text, "        %" PRIu64 "\n", row_value(sheet->view, row));
	text_durations(sheet, row);
	buf_addc(&sheet->out.text, '\n');
}

/* ---- folded ---- */

void wake_folded_row(struct sheet *sheet, const struct merged_row *row)
{
	bool both = sheet->view->style == VIEW_OFFWAKE;
	size_t line = sheet->out.text.nr;

	(both ? add_sleeper : add_waker)(sheet, row);
	if (both) {
		add_stacks(sheet, row->lost, &row->kernel, &row->user, true);
		folded_label(sheet, "--");
	}
	add_stacks(sheet, row->waker_lost, &row->waker_kernel, &row->waker_user, !both);
	buf_addc(&sheet->out.text, ';');
	(both ? add_waker : add_sleeper)(sheet, row);
	folded_end(sheet, row, line);
}
