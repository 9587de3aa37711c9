/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows as bcc prints them without -f: one frame per line, leaf first, kernel before user, then the process, the count and an empty line.
 * stackcount and profile differ in nearly every detail.
 */
#include <inttypes.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/render/rows.h"

static bool is_stackcount(const struct text_writer *writer)
{
	return writer->view->style == VIEW_STACKCOUNT;
}

void text_label(struct text_writer *writer, const char *label)
{
	writer_add_indent(writer, &writer->out.text);
	buf_adds(&writer->out.text, label);
	buf_addc(&writer->out.text, '\n');
}

/* The column widths are bcc's: of stackcount -v, and of profile -A for each kind of stack. */
static void add_address(struct text_writer *writer, uint64_t address, bool kernel)
{
	writer_add_indent(writer, &writer->out.text);
	if (is_stackcount(writer) || writer->view->style == VIEW_WAKE)
		buf_addf(&writer->out.text, "%-16" PRIx64 " ", address);
	else if (kernel)
		buf_addf(&writer->out.text, "0x%-16" PRIx64 " ", address);
	else
		buf_addf(&writer->out.text, "0x%016" PRIx64 " ", address);
}

static void add_frame(struct text_writer *writer, uint32_t at, bool kernel)
{
	if (writer->view->addresses)
		add_address(writer, writer->profile->stack_addresses.data[at], kernel);
	writer_add_frame(writer, writer->profile->stack_frames.data[at]);
}

static bool is_elided(const struct profile *profile, uint32_t at)
{
	const struct profile_frame *frame = &profile->frames.data[profile->stack_frames.data[at]];

	return frame->kind == FRAME_TEXT && !strcmp(profile_string(profile, frame->name), FRAME_ELIDED);
}

/* "[... 1,871 to 1,900 frames ...]" */
static void add_elided(struct text_writer *writer, const struct merged_stack *stack)
{
	_cleanup_(buf_done) struct buf label = {};

	buf_adds(&label, "[... ");
	buf_add_grouped(&label, stack->elided_least);
	if (stack->elided_most > stack->elided_least) {
		buf_adds(&label, " to ");
		buf_add_grouped(&label, stack->elided_most);
	}
	buf_adds(&label, stack->elided_most == 1 ? " frame ...]" : " frames ...]");
	text_label(writer, buf_text(&label));
}

void text_stack(struct text_writer *writer, const struct merged_stack *stack, bool kernel, bool up)
{
	const char *root = stack_root_label(stack);

	if (stack->status == STACK_UNREADABLE)
		text_label(writer, kernel ? LABEL_MISSED_KERNEL : LABEL_MISSED_USER);
	if (root && up)
		text_label(writer, root);
	for (uint32_t i = 0; i < stack->nr; i++) {
		uint32_t at = stack->first + (up ? stack->nr - 1 - i : i);

		if (stack->elided_most && is_elided(writer->profile, at))
			add_elided(writer, stack);
		else
			add_frame(writer, at, kernel);
	}
	if (root && !up)
		text_label(writer, root);
}

static void add_stacks(struct text_writer *writer, const struct merged_row *row)
{
	if (row->reason == WAKER_UNFINISHED)
		text_label(writer, LABEL_UNFINISHED);
	if (row->lost) {
		text_label(writer, LABEL_LOST);
		return;
	}
	text_stack(writer, &row->kernel, true, false);
	if (writer_separates(writer, row))
		buf_adds(&writer->out.text, "    --\n");
	text_stack(writer, &row->user, false, false);
}

/* Adds "tgid" or "tgid/tid"; for offcputime only the tid, as in bcc. */
static void add_ids(struct text_writer *writer, const struct profile_record *record)
{
	bool both = writer->view->by_thread;

	buf_addu(&writer->out.text, writer->view->style == VIEW_OFFCPU && !both ? record->tid : record->tgid);
	if (both)
		buf_addf(&writer->out.text, "/%" PRIu32, record->tid);
}

/* Adds " comm [pid]"; nothing if the process is unknown. */
static void add_stackcount_process(struct text_writer *writer, const struct profile_record *record)
{
	const struct profile_view *view = writer->view;

	if (!view->per_process || view->no_process_line || (!record->tgid && !record->comm))
		return;
	buf_adds(&writer->out.text, "    ");
	writer_add_name(writer, record->comm);
	buf_adds(&writer->out.text, " [");
	add_ids(writer, record);
	buf_adds(&writer->out.text, "]\n");
}

