/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The notes on stderr after a report: how much was lost or has no name, and why. */
#include "core/render/render.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/stream.h"
#include "core/profile/profile.h"

/* Which notes are printed: -q, neither, -v. */
enum detail {
	DETAIL_LOSSES, /* only if something is missing in the result */
	DETAIL_USUAL, /* also if stacks may be incomplete, or frames have no name */
	DETAIL_ALL, /* also if nothing is wrong */
};

static enum detail detail_of(const struct profile *profile)
{
	if (profile->presentation.quiet)
		return DETAIL_LOSSES;
	return profile->view.verbose ? DETAIL_ALL : DETAIL_USUAL;
}

/* ---- user stacks: one line about all of them ---- */

#define OF_USER_STACKS "user {stack|stacks} "

static bool is_of_user_stacks(size_t loss)
{
	return !strncmp(profile_losses[loss].sentence, OF_USER_STACKS, strlen(OF_USER_STACKS));
}

/* If no stack is known to be complete, as with frame pointers, the total is unknown too. */
static bool has_user_line(const struct profile_interval *interval)
{
	return interval->losses[ST_LOSS_USER_ROOT] > 0;
}

/* "truncated: REASON" gives "7 truncated (REASON)". */
static void add_end(struct buf *text, uint64_t number, const char *end)
{
	const char *reason = strstr(end, ": ");

	buf_adds(text, ", ");
	buf_add_grouped(text, number);
	buf_addc(text, ' ');
	if (reason)
		buf_addf(text, "%.*s (%s)", (int)(reason - end), end, reason + 2);
	else
		buf_adds(text, end);
}

static void add_user_stacks(struct buf *text, const struct profile_interval *interval, enum detail detail)
{
	const uint64_t complete = interval->losses[ST_LOSS_USER_ROOT];
	uint64_t all = 0;
	bool is_loss = false;

	for (size_t i = 0; i < ST_NR_LOSSES; i++) {
		if (!is_of_user_stacks(i))
			continue;
		all += interval->losses[i];
		is_loss |= interval->losses[i] && profile_losses[i].class != LOSS_NOTE;
	}
	if (!has_user_line(interval) || (detail == DETAIL_LOSSES && !is_loss) ||
	    (detail != DETAIL_ALL && all == complete))
		return;
	buf_adds(text, is_loss ? "WARNING: " : "NOTE: ");
	buf_adds(text, all == complete && all > 1 ? "all " : "");
	buf_add_grouped(text, complete);
	if (all > complete) {
		buf_adds(text, " of ");
		buf_add_grouped(text, all);
	}
	buf_adds(text, all == 1 ? " user stack complete" : " user stacks complete");
	if (all > complete)
		buf_addf(text, " (%.1f%%)", 100.0 * (double)complete / (double)all);
	for (size_t i = 0; i < ST_NR_LOSSES; i++)
		if (is_of_user_stacks(i) && i != ST_LOSS_USER_ROOT && interval->losses[i])
			add_end(text, interval->losses[i], profile_losses[i].sentence + strlen(OF_USER_STACKS));
	buf_addc(text, '\n');
}

/* ---- losses ---- */

static void add_loss(struct buf *text, const struct profile_interval *interval, size_t loss)
{
	buf_adds(text, profile_losses[loss].class == LOSS_NOTE ? "NOTE: " : "WARNING: ");
	buf_add_grouped(text, interval->losses[loss]);
	buf_addc(text, ' ');
	buf_add_counted(text, interval->losses[loss], profile_losses[loss].sentence);
	buf_addc(text, '\n');
}

/* Whether the loss is of calls that are in no histogram. */
static bool is_of_calls(size_t loss)
{
	return loss == ST_LOSS_CALL_NO_RETURN || loss == ST_LOSS_CALL_NO_BEGIN || loss == ST_LOSS_CALL_OPEN;
}

/* Incomplete stacks by frame pointers, and waits or calls from before the run. Other losses of class NOTE do not affect the result. */
static enum detail needed_detail(size_t loss)
{
	if (profile_losses[loss].class != LOSS_NOTE)
		return DETAIL_LOSSES;
	return is_of_user_stacks(loss) || loss == ST_LOSS_NO_START || is_of_calls(loss) ? DETAIL_USUAL : DETAIL_ALL;
}

