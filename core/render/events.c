/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events one by one, as bcc's stacksnoop prints them: a line with time and function, the frames, an empty line. */
#include <inttypes.h>

#include "core/base/clock.h"
#include "core/render/sheet.h"

#define TIME_COLUMNS 18
#define COMM_COLUMNS 12
#define PID_COLUMNS 6
#define THREAD_COLUMNS 15 /* two ids of up to 7 digits */

/* Fills the column that began at `start` with spaces. */
static void fill(struct buf *text, size_t start, size_t columns)
{
	while (text->nr - start < columns)
		buf_addc(text, ' ');
	buf_addc(text, ' ');
}

/* Not of the interval, of which there may be several. */
static uint64_t start_of_tracing(const struct profile *profile, const struct profile_interval *interval)
{
	uint64_t start = profile->clocks.monotonic_ns;

	return start && start < interval->start_ns ? start : interval->start_ns;
}

/* Seconds since tracing began, or the time of day where the events were recorded. */
static void add_event_time(struct sheet *sheet, const struct profile_interval *interval, uint64_t time_ns)
{
	uint64_t start_ns = start_of_tracing(sheet->profile, interval);
	uint64_t since = time_ns > start_ns ? time_ns - start_ns : 0;
	uint64_t wall = interval->wall_end_ns - (interval->end_ns - time_ns);
	uint64_t local_s = wall / NSEC_PER_SEC + (uint64_t)(int64_t)(int32_t)sheet->profile->utc_offset_s;
	size_t start = sheet->out.text.nr;

	if (sheet->view->timestamps)
		buf_addf(&sheet->out.text, "%02u:%02u:%02u.%06u", (unsigned int)(local_s / 3600 % 24),
			 (unsigned int)(local_s / 60 % 60), (unsigned int)(local_s % 60),
			 (unsigned int)(wall % NSEC_PER_SEC / 1000));
	else
		buf_addf(&sheet->out.text, "%" PRIu64 ".%09" PRIu64, since / NSEC_PER_SEC, since % NSEC_PER_SEC);
	fill(&sheet->out.text, start, TIME_COLUMNS);
}

/* The name, cut or filled up to its column as bcc does. */
static void add_comm(struct sheet *sheet, string_id comm)
{
	size_t start = sheet->out.text.nr;

	sheet_add_name(sheet, comm);
	if (sheet->out.text.nr - start > COMM_COLUMNS)
		sheet->out.text.nr = start + COMM_COLUMNS;
	fill(&sheet->out.text, start, COMM_COLUMNS);
}

/* The process, and with --per-thread the thread: wider than bcc's column then. */
static void add_ids(struct sheet *sheet, const struct profile_record *record)
{
	size_t start = sheet->out.text.nr;

	buf_addu(&sheet->out.text, record->tgid);
	if (sheet->view->by_thread)
		buf_addf(&sheet->out.text, "/%" PRIu32, record->tid);
	while (sheet->out.text.nr - start < (sheet->view->by_thread ? THREAD_COLUMNS : PID_COLUMNS))
		buf_addc(&sheet->out.text, ' ');
}

static void add_delimiter(struct sheet *sheet, const struct merged_row *row)
{
	if (!sheet_separates(sheet, row))
		return;
	sheet_add_indent(sheet, &sheet->out.text);
	buf_adds(&sheet->out.text, "--\n");
}

void event_row(struct sheet *sheet, const struct merged_row *row, const struct profile_interval *interval)
{
	const struct profile_record *record = &sheet->profile->records.data[row->record];

	if (row->lost) {
		buf_addf(&sheet->out.text, "[%" PRIu64 " event%s lost]\n\n", row->count, row->count == 1 ? "" : "s");
		return;
	}
	add_event_time(sheet, interval, record->time_ns);
	if (!sheet->view->no_process_line) {
		add_comm(sheet, record->comm);
		add_ids(sheet, record);
		buf_addf(&sheet->out.text, " %-3" PRIu32 " ", record->cpu);
	}
	sheet_add_name(sheet, record->probe);
	buf_addc(&sheet->out.text, '\n');
	text_stack(sheet, &row->kernel, true);
	add_delimiter(sheet, row);
	text_stack(sheet, &row->user, false);
	buf_addc(&sheet->out.text, '\n');
}