static void add_profile_process(struct text_writer *writer, const struct merged_row *row,
				const struct profile_record *record)
{
	buf_adds(&writer->out.text, "    -                ");
	if (row->lost)
		buf_adds(&writer->out.text, LABEL_UNKNOWN);
	else
		writer_add_name(writer, record->comm);
	buf_adds(&writer->out.text, " (");
	add_ids(writer, record);
	buf_adds(&writer->out.text, ")\n");
}

/* ---- durations: shortest, mean, longest, and bcc's histogram of powers of two ---- */

#define STARS 40
#define NARROW_POWERS 32 /* from here on bcc widens the columns and halves the stars */

static unsigned int nr_stars(uint64_t count, uint64_t most, unsigned int width)
{
	if (most > UINT64_MAX / STARS)
		return (unsigned int)((count / STARS) * width / (most / STARS));
	return (unsigned int)(count * width / most);
}

static void add_bar(struct text_writer *writer, unsigned int nr, unsigned int width)
{
	buf_addc(&writer->out.text, '|');
	for (unsigned int i = 0; i < width; i++)
		buf_addc(&writer->out.text, i < nr ? '*' : ' ');
	buf_adds(&writer->out.text, "|\n");
}

void text_histogram(struct text_writer *writer, const char *unit, const uint64_t powers[DURATION_POWERS_MAX],
		    bool from_zero)
{
	unsigned int first = from_zero ? 0 : DURATION_POWERS_MAX, last = 0, width, columns;
	uint64_t most = 0;

	for (unsigned int i = 0; i < DURATION_POWERS_MAX; i++) {
		if (!powers[i])
			continue;
		first = first < i ? first : i;
		last = i;
		most = powers[i] > most ? powers[i] : most;
	}
	if (!most)
		return;
	width = last < NARROW_POWERS ? STARS : STARS / 2;
	columns = last < NARROW_POWERS ? 10 : 20;
	buf_addf(&writer->out.text,
		 last < NARROW_POWERS ? "     %-19s : count     distribution\n"
				      : "               %-29s : count     distribution\n",
		 unit);
	for (unsigned int i = first; i <= last; i++) {
		struct duration_range range = duration_power(i);

		buf_addf(&writer->out.text, "%*" PRIu64 " -> %-*" PRIu64 " : %-8" PRIu64 " ", (int)columns,
			 range.first_us, (int)columns, range.last_us, powers[i]);
		add_bar(writer, nr_stars(powers[i], most, width), width);
	}
}

static void add_range(struct text_writer *writer, const char *what, struct duration_range range)
{
	buf_addf(&writer->out.text, "%s %" PRIu64, what, range.first_us);
	if (range.last_us != range.first_us)
		buf_addf(&writer->out.text, "-%" PRIu64, range.last_us);
}

static void add_durations(struct text_writer *writer, const struct durations *durations)
{
	uint64_t powers[DURATION_POWERS_MAX] = {};

	if (!durations->nr)
		return;
	buf_addf(&writer->out.text, "        %" PRIu64 " interval%s:", durations->nr, durations->nr == 1 ? "" : "s");
	add_range(writer, " shortest", durations_shortest(durations));
	buf_addf(&writer->out.text, ", mean %" PRIu64 ",", durations->sum_ns / durations->nr / 1000);
	add_range(writer, " longest", durations_longest(durations));
	buf_addc(&writer->out.text, '\n');
	memcpy(powers, durations->powers, sizeof(durations->powers));
	text_histogram(writer, "usecs", powers, false);
}

void text_durations(struct text_writer *writer, const struct merged_row *row)
{
	if (writer->durations)
		add_durations(writer, &writer->durations[row->durations]);
}

/* Includes rows that --top or --min-count omits. */
void text_all_durations(struct text_writer *writer, const struct profile_interval *interval)
{
	struct durations all = {};

	for (size_t i = 0; i < interval->rows.nr; i++)
		durations_add(&all, interval->rows.data[i].count, interval->rows.data[i].sum);
	if (!all.nr || writer->profile->presentation.quiet)
		return;
	buf_addf(&writer->out.text, "    all stacks\n        %" PRIu64 "\n", all.sum_ns / 1000);
	add_durations(writer, &all);
	buf_addc(&writer->out.text, '\n');
}

/* ---- rows ---- */

void text_row(struct text_writer *writer, const struct merged_row *row)
{
	const struct profile_record *record = &writer->profile->records.data[row->sleeper];

	add_stacks(writer, row);
	if (is_stackcount(writer)) {
		add_stackcount_process(writer, record);
		buf_adds(&writer->out.text, "    ");
		buf_addu(&writer->out.text, row->count);
	} else {
		add_profile_process(writer, row, record);
		buf_adds(&writer->out.text, "        ");
		buf_addu(&writer->out.text, row_value(writer->view, row));
	}
	buf_addc(&writer->out.text, '\n');
	text_durations(writer, row);
	buf_addc(&writer->out.text, '\n');
}