static void add_losses(struct buf *text, const struct profile_interval *interval, enum detail detail)
{
	struct sample_account samples;
	const bool has_sample_line = profile_sample_account(interval, &samples);

	add_user_stacks(text, interval, detail);
	for (size_t i = 0; i < ST_NR_LOSSES; i++) {
		if (!interval->losses[i] || detail < needed_detail(i) ||
		    (is_of_user_stacks(i) && has_user_line(interval)) || (profile_sample_loss(i) && has_sample_line))
			continue;
		add_loss(text, interval, i);
	}
}

/* ---- timed samples ---- */

static void add_part(struct buf *text, uint64_t number, const char *what)
{
	buf_adds(text, ", ");
	buf_add_grouped(text, number);
	buf_addf(text, " %s", what);
}

/* "15 skipped (REASON)" */
static void add_sample_loss(struct buf *text, const struct profile_interval *interval, size_t loss)
{
	const char *reason = strstr(profile_losses[loss].sentence, ": ");

	add_part(text, interval->losses[loss], profile_sample_loss(loss));
	if (reason)
		buf_addf(text, " (%s)", reason + 2);
}

static void add_samples_alone(struct buf *text, const struct profile_account *account)
{
	if (account->expected != UINT64_MAX || account->taken == UINT64_MAX)
		return;
	buf_adds(text, "NOTE: ");
	buf_add_grouped(text, account->taken);
	buf_adds(text, " samples taken; the expected number is unknown, because the kernel adapts the period of this "
		       "event (-c sets a fixed one)\n");
}

static void add_samples(struct buf *text, const struct profile_interval *interval, enum detail detail)
{
	struct sample_account samples;
	bool off;

	if (!profile_sample_account(interval, &samples)) {
		if (detail == DETAIL_ALL)
			add_samples_alone(text, &interval->account);
		return;
	}
	off = samples.lost || samples.unexplained;
	if (!off && detail != DETAIL_ALL)
		return;
	buf_adds(text, off ? "WARNING: " : "NOTE: ");
	buf_add_grouped(text, samples.taken);
	buf_adds(text, " of ");
	buf_add_grouped(text, samples.expected);
	buf_adds(text, " samples of all processes taken");
	for (size_t i = 0; i < ST_NR_LOSSES; i++)
		if (profile_sample_loss(i) && interval->losses[i])
			add_sample_loss(text, interval, i);
	if (samples.unexplained > 0)
		add_part(text, (uint64_t)samples.unexplained, "missing for an unknown reason");
	else if (samples.unexplained < 0)
		add_part(text, -(uint64_t)samples.unexplained, "more than the counter explains");
	buf_addc(text, '\n');
}

/* ---- frames without a name or line ---- */

#define REASONS_MAX 32
_Static_assert(REASON_NR <= REASONS_MAX && LINES_NR <= REASONS_MAX, "the reasons do not add up");

struct missing {
	uint64_t nr_frames;
	struct reason {
		uint64_t nr;
		unsigned int reason; /* enum frame_reason or enum line_reason */
	} names[REASONS_MAX], lines[REASONS_MAX];
};

static void count_frame(struct missing *missing, const struct profile_frame *frame)
{
	missing->nr_frames++;
	if (!frame->name && frame->reason < REASONS_MAX)
		missing->names[frame->reason].nr++;
	if (frame->line_reason != LINES_FOUND && !frame->source && frame->kind != FRAME_TEXT &&
	    frame->line_reason < REASONS_MAX)
		missing->lines[frame->line_reason].nr++;
}

static void count_record(const struct profile *profile, const struct profile_record *record, bool *seen,
			 struct missing *missing)
{
	const uint32_t *frames = profile->stack_frames.data;
	size_t end = record_end(record);

	for (size_t at = record->first; at < end; at++) {
		if (seen[frames[at]])
			continue;
		seen[frames[at]] = true;
		count_frame(missing, &profile->frames.data[frames[at]]);
	}
}

