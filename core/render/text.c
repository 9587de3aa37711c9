/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows as bcc prints them without -f: one frame per line, leaf first, kernel above user, then the process, the count
 * and an empty line. stackcount and profile differ in nearly every detail of it.
 */
#include <inttypes.h>

#include "core/base/clock.h"
#include "core/render/rows.h"

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

static void add_frame(struct sheet *sheet, uint32_t at, bool kernel)
{
	if (sheet->view->addresses)
		add_address(sheet, sheet->profile->stack_addresses.data[at], kernel);
	sheet_add_frame(sheet, sheet->profile->stack_frames.data[at]);
}

void text_stack(struct sheet *sheet, const struct merged_stack *stack, bool kernel, bool up)
{
	const char *root = stack_root_label(stack);

	if (stack->status == STACK_UNREADABLE)
		text_label(sheet, kernel ? LABEL_MISSED_KERNEL : LABEL_MISSED_USER);
	if (root && up)
		text_label(sheet, root);
	for (uint32_t i = 0; i < stack->nr; i++)
		add_frame(sheet, stack->first + (up ? stack->nr - 1 - i : i), kernel);
	if (root && !up)
		text_label(sheet, root);
}

static void add_stacks(struct sheet *sheet, const struct merged_row *row)
{
	if (row->reason == WAKER_UNFINISHED)
		text_label(sheet, LABEL_UNFINISHED);
	if (row->lost) {
		text_label(sheet, LABEL_LOST);
		return;
	}
	text_stack(sheet, &row->kernel, true, false);
	if (sheet_separates(sheet, row))
		buf_adds(&sheet->out.text, "    --\n");
	text_stack(sheet, &row->user, false, false);
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

/* ---- below a stack, how long its intervals were: the shortest, the mean, the longest, and bcc's histogram of powers of two ---- */

#define STARS 40
#define NARROW_POWERS 32 /* bcc's columns are wider for histograms that reach beyond; the stars are half as many then */

static unsigned int nr_stars(uint64_t count, uint64_t most, unsigned int width)
{
	if (most > UINT64_MAX / STARS)
		return (unsigned int)((count / STARS) * width / (most / STARS));
	return (unsigned int)(count * width / most);
}

static void add_bar(struct sheet *sheet, unsigned int nr, unsigned int width)
{
	buf_addc(&sheet->out.text, '|');
	for (unsigned int i = 0; i < width; i++)
		buf_addc(&sheet->out.text, i < nr ? '*' : ' ');
	buf_adds(&sheet->out.text, "|\n");
}

/* From the first power that has any on. */
static void add_histogram(struct sheet *sheet, const uint64_t *powers)
{
	unsigned int first = DURATION_POWERS, last = 0, width, columns;
	uint64_t most = 0;

	for (unsigned int i = 0; i < DURATION_POWERS; i++) {
		if (!powers[i])
			continue;
		first = first < i ? first : i;
		last = i;
		most = powers[i] > most ? powers[i] : most;
	}
	width = last < NARROW_POWERS ? STARS : STARS / 2;
	columns = last < NARROW_POWERS ? 10 : 20;
	buf_addf(&sheet->out.text,
		 last < NARROW_POWERS ? "     %-19s : count     distribution\n"
				      : "               %-29s : count     distribution\n",
		 "usecs");
	for (unsigned int i = first; i <= last; i++) {
		struct duration_range range = duration_power(i);

		buf_addf(&sheet->out.text, "%*" PRIu64 " -> %-*" PRIu64 " : %-8" PRIu64 " ", (int)columns,
			 range.first_us, (int)columns, range.last_us, powers[i]);
		add_bar(sheet, nr_stars(powers[i], most, width), width);
	}
}

static void add_range(struct sheet *sheet, const char *what, struct duration_range range)
{
	buf_addf(&sheet->out.text, "%s %" PRIu64, what, range.first_us);
	if (range.last_us != range.first_us)
		buf_addf(&sheet->out.text, "-%" PRIu64, range.last_us);
}

static void add_durations(struct sheet *sheet, const struct durations *durations)
{
	if (!durations->nr)
		return;
	buf_addf(&sheet->out.text, "        %" PRIu64 " interval%s:", durations->nr, durations->nr == 1 ? "" : "s");
	add_range(sheet, " shortest", durations_shortest(durations));
	buf_addf(&sheet->out.text, ", mean %" PRIu64 ",", durations->sum_ns / durations->nr / 1000);
	add_range(sheet, " longest", durations_longest(durations));
	buf_addc(&sheet->out.text, '\n');
	add_histogram(sheet, durations->powers);
}

void text_durations(struct sheet *sheet, const struct merged_row *row)
{
	if (sheet->durations)
		add_durations(sheet, &sheet->durations[row->durations]);
}

/* Rows that --top or --min-count leaves out are in it. */
void text_all_durations(struct sheet *sheet, const struct profile_interval *interval)
{
	struct durations all = {};

	for (size_t i = 0; i < interval->rows.nr; i++)
		durations_add(&all, interval->rows.data[i].count, interval->rows.data[i].sum);
	if (!all.nr || sheet->profile->presentation.quiet)
		return;
	buf_addf(&sheet->out.text, "    all stacks\n        %" PRIu64 "\n", all.sum_ns / 1000);
	add_durations(sheet, &all);
	buf_addc(&sheet->out.text, '\n');
}

/* ---- rows ---- */

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

/* ---- columns ---- */

/* Fills the column that began at `start` with spaces. */
static void fill(struct buf *text, size_t start, size_t columns)
{
	while (text->nr - start < columns)
		buf_addc(text, ' ');
	buf_addc(text, ' ');
}

void table_row(struct sheet *sheet, const struct merged_row *row)
{
	const struct profile *profile = sheet->profile;
	size_t start = sheet->out.text.nr;

	if (row->kernel.nr)
		sheet_add_name(sheet, profile->frames.data[profile->stack_frames.data[row->kernel.first]].name);
	fill(&sheet->out.text, start, TABLE_NAME_COLUMNS);
	buf_addf(&sheet->out.text, "%8" PRIu64 "\n", row_value(sheet->view, row));
}

/* ---- events one by one, as bcc's stacksnoop prints them: a line with time and function, the frames, an empty line ---- */

#define TIME_COLUMNS 18
#define COMM_COLUMNS 12
#define PID_COLUMNS 6
#define THREAD_COLUMNS 15 /* two ids of up to 7 digits */

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
static void add_event_ids(struct sheet *sheet, const struct profile_record *record)
{
	size_t start = sheet->out.text.nr;

	buf_addu(&sheet->out.text, record->tgid);
	if (sheet->view->by_thread)
		buf_addf(&sheet->out.text, "/%" PRIu32, record->tid);
	fill(&sheet->out.text, start, sheet->view->by_thread ? THREAD_COLUMNS : PID_COLUMNS);
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
		add_event_ids(sheet, record);
		buf_addf(&sheet->out.text, "%-3" PRIu32 " ", record->cpu);
	}
	sheet_add_name(sheet, record->probe);
	buf_addc(&sheet->out.text, '\n');
	text_stack(sheet, &row->kernel, true, false);
	add_delimiter(sheet, row);
	text_stack(sheet, &row->user, false, false);
	buf_addc(&sheet->out.text, '\n');
}
