/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows with a sleeper and its waker, as bcc's offwaketime and wakeuptime print them. The stacks of the waker stand the
 * other way round, so that the two meet where one wakes the other.
 */
#include <inttypes.h>

#include "core/render/sheet.h"

const char *waker_label(const struct profile *profile, const struct merged_row *row)
{
	static const char *const reasons[WAKER_NR_REASONS] = {
		[WAKER_PREEMPTED] = "[preempted]",
		[WAKER_BEFORE_SLEEP] = "[woken before asleep]",
		[WAKER_NOT_SEEN] = "[no waker seen]",
		[WAKER_UNFINISHED] = LABEL_UNFINISHED,
	};
	static const char *const contexts[] = {
		[CONTEXT_SOFTIRQ] = "[softirq]",
		[CONTEXT_IRQ] = "[irq]",
		[CONTEXT_NMI] = "[nmi]",
	};

	if (row->waker == PROFILE_NONE)
		return reasons[row->reason] ? reasons[row->reason] : "";
	if (row->waker_lost)
		return LABEL_UNKNOWN;
	return contexts[profile->records.data[row->waker].context];
}

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

/* Behind a name in text: " tid" in offwaketime, " tgid/tid" with --per-thread. `record` is PROFILE_NONE for no thread. */
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

static bool separates(const struct sheet *sheet, const struct merged_stack *kernel, const struct merged_stack *user)
{
	return sheet->view->delimited && kernel->nr && user->nr;
}

/* ---- text ---- */

/* Root first. */
static void add_stack_up(struct sheet *sheet, const struct merged_stack *stack, bool kernel)
{
	if (stack->status == STACK_UNREADABLE)
		text_label(sheet, kernel ? LABEL_MISSED_KERNEL : LABEL_MISSED_USER);
	if (stack_root_label(stack))
		text_label(sheet, stack_root_label(stack));
	for (uint32_t i = stack->nr; i > 0; i--)
		text_frame(sheet, stack->first + i - 1, kernel);
}

static void offwake_text(struct sheet *sheet, const struct merged_row *row)
{
	buf_adds(&sheet->out.text, "    waker:           ");
	add_waker(sheet, row);
	add_ids(sheet, row->waker);
	if (row->waker_lost)
		text_label(sheet, LABEL_LOST);
	add_stack_up(sheet, &row->waker_user, false);
	if (separates(sheet, &row->waker_kernel, &row->waker_user))
		text_label(sheet, "-");
	add_stack_up(sheet, &row->waker_kernel, true);
	text_label(sheet, "--               --");
	if (row->lost)
		text_label(sheet, LABEL_LOST);
	text_stack(sheet, &row->kernel, true);
	if (separates(sheet, &row->kernel, &row->user))
		text_label(sheet, "-");
	text_stack(sheet, &row->user, false);
	buf_adds(&sheet->out.text, "    target:          ");
	add_sleeper(sheet, row);
	add_ids(sheet, row->sleeper);
}

static void wake_text(struct sheet *sheet, const struct merged_row *row)
{
	buf_adds(&sheet->out.text, "    target:          ");
	add_sleeper(sheet, row);
	add_ids(sheet, row->sleeper);
	if (row->waker_lost)
		text_label(sheet, LABEL_LOST);
	text_stack(sheet, &row->waker_kernel, true);
	if (separates(sheet, &row->waker_kernel, &row->waker_user))
		text_label(sheet, "-");
	text_stack(sheet, &row->waker_user, false);
	buf_adds(&sheet->out.text, "    waker:           ");
	add_waker(sheet, row);
	add_ids(sheet, row->waker);
}

void wake_text_row(struct sheet *sheet, const struct merged_row *row)
{
	if (sheet->view->style == VIEW_OFFWAKE)
		offwake_text(sheet, row);
	else
		wake_text(sheet, row);
	buf_addf(&sheet->out.text, "        %" PRIu64 "\n", row_value(sheet->view, row));
	text_durations(sheet, row);
	buf_addc(&sheet->out.text, '\n');
}

/* ---- folded ---- */

/* Leaf first. */
static void fold_up(struct sheet *sheet, const struct merged_stack *stack, const char *missed)
{
	for (uint32_t at = stack->first; at < stack->first + stack->nr; at++)
		sheet_add_frame(sheet, sheet->profile->stack_frames.data[at]);
	folded_missing(sheet, stack, missed);
}

static void offwake_folded(struct sheet *sheet, const struct merged_row *row)
{
	add_sleeper(sheet, row);
	if (row->lost)
		folded_label(sheet, LABEL_LOST);
	folded_stack(sheet, &row->user, LABEL_MISSED_USER, false);
	if (separates(sheet, &row->kernel, &row->user))
		folded_label(sheet, "-");
	folded_stack(sheet, &row->kernel, LABEL_MISSED_KERNEL, false);
	folded_label(sheet, "--");
	if (row->waker_lost)
		folded_label(sheet, LABEL_LOST);
	fold_up(sheet, &row->waker_kernel, LABEL_MISSED_KERNEL);
	if (separates(sheet, &row->waker_kernel, &row->waker_user))
		folded_label(sheet, "-");
	fold_up(sheet, &row->waker_user, LABEL_MISSED_USER);
	buf_addc(&sheet->out.text, ';');
	add_waker(sheet, row);
}

static void wake_folded(struct sheet *sheet, const struct merged_row *row)
{
	add_waker(sheet, row);
	if (row->waker_lost)
		folded_label(sheet, LABEL_LOST);
	folded_stack(sheet, &row->waker_user, LABEL_MISSED_USER, false);
	if (separates(sheet, &row->waker_kernel, &row->waker_user))
		folded_label(sheet, "-");
	folded_stack(sheet, &row->waker_kernel, LABEL_MISSED_KERNEL, false);
	buf_addc(&sheet->out.text, ';');
	add_sleeper(sheet, row);
}

void wake_folded_row(struct sheet *sheet, const struct merged_row *row)
{
	size_t line = sheet->out.text.nr;

	if (sheet->view->style == VIEW_OFFWAKE)
		offwake_folded(sheet, row);
	else
		wake_folded(sheet, row);
	folded_end(sheet, row, line);
}