/* Counts every frame in rows of the interval once. */
static void count_used_frames(const struct profile *profile, const struct profile_interval *interval,
			      struct missing *missing)
{
	_cleanup_(freep) bool *seen = xcalloc(profile->frames.nr, sizeof(*seen));

	for (size_t i = 0; i < interval->rows.nr; i++) {
		uint32_t parts[2];
		size_t nr = profile_parts(profile, interval->rows.data[i].record, parts);

		for (size_t j = 0; j < nr; j++)
			count_record(profile, &profile->records.data[parts[j]], seen, missing);
	}
}

/* The most frequent first; ties in the order of the enum. */
static int compare_reasons(const void *left, const void *right)
{
	const struct reason *a = left, *b = right;

	if (a->nr != b->nr)
		return a->nr < b->nr ? 1 : -1;
	return (int)a->reason - (int)b->reason;
}

/* "NOTE: 12 of 40 frames have no WHAT: 12 (the reason)" */
static void add_missing(struct buf *text, uint64_t nr_frames, const char *what, struct reason *reasons, bool is_name)
{
	uint64_t total = 0;

	for (unsigned int i = 0; i < REASONS_MAX; i++) {
		reasons[i].reason = i;
		total += reasons[i].nr;
	}
	if (!total)
		return;
	qsort(reasons, REASONS_MAX, sizeof(*reasons), compare_reasons);
	buf_adds(text, "NOTE: ");
	buf_add_grouped(text, total);
	buf_adds(text, " of ");
	buf_add_grouped(text, nr_frames);
	buf_addf(text, " frames %s no %s: ", total == 1 ? "has" : "have", what);
	for (size_t i = 0; i < REASONS_MAX && reasons[i].nr; i++) {
		buf_adds(text, i ? ", " : "");
		buf_add_grouped(text, reasons[i].nr);
		buf_addf(text, " (%s)",
			 is_name ? frame_reason_text((enum frame_reason)reasons[i].reason)
				 : line_reason_text((enum line_reason)reasons[i].reason));
	}
	buf_addc(text, '\n');
}

/* Adds where the missing split debug information was expected. */
static void add_missing_splits(struct buf *text, const struct profile *profile)
{
	for (size_t i = 0; i < profile->files.nr; i++) {
		const struct profile_file *file = &profile->files.data[i];

		if (!file->missing_split)
			continue;
		buf_adds(text, "NOTE: ");
		profile_add_missing_split(text, profile_string(profile, file->path),
					  profile_string(profile, file->missing_split), file->nr_missing_splits);
		buf_addc(text, '\n');
	}
}

static void add_all_missing(struct buf *text, const struct profile *profile, const struct profile_interval *interval)
{
	const struct profile_view *view = &profile->view;
	struct missing missing = {};

	if (profile->rows_are_gone)
		for (size_t i = 0; i < profile->frames.nr; i++)
			count_frame(&missing, &profile->frames.data[i]);
	else
		count_used_frames(profile, interval, &missing);
	add_missing(text, missing.nr_frames, "name", missing.names, true);
	if (view->lines || view->inlines)
		add_missing(text, missing.nr_frames, view->lines ? "source line" : "known inlined calls", missing.lines,
			    false);
	add_missing_splits(text, profile);
}

void render_add_cut(const struct profile_interval *interval, struct buf *text)
{
	if (!interval->losses[ST_LOSS_CUT])
		return;
	buf_adds(text, "# ");
	add_loss(text, interval, ST_LOSS_CUT);
}

void render_add_notes(const struct profile *profile, const struct profile_interval *interval, struct buf *text)
{
	const enum detail detail = detail_of(profile);

	add_losses(text, interval, detail);
	add_samples(text, interval, detail);
	if (detail != DETAIL_LOSSES)
		add_all_missing(text, profile, interval);
	profile_check(interval, text);
}

int render_notes(const struct profile *profile, const struct profile_interval *interval, FILE *err)
{
	_cleanup_(stream_done) struct stream out = { .out = err };

	render_add_notes(profile, interval, &out.text);
	return stream_finish(&out);
}