/* ---- columns ---- */

static void fill(struct buf *text, size_t start, size_t columns)
{
	while (text->nr - start < columns)
		buf_addc(text, ' ');
	buf_addc(text, ' ');
}

void table_row(struct text_writer *writer, const struct merged_row *row)
{
	const struct profile *profile = writer->profile;
	size_t start = writer->out.text.nr;

	if (row->kernel.nr)
		writer_add_name(writer, profile->frames.data[profile->stack_frames.data[row->kernel.first]].name);
	fill(&writer->out.text, start, TABLE_NAME_COLUMNS);
	buf_addf(&writer->out.text, "%8" PRIu64 "\n", row_value(writer->view, row));
}

/* ---- single events as in bcc's stacksnoop: a line with time and function, the frames, an empty line ---- */

#define TIME_COLUMNS 18
#define COMM_COLUMNS 12
#define PID_COLUMNS 6
#define THREAD_COLUMNS 15 /* two ids of up to 7 digits */

/* The start of the run, which may have several intervals. */
static uint64_t start_of_tracing(const struct profile *profile, const struct profile_interval *interval)
{
	uint64_t start = profile->clocks.monotonic_ns;

	return start && start < interval->start_ns ? start : interval->start_ns;
}

/* Adds seconds since the start of the run, or the local time of the recording host. */
static void add_event_time(struct text_writer *writer, const struct profile_interval *interval, uint64_t time_ns)
{
	uint64_t start_ns = start_of_tracing(writer->profile, interval);
	uint64_t since = time_ns > start_ns ? time_ns - start_ns : 0;
	uint64_t wall = interval->wall_end_ns - (interval->end_ns - time_ns);
	uint64_t local_s = wall / NSEC_PER_SEC + (uint64_t)(int64_t)(int32_t)writer->profile->utc_offset_s;
	size_t start = writer->out.text.nr;

	if (writer->view->timestamps)
		buf_addf(&writer->out.text, "%02u:%02u:%02u.%06u", (unsigned int)(local_s / 3600 % 24),
			 (unsigned int)(local_s / 60 % 60), (unsigned int)(local_s % 60),
			 (unsigned int)(wall % NSEC_PER_SEC / 1000));
	else
		buf_addf(&writer->out.text, "%" PRIu64 ".%09" PRIu64, since / NSEC_PER_SEC, since % NSEC_PER_SEC);
	fill(&writer->out.text, start, TIME_COLUMNS);
}

/* Adds the name, truncated or filled to its column as in bcc. */
static void add_comm(struct text_writer *writer, string_id comm)
{
	size_t start = writer->out.text.nr;

	writer_add_name(writer, comm);
	if (writer->out.text.nr - start > COMM_COLUMNS)
		writer->out.text.nr = start + COMM_COLUMNS;
	fill(&writer->out.text, start, COMM_COLUMNS);
}

/* Adds the process id, with --per-thread also the thread id in a wider column. */
static void add_event_ids(struct text_writer *writer, const struct profile_record *record)
{
	size_t start = writer->out.text.nr;

	buf_addu(&writer->out.text, record->tgid);
	if (writer->view->by_thread)
		buf_addf(&writer->out.text, "/%" PRIu32, record->tid);
	fill(&writer->out.text, start, writer->view->by_thread ? THREAD_COLUMNS : PID_COLUMNS);
}

static void add_delimiter(struct text_writer *writer, const struct merged_row *row)
{
	if (!writer_separates(writer, row))
		return;
	writer_add_indent(writer, &writer->out.text);
	buf_adds(&writer->out.text, "--\n");
}

void event_row(struct text_writer *writer, const struct merged_row *row, const struct profile_interval *interval)
{
	const struct profile_record *record = &writer->profile->records.data[row->record];

	if (row->lost) {
		buf_addf(&writer->out.text, "[%" PRIu64 " event%s lost]\n\n", row->count, row->count == 1 ? "" : "s");
		return;
	}
	add_event_time(writer, interval, record->time_ns);
	if (!writer->view->no_process_line) {
		add_comm(writer, record->comm);
		add_event_ids(writer, record);
		buf_addf(&writer->out.text, "%-3" PRIu32 " ", record->cpu);
	}
	writer_add_name(writer, record->probe);
	buf_addc(&writer->out.text, '\n');
	text_stack(writer, &row->kernel, true, false);
	add_delimiter(writer, row);
	text_stack(writer, &row->user, false, false);
	buf_addc(&writer->out.text, '\n');
}
