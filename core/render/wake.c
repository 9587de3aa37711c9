/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of a sleeper and its waker, as in bcc. In offwaketime the waker is upside down: the innermost functions of both are adjacent. */
#include <inttypes.h>

#include "core/render/rows.h"

/* In folded lines, --per-thread adds the ids to the name. */
static void add_name(struct text_writer *writer, const struct profile_record *record)
{
	writer_add_name(writer, record->comm);
	if (writer->view->by_thread && writer->view->folded)
		buf_addf(&writer->out.text, "-%" PRIu32 "/%" PRIu32, record->tgid, record->tid);
}

static void add_waker(struct text_writer *writer, const struct merged_row *row)
{
	const char *label = waker_label(writer->profile, row);

	if (label)
		buf_adds(&writer->out.text, label);
	else
		add_name(writer, &writer->profile->records.data[row->waker]);
}

static void add_sleeper(struct text_writer *writer, const struct merged_row *row)
{
	if (row->lost)
		buf_adds(&writer->out.text, LABEL_UNKNOWN);
	else
		add_name(writer, &writer->profile->records.data[row->sleeper]);
}

/* Adds both stacks of the sleeper or of the waker. `up`: root first, so user before kernel. */
static void add_stacks(struct text_writer *writer, bool lost, const struct merged_stack *kernel,
		       const struct merged_stack *user, bool up)
{
	__typeof__(text_label) *add_label = writer->view->folded ? folded_label : text_label;
	__typeof__(text_stack) *add_stack = writer->view->folded ? folded_stack : text_stack;

	if (lost)
		add_label(writer, LABEL_LOST);
	add_stack(writer, up ? user : kernel, !up, up);
	if (writer->view->delimited && kernel->nr && user->nr)
		add_label(writer, "-");
	add_stack(writer, up ? kernel : user, up, up);
}

/* Adds after a name: " tid" in offwaketime, " tgid/tid" with --per-thread. `record` PROFILE_NONE: no thread. */
static void add_ids(struct text_writer *writer, uint32_t record)
{
	static const struct profile_record nobody;
	const struct profile_record *thread = record == PROFILE_NONE ? &nobody : &writer->profile->records.data[record];

	if (writer->view->by_thread && thread->tid)
		buf_addf(&writer->out.text, " %" PRIu32 "/%" PRIu32, thread->tgid, thread->tid);
	else if (writer->view->style == VIEW_OFFWAKE)
		buf_addf(&writer->out.text, " %" PRIu32, thread->tid);
	buf_addc(&writer->out.text, '\n');
}

static void add_waker_line(struct text_writer *writer, const struct merged_row *row)
{
	buf_adds(&writer->out.text, "    waker:           ");
	add_waker(writer, row);
	add_ids(writer, row->waker);
}

static void add_target_line(struct text_writer *writer, const struct merged_row *row)
{
	buf_adds(&writer->out.text, "    target:          ");
	add_sleeper(writer, row);
	add_ids(writer, row->sleeper);
}

void wake_text_row(struct text_writer *writer, const struct merged_row *row)
{
	bool both = writer->view->style == VIEW_OFFWAKE;

	(both ? add_waker_line : add_target_line)(writer, row);
	add_stacks(writer, row->waker_lost, &row->waker_kernel, &row->waker_user, both);
	if (both) {
		text_label(writer, "--               --");
		add_stacks(writer, row->lost, &row->kernel, &row->user, false);
	}
	(both ? add_target_line : add_waker_line)(writer, row);
	buf_addf(&writer->out.text, "        %" PRIu64 "\n", row_value(writer->view, row));
	text_durations(writer, row);
	buf_addc(&writer->out.text, '\n');
}

void wake_folded_row(struct text_writer *writer, const struct merged_row *row)
{
	bool both = writer->view->style != VIEW_WAKE;
	size_t line = writer->out.text.nr;

	(both ? add_sleeper : add_waker)(writer, row);
	if (both) {
		add_stacks(writer, row->lost, &row->kernel, &row->user, true);
		folded_label(writer, "--");
	}
	add_stacks(writer, row->waker_lost, &row->waker_kernel, &row->waker_user, !both);
	buf_addc(&writer->out.text, ';');
	(both ? add_waker : add_sleeper)(writer, row);
	folded_end(writer, row, line);
}
